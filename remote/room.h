/* remote/room.h - a reply that is one string goes where the caller has room for it, past hiredis's buffers: those hold a
 * large one three times before the caller sees it.
 *
 *     room_begin(&m, at);                       // at: as many bytes as the reply may have, by resp's limit; NULL: none
 *     k = resp_scan(&s, p, room_step(&m, n), &done);
 *     if (room_take(&m, &s, p, k))              // they were taken
 *             ... when done: m.at holds m.len bytes ...
 *     else                                      // m.hold[0 .. m.held) and p[0 .. k) are for the reader
 *
 * Pure but for a hint to the kernel. THREAD. */
#ifndef REMOTE_ROOM_H
#define REMOTE_ROOM_H

#include "remote/resp.h"

/* "$", 19 digits, CR, LF. */
#define ROOM_HOLD 24
struct room {
	char *at;       /* NULL: the reply goes to the reader */
	size_t len, got; /* of the body */
	int direct;     /* the body has begun */
	unsigned held;
	char hold[ROOM_HOLD];
};

void room_begin(struct room *m, void *at);
/* How many of n bytes to scan at once. */
static inline size_t room_step(const struct room *m, size_t n)
{
	return m->at && !m->direct && n ? 1 : n;
}
int room_take(struct room *m, const struct resp *s, const char *p, size_t k);
/* Of the body, what may be received straight into m->at + m->got. */
static inline size_t room_left(const struct room *m)
{
	return m->at && m->direct ? m->len - m->got : 0;
}

#endif
