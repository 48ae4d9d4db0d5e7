/* trace/trace_record.h - records of a trace. THREAD. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* NUL ends both strings. */
struct event {
	unsigned op, flags, pid, arg;
	const char *a, *b;
	size_t a_len, b_len;
};

/* Decodes the record at *at of a trace that ends at `end`, and moves *at behind it. The strings
 * point into the trace. -1: there is no whole record. */
int tree_event_next(struct event *e, const void *trace, uint64_t *at, uint64_t end);
