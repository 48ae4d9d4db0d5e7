/* remote/wire/pipeline.h - sends the queued commands over an open connection and reads all replies.
 *
 * The part of wire_run() that sends and receives. Bytes are read as far as resp
 * (remote/wire/reply.h) allows. Large strings go to buffers of the caller (remote/wire/reply.h),
 * everything else through hiredis's reader. THREAD. */
#ifndef REMOTE_WIRE_PIPELINE_H
#define REMOTE_WIRE_PIPELINE_H

#include "remote/wire/handshake.h"
#include "remote/wire/wire.h"

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

#endif
