/* remote/exchange.h - one run over a connection that is open: what is queued goes out, all replies come in.
 *
 * The part of wire_run() that speaks. Bytes are read as far as resp (remote/resp.h) allows, large strings go where
 * the caller has room (remote/reply_buffer.h), everything else through hiredis's reader. THREAD. */
#ifndef REMOTE_EXCHANGE_H
#define REMOTE_EXCHANGE_H

#include "remote/handshake.h"
#include "remote/wire.h"

/* elements of a string whose bytes are not the reply's to free: a string has none of its own. */
#define EXCHANGE_ELSEWHERE 1

/* When a wait ends that begins now: at the deadline, or after stall_ns if that is not 0. */
int64_t exchange_wait_end(int64_t deadline, int64_t stall_ns);
/* As wire_run says, but *fault may be left without text, and w keeps its connection and what was read. h: what the
 * connection has still to say first; zeros where it was said. stall_ns: of struct remote_config. */
enum wire_status exchange_run(struct wire *w, const struct handshake *h, int64_t deadline,
                              int64_t stall_ns, struct fault *fault);

#endif
