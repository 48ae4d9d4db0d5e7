/* remote/wire/reply.h - scans replies before hiredis's reader: where a reply ends, and whether it
 * is within bounds.
 *
 * The reader of hiredis 0.14 believes every length in a reply. This scanner reads only the frame of
 * RESP2 (types, lengths, ends of lines) as the bytes come. It refuses lengths out of bounds before
 * memory is allocated for them. The reader may still refuse a reply that passes here (an integer
 * that is too large).
 *
 * Pure. Needs no libc but memchr. THREAD. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* CLUSTER SLOTS has 4 levels, with metadata of nodes 5; the reader's own stack ends at 7. */
#define RESP_DEPTH 6
/* Longest status or error: Redis cuts its own at about a hundred bytes. */
#define RESP_LINE 4096
/* Elements that a reply may have unless the caller expects more. */
#define RESP_ELEMENTS 64
/* Where the caller expects a value, another program's may lie under the key. A string of up to so
 * many bytes is dropped as it comes, and the connection stays. */
#define RESP_DROP_MAX (16u << 20)
#define RESP_VALUE 4096 /* a lower limit is that of a status or a number */

struct resp {
	size_t bytes;    /* that strings may still have */
	size_t elements; /* that may still come */
	unsigned depth;
	size_t waits[RESP_DEPTH]; /* elements that each open array still lacks */
	enum { RESP_TYPE, RESP_NUMBER, RESP_TEXT, RESP_LINE_END, RESP_BODY, RESP_BODY_CR,
	       RESP_BODY_LF } state;
	char type;
	int negative;
	unsigned digits;         /* of a number; or bytes of a text so far */
	unsigned long long number;
	size_t left;             /* of a body */
	int drops;               /* the reply is one string beyond the limit */
	int is_value;
};

/* limit: bytes that all strings of the reply may have together. elements: limit for all its arrays
 * together. Each element takes a hundred bytes of memory in the reader, and four bytes on the
 * wire. */
void resp_begin(struct resp *r, size_t limit, size_t elements);
/* Returns the number of bytes of p that belong to this reply, with *done = 1 at its end; -1:
 * refused. */
ssize_t resp_scan(struct resp *r, const char *p, size_t n, int *done);

/* Receives a reply that is one string straight into the caller's buffer. hiredis's buffers would
 * hold a large string three times before the caller sees it.
 *
 *     reply_buffer_begin(&m, at);          // at: as many bytes as the reply may have; NULL: none
 *     k = resp_scan(&s, p, reply_buffer_step(&m, n), &done);
 *     if (reply_buffer_take(&m, &s, p, k)) // the bytes were taken
 *             ... when done: m.at holds m.len bytes; or they were dropped (s.drops) ...
 *     else                                 // m.hold[0 .. m.held) and p[0 .. k) are for the reader
 *
 * Pure but for a hint to the kernel. THREAD. */

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
