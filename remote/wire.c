/* remote/wire.c - connection, handshake, pipelines. */
#include "remote/wire.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "remote/dial.h"
#include "remote/resp.h"
#include "remote/room.h"
#include "remote/tunnel.h"
#include "shim/sys.h"

/* hiredis counts in int. */
#define OUT_MAX (1u << 30)
#define READ_BYTES 65536
/* Where a large reply has room of its own: little more than what stands before it. */
#define READ_HEAD 512
/* A string has no elements; this one's bytes are not the reply's to free. */
#define ELSEWHERE 1
/* AUTH and SELECT. */
#define HANDSHAKE_MAX 2
#define HANDSHAKE_LIMIT 256
/* How much of an error a fault quotes. */
#define QUOTE_MAX 120

/* What a new connection says first. It holds the password. */
struct handshake {
	char *bytes;
	size_t len;
	unsigned commands;
	int auth; /* the first one is AUTH */
};

static const struct {
	const char *word;
	enum wire_error error;
} errors[] = {
	{"NOAUTH", WIRE_ERR_NOAUTH}, {"NOPERM", WIRE_ERR_NOPERM}, {"WRONGTYPE", WIRE_ERR_WRONGTYPE},
	{"OOM", WIRE_ERR_OOM}, {"LOADING", WIRE_ERR_LOADING}, {"READONLY", WIRE_ERR_READONLY},
	{"MISCONF", WIRE_ERR_MISCONF}, {"BUSY", WIRE_ERR_BUSY}, {"MASTERDOWN", WIRE_ERR_MASTERDOWN},
	{"CLUSTERDOWN", WIRE_ERR_CLUSTERDOWN}, {"TRYAGAIN", WIRE_ERR_TRYAGAIN},
	{"MOVED", WIRE_ERR_MOVED}, {"ASK", WIRE_ERR_ASK},
};

enum wire_error wire_error(const redisReply *r)
{
	if (!r || r->type != REDIS_REPLY_ERROR)
		return WIRE_NO_ERROR;
	size_t n = strcspn(r->str, " ");
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (strlen(errors[i].word) == n && !memcmp(errors[i].word, r->str, n))
			return errors[i].error;
	return WIRE_ERR_OTHER;
}

/* n more bytes into a malloc'ed string. */
static int append(char **to, size_t *len, size_t *cap, const char *p, size_t n)
{
	size_t wanted = *cap ? *cap : 1024;
	char *grown;

	if (n > OUT_MAX - *len)
		return -1;
	while (wanted < *len + n)
		wanted *= 2;
	if (wanted != *cap) {
		grown = realloc(*to, wanted);
		if (!grown)
			return -1;
		*to = grown;
		*cap = wanted;
	}
	memcpy(*to + *len, p, n);
	*len += n;
	return 0;
}

int wire_queue(struct wire *w, int argc, const char **argv, const size_t *len, size_t limit)
{
	char *command = NULL;
	int n, rc;

	if (w->expected == WIRE_PIPELINE_MAX || limit > OUT_MAX)
		return -1;
	n = redisFormatCommandArgv(&command, argc, argv, len);
	if (n < 0)
		return -1;
	rc = append(&w->out, &w->out_len, &w->out_cap, command, (size_t)n);
	redisFreeCommand(command);
	if (rc < 0)
		return -1;
	w->room[w->expected] = NULL;
	w->limit[w->expected++] = limit;
	return 0;
}

void wire_queue_room(struct wire *w, void *room)
{
	w->room[w->expected - 1] = room;
}

void wire_reply_free(redisReply *r)
{
	if (r && r->type == REDIS_REPLY_STRING && r->elements == ELSEWHERE)
		free(r);
	else if (r)
		freeReplyObject(r);
}

static void handshake_free(struct handshake *h)
{
	if (h->bytes) {
		explicit_bzero(h->bytes, h->len);
		free(h->bytes);
	}
	memset(h, 0, sizeof *h);
}

