/* judge/tree_event.h - a record of a trace, as judge/tree.c passes it on. */
#ifndef JUDGE_TREE_EVENT_H
#define JUDGE_TREE_EVENT_H

#include <stddef.h>

/* NUL ends both strings. */
struct event {
	unsigned op, flags, pid, arg;
	const char *a, *b;
	size_t a_len, b_len;
};

#endif
