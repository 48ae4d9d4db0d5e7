/* remote/reply_buffer.h - receives a reply that is one string straight into the caller's buffer.
 * hiredis's buffers would hold a large string three times before the caller sees it.
 *
 *     reply_buffer_begin(&m, at);          // at: as many bytes as the reply may have; NULL: none
 *     k = resp_scan(&s, p, reply_buffer_step(&m, n), &done);
 *     if (reply_buffer_take(&m, &s, p, k)) // the bytes were taken
 *             ... when done: m.at holds m.len bytes ...
 *     else                                 // m.hold[0 .. m.held) and p[0 .. k) are for the reader
 *
 * Pure but for a hint to the kernel. THREAD. */
#ifndef REMOTE_REPLY_BUFFER_H
#define REMOTE_REPLY_BUFFER_H

#include "remote/resp.h"

/* "$", 19 digits, CR, LF. */
#define REPLY_BUFFER_HOLD 24
struct reply_buffer {
	char *at;       /* NULL: the reply goes to hiredis's reader */
	size_t len, got; /* of the body */
	int direct;     /* the body has begun */
	unsigned held;
	char hold[REPLY_BUFFER_HOLD];
};

void reply_buffer_begin(struct reply_buffer *m, void *at);
/* How many of n bytes to scan at once. */
static inline size_t reply_buffer_step(const struct reply_buffer *m, size_t n)
{
	return m->at && !m->direct && n ? 1 : n;
}
int reply_buffer_take(struct reply_buffer *m, const struct resp *s, const char *p, size_t k);
/* Bytes of the body that may be received straight into m->at + m->got. */
static inline size_t reply_buffer_left(const struct reply_buffer *m)
{
	return m->at && m->direct ? m->len - m->got : 0;
}

#endif