static int handshake_add(struct handshake *h, int argc, const char **argv)
{
	char *command = NULL, *joined;
	int n = redisFormatCommandArgv(&command, argc, argv, NULL);

	if (n < 0)
		return -1;
	joined = malloc(h->len + (size_t)n);
	if (joined) {
		if (h->len)
			memcpy(joined, h->bytes, h->len);
		memcpy(joined + h->len, command, (size_t)n);
	}
	explicit_bzero(command, (size_t)n);
	redisFreeCommand(command);
	if (!joined)
		return -1;
	n += (int)h->len;
	unsigned commands = h->commands + 1;
	int auth = h->auth;
	handshake_free(h);
	*h = (struct handshake){joined, (size_t)n, commands, auth};
	return 0;
}

static int handshake_make(struct handshake *h, const struct remote_config *c)
{
	const char *argv[3] = {"AUTH"};
	char db[16];
	int argc = 1, rc = 0;

	memset(h, 0, sizeof *h);
	if (c->user)
		argv[argc++] = c->user;
	if (c->user || c->password)
		argv[argc++] = c->password ? c->password : "";
	if (argc > 1) {
		h->auth = 1;
		rc = handshake_add(h, argc, argv);
	}
	if (rc == 0 && c->db) {
		unsigned v = c->db, n = sizeof db;

		db[--n] = '\0';
		for (; v; v /= 10)
			db[--n] = (char)('0' + v % 10);
		argv[0] = "SELECT";
		argv[1] = db + n;
		rc = handshake_add(h, 2, argv);
	}
	if (rc < 0)
		handshake_free(h);
	return rc;
}

/* The words of an error for a fault: one line, without what a server quotes of our commands when it does not know
 * AUTH. */
static void quote(char out[QUOTE_MAX], const redisReply *r, int secret)
{
	size_t n = secret ? strcspn(r->str, " ") : strlen(r->str);

	n = n < QUOTE_MAX - 1 ? n : QUOTE_MAX - 1;
	for (size_t i = 0; i < n; i++)
		out[i] = (unsigned char)r->str[i] < ' ' ? '?' : r->str[i];
	out[n] = '\0';
}

/* A reply of the handshake. */
static enum wire_status judge_handshake(const redisReply *r, int is_auth, struct fault *fault)
{
	char text[QUOTE_MAX];

