/* remote/wire/pipeline.c - sends commands and receives replies. */
#include "remote/wire/wire.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "remote/tls/session.h"
#include "remote/wire/dial.h"
#include "remote/wire/reply.h"
#include "shim/kernel/sys.h"

#define READ_BYTES 65536
/* Bytes to read ahead if a large reply has a buffer of its own: little more than its length
 * line. */
#define READ_HEAD 512

/* A run in progress. */
struct run {
	struct wire *w;
	const struct handshake *h;
	struct resp resp;
	struct reply_buffer room;     /* for the current reply */
	size_t sent;          /* bytes, including those of the handshake, which go first */
	int gone;             /* the server takes no more bytes; it may have said why */
	unsigned next;        /* index of the current reply; those of the handshake come first */
	enum wire_status bad; /* AUTH or SELECT was refused, or AUTH is required */
	struct fault *fault;
};

/* Number of bytes that may be sent so far. Commands that may write wait for the replies to AUTH and
 * SELECT. */
static size_t sendable(const struct run *r)
{
	int held = r->w->writes && r->next < r->h->commands;

	return r->h->len + (held ? 0 : r->w->out_len);
}

/* Sends the unsent ones of the first n bytes. Returns the number sent, or -errno. */
static ssize_t send_some(const struct run *r, size_t n)
{
	const struct handshake *h = r->h;
	struct iovec iov[2];
	struct msghdr m = {.msg_iov = iov};

	if (r->sent < h->len)
		iov[m.msg_iovlen++] = (struct iovec){h->bytes + r->sent, h->len - r->sent};
	size_t at = r->sent > h->len ? r->sent - h->len : 0;
	if (at < n - h->len)
		iov[m.msg_iovlen++] = (struct iovec){r->w->out + at, n - h->len - at};
	if (r->w->tls)
		return session_send(r->w->tls, iov->iov_base, iov->iov_len);
	return SYS3(SYS_sendmsg, r->w->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static enum wire_status send_more(struct run *r, size_t n)
{
	ssize_t k = send_some(r, n);

	if (k > 0) {
		r->sent += (size_t)k;
		r->w->sent += (size_t)k;
	} else if (k == -EPIPE || k == -ECONNRESET) {
		r->gone = 1;
	} else if (k != -EAGAIN && k != -EINTR) {
		fault_sys(r->fault, (int)-k, "send", NULL);
		return WIRE_CLOSED;
	}
	return WIRE_OK;
}

static void expect_next(struct run *r)
{
	unsigned i = r->next - r->h->commands;
	int ours = r->next >= r->h->commands;

	resp_begin(&r->resp, ours ? r->w->limit[i] : HANDSHAKE_LIMIT, ours ? r->w->elements[i] : 0);
	reply_buffer_begin(&r->room, ours ? r->w->room[i] : NULL);
}

/* Takes the reply that is in the caller's buffer. */
static enum wire_status take_string(struct run *r)
{
	redisReply *got = calloc(1, sizeof *got);

	if (!got)
		return WIRE_FAULT;
	got->type = REDIS_REPLY_STRING;
	got->elements = EXCHANGE_ELSEWHERE;
	got->str = r->room.at;
	got->len = r->room.len;
	r->w->reply[r->w->replies++] = got;
	r->next++;
	return WIRE_OK;
}

static enum wire_status take_reply(struct run *r)
{
	void *got = NULL;

	if (r->room.at)
		return take_string(r);
	if (redisReaderGetReply(r->w->reader, &got) != REDIS_OK || !got)
		return WIRE_GARBAGE;
	if (r->next < r->h->commands) {
		if (r->bad == WIRE_OK)
			r->bad = handshake_judge(r->h, r->next, got, r->fault);
		freeReplyObject(got);
	} else {
		r->w->reply[r->w->replies++] = got;
		if (wire_error(got) == WIRE_ERR_NOAUTH && r->bad == WIRE_OK) {
			fault_set(r->fault, EACCES, "the server requires a password");
			r->bad = WIRE_DENIED;
		}
	}
	r->next++;
	return WIRE_OK;
}

/* A reply was dropped: hiredis's reader may have its beginning, and gets an error in its place. */
static enum wire_status replace_dropped(struct run *r)
{
	static const char text[] = "-WRONGTYPE the value is larger than any of Reprise\r\n";

	redisReaderFree(r->w->reader);
	r->w->reader = redisReaderCreate();
	return r->w->reader && redisReaderFeed(r->w->reader, text, sizeof text - 1) == REDIS_OK
	       ? WIRE_OK : WIRE_FAULT;
}

static enum wire_status take_bytes(struct run *r, const char *p, size_t n)
{
	unsigned total = r->h->commands + r->w->expected;

	while (n) {
		int done;
		ssize_t k = r->next < total ? resp_scan(&r->resp, p, reply_buffer_step(&r->room, n),
		                                        &done) : -1;

		if (k < 0)
			return WIRE_GARBAGE;
		if (!reply_buffer_take(&r->room, &r->resp, p, (size_t)k)) {
			if (redisReaderFeed(r->w->reader, r->room.hold, r->room.held) != REDIS_OK ||
			    redisReaderFeed(r->w->reader, p, (size_t)k) != REDIS_OK)
				return WIRE_FAULT;
			r->room.held = 0;
		}
		p += k;
		n -= (size_t)k;
		if (!done)
			continue;
		enum wire_status s = r->resp.drops ? replace_dropped(r) : WIRE_OK;
		if (s == WIRE_OK)
			s = take_reply(r);
		if (s != WIRE_OK)
			return s;
		if (r->next < total)
			expect_next(r);
	}
	return WIRE_OK;
}

/* The server closed the connection. If its last reply is an error, that is the reason. */
static enum wire_status closed(const struct run *r)
{
	const struct wire *w = r->w;
	const redisReply *last = w->replies ? w->reply[w->replies - 1] : NULL;
	const char *refused = w->tls ? session_refused(w->tls) : NULL;
	char text[WIRE_QUOTE];

	if (refused) {
		fault_set(r->fault, EPROTO, "TLS: %s", refused);
		return WIRE_DENIED;
	}
	if (last && last->type == REDIS_REPLY_ERROR) {
		wire_quote(text, last, 0);
		fault_set(r->fault, ECONNRESET, "the server closed: %s", text);
		return strncmp(last->str, "DENIED", 6) == 0 ? WIRE_DENIED : WIRE_SERVER;
	}
	fault_set(r->fault, ECONNRESET, "the server closed the connection");
	return WIRE_CLOSED;
}

/* Receives bytes: *direct of them into the caller's buffer, the rest into in. Returns the number, 0
 * or -errno. */
static ssize_t receive(const struct run *r, char in[READ_BYTES], size_t *direct)
{
	size_t left = reply_buffer_left(&r->room);
	struct iovec iov[2] = {{left ? r->room.at + r->room.got : NULL, left},
	                       {in, r->room.at ? READ_HEAD : READ_BYTES}};
	struct msghdr m = {.msg_iov = left ? iov : iov + 1, .msg_iovlen = left ? 2 : 1};
	ssize_t n = r->w->tls
	            ? session_receive(r->w->tls, m.msg_iov->iov_base, m.msg_iov->iov_len)
	            : SYS3(SYS_recvmsg, r->w->fd, &m, MSG_DONTWAIT);

	*direct = n < 0 ? 0 : (size_t)n < left ? (size_t)n : left;
	return n;
}

static enum wire_status wait_for(const struct run *r, int sends, int64_t deadline)
{
	struct session *tls = r->w->tls;
	short events = sends || (tls && session_is_full(tls)) ? POLLIN | POLLOUT : POLLIN;

	return tls ? session_wait(tls, events, deadline) : dial_wait(r->w->fd, events, deadline);
}

int64_t exchange_wait_end(int64_t deadline, int64_t stall_ns)
{
	int64_t stalled = sys_now_ns(CLOCK_MONOTONIC) + stall_ns;

	return stall_ns && stalled < deadline ? stalled : deadline;
}

enum wire_status exchange_run(struct wire *w, const struct handshake *h, int64_t deadline,
                              int64_t stall_ns, struct fault *fault)
{
	struct run run = {.w = w, .h = h, .fault = fault}, *r = &run;
	unsigned total = h->commands + w->expected;
	enum wire_status s = WIRE_OK;
	char in[READ_BYTES];
	unsigned tries = 0; /* in which nothing was sent or received */
	size_t direct;

	w->round_trips += 1 + (w->writes && h->commands);
	expect_next(r);
	while (r->next < total) {
		size_t n = sendable(r);

		if (r->sent < n && !r->gone) {
			size_t before = r->sent;

			s = send_more(r, n);
			if (r->sent > before)
				tries = 0;
		}
		if (s == WIRE_OK)
			s = wait_for(r, r->sent < n && !r->gone,
			             exchange_wait_end(deadline, stall_ns));
		if (s != WIRE_OK)
			return s;
		ssize_t got = receive(r, in, &direct);
		if (sys_not_yet(got, &tries))
			continue;
		if (got == -EAGAIN || got == -EINTR) {
			fault_sys(fault, (int)-got, "receive", NULL);
			return WIRE_FAULT;
		}
		if (got <= 0)
			return closed(r);
		tries = 0;
		w->received += (size_t)got;
		s = direct ? take_bytes(r, r->room.at + r->room.got, direct) : WIRE_OK;
		if (s == WIRE_OK)
			s = take_bytes(r, in, (size_t)got - direct);
		/* After a refusal, the other replies are for another user or database. */
		if (r->bad != WIRE_OK)
			return r->bad;
		if (s != WIRE_OK)
			return s;
	}
	if (r->sent == h->len + w->out_len)
		return WIRE_OK;
	/* Replies before all commands were sent are invalid, but may say why the server stopped
	 * reading. */
	return r->gone ? closed(r) : WIRE_GARBAGE;
}
