/* remote/wire/wire.c - connection and queue of commands; remote/wire/pipeline.c sends and receives.
 * */
#include "remote/wire/wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "remote/tls/session.h"
#include "remote/wire/dial.h"
#include "remote/wire/handshake.h"
#include "remote/wire/reply.h"
#include "shim/kernel/sys.h"

/* hiredis 0.14 counts in int. */
#define OUT_MAX (1u << 30)

/* Commands that change nothing on any server. All others count as writing. */
static const struct {
	char word[8], second[8]; /* second "": any argument */
} looks[] = {
	{"GET", ""}, {"LRANGE", ""}, {"LLEN", ""}, {"PTTL", ""}, {"PING", ""}, {"ASKING", ""},
	{"CLUSTER", "SLOTS"},
};

/* Appends n bytes to a malloc'ed string, which the wire uses again for each pipeline. A struct buf
 * (shim/buf.h) would need an arena as old as the wire, where each growth leaves the smaller string
 * behind. */
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

static int is_word(const char *p, size_t n, const char *word)
{
	return strlen(word) == n && strncasecmp(p, word, n) == 0;
}

static int is_look(int argc, const char **argv, const size_t *len)
{
	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
		if (is_word(argv[0], len[0], looks[i].word))
			return !*looks[i].second ||
			       (argc > 1 && is_word(argv[1], len[1], looks[i].second));
	return 0;
}

int wire_queue(struct wire *w, int argc, const char **argv, const size_t *len, size_t limit)
{
	char *command = NULL;
	long long n; /* hiredis 0.14 returns an int, 1.1 and later a long long */
	int rc;

	if (w->expected == WIRE_PIPELINE_MAX || limit > OUT_MAX)
		return -1;
	n = redisFormatCommandArgv(&command, argc, argv, len);
	if (n < 0)
		return -1;
	rc = append(&w->out, &w->out_len, &w->out_cap, command, (size_t)n);
	redisFreeCommand(command);
	if (rc < 0)
		return -1;
	w->writes |= !is_look(argc, argv, len);
	w->room[w->expected] = NULL;
	w->elements[w->expected] = RESP_ELEMENTS;
	w->limit[w->expected++] = limit;
	return 0;
}

void wire_queue_elements(struct wire *w, size_t elements)
{
	w->elements[w->expected - 1] = elements;
}

void wire_queue_room(struct wire *w, void *room)
{
	w->room[w->expected - 1] = room;
}

void wire_reply_free(redisReply *r)
{
	if (r && r->type == REDIS_REPLY_STRING && r->elements == EXCHANGE_ELSEWHERE)
		free(r);
	else if (r)
		freeReplyObject(r);
}

/* True if the server has closed an idle connection, or sent something unasked. */
static int is_stale(const struct wire *w)
{
	char c;
	ssize_t n = w->tls ? session_receive(w->tls, &c, 1)
	                   : SYS6(SYS_recvfrom, w->fd, &c, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL);

	return n != -EAGAIN && n != -EINTR;
}

/* If TLS cannot work, no connection is made. */
static enum wire_status connect_tls(struct wire *w, const struct redis_config *c, const char *host,
                                    unsigned port, int64_t deadline, struct fault *fault)
{
	enum wire_status s = WIRE_REFUSED;

	if (!session_begin) {
		fault_set(fault, ENOTSUP, "this program is built without TLS");
		return s;
	}
	s = session_begin(&w->tls, c, fault);
	if (s == WIRE_OK)
		s = dial_tcp(&w->fd, host, port, deadline, &w->failed_addresses, fault);
	if (s == WIRE_OK)
		s = session_connect(w->tls, w->fd, c, host, deadline, fault);
	return s;
}

static enum wire_status connect_to(struct wire *w, const struct redis_config *c, const char *host,
                                   unsigned port, int64_t deadline, struct fault *fault)
{
	enum wire_status s;

	if (!host && c->scheme == REMOTE_UNIX) {
		s = dial_unix(&w->fd, c->socket, deadline, fault);
	} else if (c->scheme == REMOTE_NONE) {
		fault_set(fault, EINVAL, "no remote store is configured");
		s = WIRE_REFUSED;
	} else {
		port = host ? port : c->port;
		host = host ? host : c->host;
		s = c->scheme == REMOTE_TLS
		    ? connect_tls(w, c, host, port, deadline, fault)
		    : dial_tcp(&w->fd, host, port, deadline, &w->failed_addresses, fault);
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

static void drop_queue(struct wire *w)
{
	w->out_len = w->expected = 0;
	w->writes = 0;
}

static void hang_up(struct wire *w)
{
	/* The server must not hear of the end from a child of the process that it speaks to. */
	if (w->tls)
		session_end(w->tls, w->fd < 0 || w->owner != sys_getpid());
	w->tls = NULL;
	if (w->fd >= 0)
		sys_close(w->fd);
	w->fd = -1;
	if (w->reader)
		redisReaderFree(w->reader);
	w->reader = NULL;
}

static enum wire_status run(struct wire *w, const struct redis_config *c, const char *host,
                            unsigned port, int64_t deadline, struct fault *fault)
{
	struct handshake h = {0};
	enum wire_status s = WIRE_OK;

	if (w->fd >= 0 && is_stale(w))
		hang_up(w);
	if (w->fd < 0) {
		if (handshake_make(&h, c) < 0) {
			fault_set(fault, ENOMEM, "no memory for a command");
			return WIRE_FAULT;
		}
		int64_t by = w->connect_by && w->connect_by < deadline ? w->connect_by : deadline;
		s = connect_to(w, c, host, port, exchange_wait_end(by, c->stall_ns), fault);
	}
	if (s == WIRE_OK) {
		fault->text[0] = '\0';
		s = exchange_run(w, &h, deadline, c->stall_ns, fault);
		if (s != WIRE_OK && !fault->text[0])
			fault_set(fault, s == WIRE_TIMEOUT ? ETIMEDOUT : EPROTO, "%s",
			          wire_status_text(s));
	}
	handshake_free(&h);
	return s;
}

enum wire_status wire_run_at(struct wire *w, const struct redis_config *c, const char *host,
                             unsigned port, int64_t deadline, struct fault *fault)
{
	enum wire_status s;

	drop_replies(w);
	if (w->fd >= 0 && w->owner != sys_getpid()) {
		fault_set(fault, EBADF, "the connection belongs to another process");
		drop_queue(w);
		return WIRE_CLOSED;
	}
	if (!w->expected)
		return WIRE_OK;
	s = run(w, c, host, port, deadline, fault);
	if (s != WIRE_OK) {
		drop_replies(w);
		hang_up(w);
	}
	drop_queue(w);
	return s;
}

enum wire_status wire_run(struct wire *w, const struct redis_config *c, int64_t deadline,
                          struct fault *fault)
{
	return wire_run_at(w, c, NULL, 0, deadline, fault);
}

void wire_clear(struct wire *w)
{
	drop_replies(w);
	drop_queue(w);
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
	hang_up(w);
	free_buffers(w);
}
