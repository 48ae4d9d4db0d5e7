/* remote/exchange.c - bytes out, replies in. */
#include "remote/exchange.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "remote/dial.h"
#include "remote/resp.h"
#include "remote/room.h"
#include "shim/sys.h"

#define READ_BYTES 65536
/* Where a large reply has room of its own: little more than what stands before it. */
#define READ_HEAD 512

/* A run in progress. */
struct run {
	struct wire *w;
	const struct handshake *h;
	struct resp resp;
	struct room room;     /* of that reply */
	unsigned next;        /* reply that is being read, those of the handshake first */
	enum wire_status bad; /* of the handshake */
	struct fault *fault;
};

/* Sends what is left of both parts. The number sent, or -errno. */
static ssize_t send_some(int fd, const struct handshake *h, const struct wire *w, size_t done)
{
	struct iovec iov[2];
	struct msghdr m = {.msg_iov = iov};

	if (done < h->len)
		iov[m.msg_iovlen++] = (struct iovec){h->bytes + done, h->len - done};
	size_t at = done > h->len ? done - h->len : 0;
	if (at < w->out_len)
		iov[m.msg_iovlen++] = (struct iovec){w->out + at, w->out_len - at};
	return SYS3(SYS_sendmsg, fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void expect_next(struct run *r)
{
	unsigned i = r->next - r->h->commands;

	resp_begin(&r->resp, r->next < r->h->commands ? HANDSHAKE_LIMIT : r->w->limit[i]);
	room_begin(&r->room, r->next < r->h->commands ? NULL : r->w->room[i]);
}

/* The one in the room. */
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
			r->bad = handshake_judge(got, r->next == 0 && r->h->auth, r->fault);
		freeReplyObject(got);
	} else {
		r->w->reply[r->w->replies++] = got;
		if (wire_error(got) == WIRE_ERR_NOAUTH && r->bad == WIRE_OK) {
			fault_set(r->fault, EACCES, "the server wants a password");
			r->bad = WIRE_DENIED;
		}
	}
	r->next++;
	return WIRE_OK;
}

static enum wire_status take_bytes(struct run *r, const char *p, size_t n)
{
	unsigned total = r->h->commands + r->w->expected;

	while (n) {
		int done;
		ssize_t k = r->next < total ? resp_scan(&r->resp, p, room_step(&r->room, n), &done) : -1;

		if (k < 0)
			return WIRE_GARBAGE;
		if (!room_take(&r->room, &r->resp, p, (size_t)k)) {
			if (redisReaderFeed(r->w->reader, r->room.hold, r->room.held) != REDIS_OK ||
			    redisReaderFeed(r->w->reader, p, (size_t)k) != REDIS_OK)
				return WIRE_FAULT;
			r->room.held = 0;
		}
		p += k;
		n -= (size_t)k;
		if (!done)
			continue;
		enum wire_status s = take_reply(r);
		if (s != WIRE_OK)
			return s;
		if (r->next < total)
			expect_next(r);
	}
	return WIRE_OK;
}

/* The server closed. What it said last, when it said something, is why. */
static enum wire_status closed(const struct run *r)
{
	const struct wire *w = r->w;
	const redisReply *last = w->replies ? w->reply[w->replies - 1] : NULL;
	char text[WIRE_QUOTE];

	if (r->bad != WIRE_OK)
		return r->bad;
	if (last && last->type == REDIS_REPLY_ERROR) {
		wire_quote(text, last, 0);
		fault_set(r->fault, ECONNRESET, "the server closed: %s", text);
		return strncmp(last->str, "DENIED", 6) == 0 ? WIRE_DENIED : WIRE_SERVER;
	}
	fault_set(r->fault, ECONNRESET, "the server closed the connection");
	return WIRE_CLOSED;
}

/* What has come: first what belongs in the room, *direct bytes, then to in. The number, 0 or -errno. */
static ssize_t receive(const struct run *r, char in[READ_BYTES], size_t *direct)
{
	size_t left = room_left(&r->room);
	struct iovec iov[2] = {{r->room.at + r->room.got, left}, {in, r->room.at ? READ_HEAD : READ_BYTES}};
	struct msghdr m = {.msg_iov = left ? iov : iov + 1, .msg_iovlen = left ? 2 : 1};
	ssize_t n = SYS3(SYS_recvmsg, r->w->fd, &m, MSG_DONTWAIT);

	*direct = n < 0 ? 0 : (size_t)n < left ? (size_t)n : left;
	return n;
}

enum wire_status exchange_run(struct wire *w, const struct handshake *h, int64_t deadline, struct fault *fault)
{
	struct run run = {.w = w, .h = h, .fault = fault}, *r = &run;
	size_t all = h->len + w->out_len, done = 0;
	unsigned total = h->commands + w->expected;
	char in[READ_BYTES];
	size_t direct;
	ssize_t n;

	expect_next(r);
	while (r->next < total) {
		enum wire_status s;

		if (done < all) {
			n = send_some(w->fd, r->h, w, done);
			if (n > 0) {
				done += (size_t)n;
				w->sent += (size_t)n;
			} else if (n != -EAGAIN && n != -EINTR && n != -EPIPE && n != -ECONNRESET) {
				fault_sys(r->fault, (int)-n, "send", NULL);
				return WIRE_CLOSED;
			}
			/* A server that closed may have said why: read on. */
			if (n == -EPIPE || n == -ECONNRESET)
				all = done;
		}
		s = dial_wait(w->fd, (short)(done < all ? POLLIN | POLLOUT : POLLIN), deadline);
		if (s != WIRE_OK)
			return r->bad != WIRE_OK ? r->bad : s;
		n = receive(r, in, &direct);
		if (n == -EAGAIN || n == -EINTR)
			continue;
		if (n <= 0)
			return closed(r);
		w->received += (size_t)n;
		s = direct ? take_bytes(r, r->room.at + r->room.got, direct) : WIRE_OK;
		if (s == WIRE_OK)
			s = take_bytes(r, in, (size_t)n - direct);
		if (s != WIRE_OK)
			return s;
	}
	/* Replies to less than all that was asked are none. */
	if (done < r->h->len + w->out_len)
		return WIRE_GARBAGE;
	return r->bad;
}