	if (r->type != REDIS_REPLY_ERROR)
		return WIRE_OK;
	quote(text, r, 1);
	fault_set(fault, EACCES, "%s was refused: %s", is_auth ? "AUTH" : "SELECT", text);
	switch (wire_error(r)) {
	case WIRE_ERR_LOADING: case WIRE_ERR_OOM: case WIRE_ERR_MISCONF: case WIRE_ERR_BUSY:
	case WIRE_ERR_MASTERDOWN: case WIRE_ERR_CLUSTERDOWN:
		return WIRE_SERVER;
	default:
		if (strstr(r->str, "max number of clients")) {
			fault_set(fault, EAGAIN, "the server has no room for another client");
			return WIRE_SERVER;
		}
		return is_auth || wire_error(r) == WIRE_ERR_NOAUTH ? WIRE_DENIED : WIRE_SERVER;
	}
}

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
	got->elements = ELSEWHERE;
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
			r->bad = judge_handshake(got, r->next == 0 && r->h->auth, r->fault);
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
	char text[QUOTE_MAX];

	if (r->bad != WIRE_OK)
		return r->bad;
	if (last && last->type == REDIS_REPLY_ERROR) {
		quote(text, last, 0);
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

static enum wire_status exchange(struct run *r, int64_t deadline)
{
	struct wire *w = r->w;
	size_t all = r->h->len + w->out_len, done = 0;
	unsigned total = r->h->commands + w->expected;
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

/* True when the server has closed an idle connection, or said something unasked. */
static int is_stale(int fd)
{
	char c;
	ssize_t n = SYS6(SYS_recvfrom, fd, &c, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL);

	return n != -EAGAIN && n != -EINTR;
}

static enum wire_status connect_to(struct wire *w, const struct remote_config *c, const char *host,
                                   unsigned port, int64_t deadline, struct fault *fault)
{
	enum wire_status s;

	w->tunnel = 0;
	if (!host && c->scheme == REMOTE_UNIX) {
		s = dial_unix(&w->fd, c->socket, deadline, fault);
	} else if (c->scheme == REMOTE_NONE) {
		fault_set(fault, EINVAL, "no remote is configured");
		s = WIRE_REFUSED;
	} else {
		port = host ? port : c->port;
		host = host ? host : c->host;
		if (c->scheme == REMOTE_TLS)
			s = tunnel_open(&w->fd, &w->tunnel, c, host, port, deadline, fault);
		else
			s = dial_tcp(&w->fd, host, port, c->runtime_dir, deadline,
			             &w->failed_addresses, fault);
	}
	if (s == WIRE_OK && !(w->reader = redisReaderCreate())) {
		fault_set(fault, ENOMEM, "no memory for replies");
		s = WIRE_FAULT;
	}
	w->owner = sys_getpid();
	return s;
}

static void drop_replies(struct wire *w)
{
	for (unsigned i = 0; i < w->replies; i++)
		wire_reply_free(w->reply[i]);
	memset(w->reply, 0, sizeof w->reply);
	w->replies = 0;
}

static void hang_up(struct wire *w)
{
	if (w->fd >= 0)
		sys_close(w->fd);
	w->fd = -1;
	if (w->reader)
		redisReaderFree(w->reader);
	w->reader = NULL;
	if (w->tunnel > 0)
		tunnel_end(w->tunnel);
	w->tunnel = 0;
}

static enum wire_status run(struct wire *w, const struct remote_config *c, const char *host,
                            unsigned port, int64_t deadline, struct fault *fault)
{
	struct handshake h = {0};
	struct run r = {.w = w, .h = &h, .fault = fault};
	enum wire_status s = WIRE_OK;

	if (w->fd >= 0 && is_stale(w->fd))
		hang_up(w);
	if (w->fd < 0) {
		if (handshake_make(&h, c) < 0) {
			fault_set(fault, ENOMEM, "no memory for a command");
			return WIRE_FAULT;
		}
		int64_t by = w->connect_by && w->connect_by < deadline ? w->connect_by : deadline;
		s = connect_to(w, c, host, port, by, fault);
	}
	if (s == WIRE_OK) {
		fault->text[0] = '\0';
		w->round_trips++;
		s = exchange(&r, deadline);
		if (s != WIRE_OK && !fault->text[0])
			fault_set(fault, s == WIRE_TIMEOUT ? ETIMEDOUT : EPROTO, "%s", wire_status_text(s));
	}
	handshake_free(&h);
	return s;
}

enum wire_status wire_run_at(struct wire *w, const struct remote_config *c, const char *host,
                             unsigned port, int64_t deadline, struct fault *fault)
{
	enum wire_status s;

	drop_replies(w);
	if (w->fd >= 0 && w->owner != sys_getpid()) {
		fault_set(fault, EBADF, "the connection is another process's");
		w->out_len = w->expected = 0;
		return WIRE_CLOSED;
	}
	if (!w->expected)
		return WIRE_OK;
	s = run(w, c, host, port, deadline, fault);
	if (s != WIRE_OK) {
		drop_replies(w);
		hang_up(w);
	}
	w->out_len = w->expected = 0;
	return s;
}

enum wire_status wire_run(struct wire *w, const struct remote_config *c, int64_t deadline,
                          struct fault *fault)
{
	return wire_run_at(w, c, NULL, 0, deadline, fault);
}

void wire_clear(struct wire *w)
{
	drop_replies(w);
	w->out_len = w->expected = 0;
}

static void free_buffers(struct wire *w)
{
	wire_clear(w);
	free(w->out);
	w->out = NULL;
	w->out_cap = 0;
}

void wire_close(struct wire *w)
{
	if (w->fd >= 0 && w->owner != sys_getpid()) {
		wire_forget(w);
		return;
	}
	hang_up(w);
	free_buffers(w);
}

void wire_forget(struct wire *w)
{
	/* Closing our copy of the descriptor is not seen by the server; the child of the parent is not ours. */
	w->tunnel = 0;
	hang_up(w);
	free_buffers(w);
}
