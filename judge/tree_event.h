/* judge/tree_event.h - one record of a trace, as judge/tree.c hands it on. */
#ifndef JUDGE_TREE_EVENT_H
#define JUDGE_TREE_EVENT_H

#include <stddef.h>

/* Its strings are ended by NUL. */
struct event {
	unsigned op, flags, pid, arg;
	const char *a, *b;
	size_t a_len, b_len;
};

#endif
