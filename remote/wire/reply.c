/* remote/wire/reply.c - the frame of RESP2:
 *   +text CRLF   -text CRLF   :number CRLF   $length CRLF bytes CRLF   *count CRLF elements
 * $-1 and *-1 are nil. A number has at most 19 digits, a length is at most what the caller
 * expects. */
#include "remote/wire/reply.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

void resp_begin(struct resp *r, size_t limit, size_t elements)
{
	memset(r, 0, sizeof *r);
	r->bytes = limit;
	r->elements = elements;
	r->is_value = limit >= RESP_VALUE;
}

/* Ends an element; true if the reply is complete. */
static int finish(struct resp *r)
{
	r->state = RESP_TYPE;
	while (r->depth && --r->waits[r->depth - 1] == 0)
		r->depth--;
	return r->depth == 0;
}

/* The line of a number ends. -1: refused. */
static int number_ends(struct resp *r, int *done)
{
	int nil = r->negative && r->number == 1;

	if (!r->digits)
		return -1;
	if (r->type == ':' || ((r->type == '$' || r->type == '*') && nil)) {
		*done = finish(r);
		return 0;
	}
	if (r->negative)
		return -1;
	if (r->type == '$') {
		r->drops = r->number > r->bytes;
		if (r->drops && (r->depth || !r->is_value || r->number > RESP_DROP_MAX))
			return -1;
		r->left = (size_t)r->number;
		r->bytes -= r->drops ? r->bytes : r->left;
		r->state = r->left ? RESP_BODY : RESP_BODY_CR;
		return 0;
	}
	if (r->number > r->elements || r->depth == RESP_DEPTH)
		return -1;
	r->elements -= (size_t)r->number;
	if (r->number) {
		r->waits[r->depth++] = (size_t)r->number;
		r->state = RESP_TYPE;
	} else {
		*done = finish(r);
	}
	return 0;
}

static int type_begins(struct resp *r, char c)
{
	r->type = c;
	r->negative = 0;
	r->digits = 0;
	r->number = 0;
	switch (c) {
	case '+': case '-':
		r->state = RESP_TEXT;
		return 0;
	case ':': case '$': case '*':
		r->state = RESP_NUMBER;
		return 0;
	}
	return -1;
}

static int number_goes_on(struct resp *r, char c)
{
	if (c == '\r') {
		r->state = RESP_LINE_END;
		return 0;
	}
	if (c == '-' && !r->digits && !r->negative) {
		r->negative = 1;
		return 0;
	}
	/* 19 digits cannot overflow an unsigned long long. */
	if (c < '0' || c > '9' || ++r->digits > 19)
		return -1;
	r->number = r->number * 10 + (unsigned)(c - '0');
	return 0;
}

/* A text may contain a CR without LF. */
static int text_goes_on(struct resp *r, char c, int *done)
{
	if (++r->digits > RESP_LINE)
		return -1;
	if (c == '\n' && r->negative)
		*done = finish(r);
	r->negative = c == '\r';
	return 0;
}

ssize_t resp_scan(struct resp *r, const char *p, size_t n, int *done)
{
	size_t i = 0;
	int rc = 0;

	*done = 0;
	while (i < n && !*done && rc == 0) {
		char c = p[i];

		if (r->state == RESP_BODY) {
			size_t take = n - i < r->left ? n - i : r->left;

			i += take;
			r->left -= take;
			if (!r->left)
				r->state = RESP_BODY_CR;
			continue;
		}
		i++;
		switch (r->state) {
		case RESP_TYPE: rc = type_begins(r, c); break;
		case RESP_NUMBER: rc = number_goes_on(r, c); break;
		case RESP_TEXT: rc = text_goes_on(r, c, done); break;
		case RESP_LINE_END: rc = c == '\n' ? number_ends(r, done) : -1; break;
		case RESP_BODY: break;
		case RESP_BODY_CR:
			r->state = RESP_BODY_LF;
			rc = c == '\r' ? 0 : -1;
			break;
		case RESP_BODY_LF:
			rc = c == '\n' ? 0 : -1;
			*done = rc == 0 && finish(r);
			break;
		}
	}
	return rc ? -1 : (ssize_t)i;
}

/* Receives a string reply into the caller's buffer. */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older kernels refuse it, which does no harm */
#endif
#define PAGE 4096u
/* For fewer pages, page faults are cheaper. */
#define POPULATE_FROM (8 * PAGE)

/* One call replaces a fault for each page, unless the buffer was used before. */
static void populate(char *at, size_t n)
{
	uintptr_t from = ((uintptr_t)at + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
	to = ((uintptr_t)at + n) & ~(uintptr_t)(PAGE - 1);
	unsigned char there = 0;

	if (n >= POPULATE_FROM && (mincore((void *)(to - PAGE), PAGE, &there) < 0 || !(there & 1)))
		SYS3(SYS_madvise, from, to - from, MADV_POPULATE_WRITE);
}

void reply_buffer_begin(struct reply_buffer *m, void *at)
{
	m->at = at;
	m->len = m->got = 0;
	m->direct = 0;
	m->held = 0;
}

int reply_buffer_take(struct reply_buffer *m, const struct resp *s, const char *p, size_t k)
{
	if (s->drops) {
		m->at = NULL;
		m->held = 0;
		return 1;
	}
	if (!m->at)
		return 0;
	if (m->direct) {
		size_t n = m->len - m->got < k ? m->len - m->got : k;

		if (p != m->at + m->got)
			memcpy(m->at + m->got, p, n);
		m->got += n;
		return 1;
	}
	if (s->state == RESP_BODY && s->depth == 0) {
		m->direct = 1;
		m->len = s->left;
		m->held = 0;
		populate(m->at, m->len);
		return 1;
	}
	/* Not a string, nil, or an empty string: these go to hiredis's reader. */
	if (s->type != '$' || (s->state != RESP_NUMBER && s->state != RESP_LINE_END) ||
	    m->held == REPLY_BUFFER_HOLD) {
		m->at = NULL;
		return 0;
	}
	memcpy(m->hold + m->held, p, k);
	m->held += (unsigned)k;
	return 1;
}
