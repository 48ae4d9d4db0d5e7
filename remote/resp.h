/* remote/resp.h - how far a reply goes, and whether it may be that large: a scanner before hiredis's reader.
 *
 * The reader of hiredis 0.14 believes every length it is told. This one reads only the frame of RESP2 (types,
 * lengths, ends of lines) as the bytes come, and refuses what is out of bounds before anybody asks for
 * memory. What it lets through may still be refused by the reader (an integer that is too large).
 *
 * Pure. Needs no libc but memchr. */
#ifndef REMOTE_RESP_H
#define REMOTE_RESP_H

#include <stddef.h>
#include <sys/types.h>

/* CLUSTER SLOTS has 4, with metadata of nodes 5; the reader's own stack ends at 7. */
#define RESP_DEPTH 6
/* Of a status or an error: Redis cuts its own at about a hundred bytes. */
#define RESP_LINE 4096
/* Elements that a reply may have unless more are expected. */
#define RESP_ELEMENTS 64

struct resp {
	size_t bytes;    /* of strings that may still come */
	size_t elements; /* that may still come */
	unsigned depth;
	size_t waits[RESP_DEPTH]; /* elements that each open array still waits for */
	enum { RESP_TYPE, RESP_NUMBER, RESP_TEXT, RESP_LINE_END, RESP_BODY, RESP_BODY_CR,
	       RESP_BODY_LF } state;
	char type;
	int negative;
	unsigned digits;         /* in a number, bytes of a text so far */
	unsigned long long number;
	size_t left;             /* of a body */
};

/* limit: bytes that the strings of the reply may have together. elements: of all its arrays; each takes the reader a
 * hundred bytes of memory, and a server four on the wire. */
void resp_begin(struct resp *r, size_t limit, size_t elements);
/* Bytes of p that belong to this reply, and *done = 1 when it is whole; -1: refused. */
ssize_t resp_scan(struct resp *r, const char *p, size_t n, int *done);

#endif
