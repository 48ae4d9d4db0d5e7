/* remote/wire/wire.h - one connection to a Redis server, commands in pipelines, one deadline.
 *
 * The sockets are non-blocking and use poll(2); hiredis formats commands (redisFormatCommandArgv)
 * and parses replies (redisReader). A wire belongs to the process that opened it: after a fork
 * every call in the child returns WIRE_CLOSED without touching the descriptor (wire_close closes it
 * there). Descriptors are close-on-exec and never 0-2. Sends use MSG_NOSIGNAL.
 *
 * A deadline is absolute (CLOCK_MONOTONIC, ns) and covers every step: address look-up
 * (remote/wire/resolve.h), connect to each address in turn, TLS (remote/tls/session.h), AUTH,
 * SELECT, the commands. Calls return by then.
 *
 *     struct wire w = WIRE_INIT;
 *     wire_queue(&w, 3, argv, len);                // any number, nothing is sent yet
 *     if (wire_run(&w, &cfg, deadline, &fault) == WIRE_OK)
 *             ... w.reply[i], in order ...
 *     wire_clear(&w);                               // replies are freed, the connection stays
 *     wire_close(&w);
 *
 * No command that may write reaches a server that refused AUTH or SELECT: the server would execute
 * it as another user, or in another database. So on a new connection that needs AUTH or SELECT, a
 * pipeline with a writing command waits one round trip for their replies. Read-only commands are
 * sent along, and their replies are discarded if AUTH or SELECT was refused.
 *
 * Bounds: a reply's bulk length, array length and nesting are checked while it is read, before
 * memory is allocated: the caller of wire_queue gives the limit. A reply out of bounds, or not in
 * the protocol, is WIRE_GARBAGE and the connection is closed. */
#pragma once

#include <hiredis/hiredis.h>
#include <sys/types.h>

#include "remote/redis/redis_config.h"
#include "remote/wire/handshake.h"
#include "remote/wire/status.h"

#define WIRE_PIPELINE_MAX 72
struct session;
struct wire {
	int fd; /* -1: not connected */
	pid_t owner;
	struct session *tls; /* NULL: plain bytes */
	redisReader *reader;
	char *out;          /* formatted, unsent */
	size_t out_len, out_cap;
	unsigned expected;  /* commands in out */
	int writes;         /* at least one command is not read-only */
	size_t limit[WIRE_PIPELINE_MAX], elements[WIRE_PIPELINE_MAX];
	void *room[WIRE_PIPELINE_MAX];
	redisReply *reply[WIRE_PIPELINE_MAX];
	unsigned replies;
	uint64_t sent, received; /* bytes since WIRE_INIT, for counters */
	unsigned round_trips;
	unsigned failed_addresses;
	int64_t connect_by; /* deadline of connecting, if it is before the deadline; 0: none */
};
#define WIRE_INIT {.fd = -1}

/* THREAD. limit: bytes that the strings of this command's reply may have together; its arrays may
 * have RESP_ELEMENTS (remote/wire/reply.h). Errors and integers are always accepted. 0 or -1
 * (memory, or the pipeline is full). */
int wire_queue(struct wire *w, int argc, const char **argv, const size_t *len, size_t limit);
/* Sets the number of elements for the reply to the last queued command. */
void wire_queue_elements(struct wire *w, size_t elements);
/* Sets a buffer of limit bytes for the reply to the last queued command, used if that is one
 * string. The reply's str then points there, without a NUL, and outlives the reply. */
void wire_queue_room(struct wire *w, void *room);
/* Connects if needed (as hidden_child_fork: only where no other thread runs), sends what is queued
 * and reads all replies; those of the previous run are freed. An error reply (-ERR ...) is a reply:
 * WIRE_OK; but -NOAUTH is WIRE_DENIED. A connection that the server closed while it was idle is
 * made again before anything is sent. On any other status than WIRE_OK the connection is closed,
 * the pipeline is empty, no reply is left, and *fault says why, without secrets. */
enum wire_status wire_run(struct wire *w, const struct redis_config *c, int64_t deadline,
                          struct fault *fault);
/* Like wire_run for another node of a cluster. If there is no connection yet, host and port replace
 * the configured ones (and a configured socket). host NULL: the configured server. */
enum wire_status wire_run_at(struct wire *w, const struct redis_config *c, const char *host,
                             unsigned port, int64_t deadline, struct fault *fault);
/* Frees a reply that was taken out of w->reply. */
void wire_reply_free(redisReply *r);
/* Frees the replies and empties the queue. */
void wire_clear(struct wire *w);
void wire_close(struct wire *w);

/* --- pipeline.c: sends the queued commands over an open connection and reads all replies.
 *
 * The part of wire_run() that sends and receives. Bytes are read as far as resp
 * (remote/wire/reply.h) allows. Large strings go to buffers of the caller (remote/wire/reply.h),
 * everything else through hiredis's reader. THREAD. */

/* Value of `elements` in a string reply whose bytes the reply does not own: strings do not use that
 * field. */
#define EXCHANGE_ELSEWHERE 1

/* End of a wait that begins now: the deadline, or after stall_ns if that is not 0. */
int64_t exchange_wait_end(int64_t deadline, int64_t stall_ns);
/* As wire_run, but *fault may stay without text, and w keeps its connection and the bytes that were
 * read. h: what a new connection must send first; zeros if that was sent. stall_ns: of struct
 * redis_config. */
enum wire_status exchange_run(struct wire *w, const struct handshake *h, int64_t deadline,
                              int64_t stall_ns, struct fault *fault);
