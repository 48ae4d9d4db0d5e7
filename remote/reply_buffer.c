/* remote/reply_buffer.c - receives a string reply into the caller's buffer. */
#include "remote/reply_buffer.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "shim/sys.h"

#include "shim/banned.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older kernels refuse it, which does no harm */
#endif
#define PAGE 4096u
/* For fewer pages, page faults are cheaper. */
#define POPULATE_FROM (8 * PAGE)

/* One call replaces a fault for each page. */
static void populate(char *at, size_t n)
{
	uintptr_t from = ((uintptr_t)at + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
	to = ((uintptr_t)at + n) & ~(uintptr_t)(PAGE - 1);

	if (n >= POPULATE_FROM)
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
