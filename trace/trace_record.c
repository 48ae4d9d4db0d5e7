/* trace/trace_record.c - decodes records of a trace (table in shim/trace.h). */
#include "trace/trace_record.h"

#include <string.h>

#include "shim/trace.h"

#include "shim/banned.h"

/* The trace holds the bytes that its writers left. A writer may have been killed, or may be
 * hostile, though only to itself. A torn record must not crash the supervisor. */
int tree_event_next(struct event *e, const void *trace, uint64_t *at, uint64_t end)
{
	const unsigned char *bytes = trace;
	uint32_t head[6];
	uint16_t op[2];

	if (end - *at < TRACE_RECORD_HEAD)
		return -1;
	memcpy(head, bytes + *at, sizeof head);
	memcpy(op, bytes + *at + 4, sizeof op);
	if (head[0] < TRACE_RECORD_HEAD || head[0] % 8 || head[0] > end - *at)
		return -1;
	if ((uint64_t)head[4] + head[5] + 2 > head[0] - TRACE_RECORD_HEAD || op[0] == 0 ||
	    op[0] >= TRACE_OP_COUNT)
		return -1;
	e->op = op[0];
	e->flags = op[1];
	e->pid = head[2];
	e->arg = head[3];
	e->a_len = head[4];
	e->b_len = head[5];
	e->a = (const char *)bytes + *at + TRACE_RECORD_HEAD;
	e->b = e->a + e->a_len + 1;
	*at += head[0];
	return e->a[e->a_len] == '\0' && e->b[e->b_len] == '\0' ? 0 : -1;
}
