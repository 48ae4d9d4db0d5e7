/* judge/precompiled.h - of which texts a precompiled header of gcc's was made.
 *
 * A precompiled header hides its macros, and what these lead to. So the recording that makes one, or
 * the first replay of it on another node, leaves the list of its texts in the local store (class
 * TEXTS), under the header's digest. Whoever judges a unit that uses the header reads those texts
 * again, as long as they are the same. THREAD. */
#ifndef JUDGE_PRECOMPILED_H
#define JUDGE_PRECOMPILED_H

#include "judge/start.h"

struct precompiled_text {
	const char *path; /* absolute */
	struct digest content;
};
struct precompiled {
	const char *options; /* the lines that its -D stand for */
	struct precompiled_text *v;
	size_t count;
};
/* For each output of r, as it was recorded, that is one, if it was not done before. */
void precompiled_record(struct start *s, const struct candidate *c, struct result *r);
/* 0, or -1: it is not known of what this one was made. */
int precompiled_texts(struct precompiled *p, struct start *s, const struct digest *made,
                      struct arena *arena);

#endif
