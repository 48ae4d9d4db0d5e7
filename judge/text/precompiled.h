/* judge/text/precompiled.h - the texts that made a precompiled header of gcc.
 *
 * A precompiled header hides its macros and their effects. So the recording that makes the header
 * stores the list of its texts in the local store (class TEXTS), under the header's digest. On
 * another node the first replay of the header stores the list. A unit that uses the header is
 * judged by these texts, as long as they are unchanged. THREAD. */
#ifndef JUDGE_TEXT_PRECOMPILED_H
#define JUDGE_TEXT_PRECOMPILED_H

#include "judge/start.h"

struct precompiled_text {
	const char *path; /* absolute */
	struct digest content;
};
struct precompiled {
	const char *options; /* the lines that its -D options define */
	struct precompiled_text *v;
	size_t count;
};
/* Stores the list for each output of r that is a precompiled header, unless it was stored before. r
 * is as it was recorded. */
void precompiled_record(struct start *s, const struct candidate *c, struct result *r);
/* 0, or -1: the texts of this header are not known. */
int precompiled_texts(struct precompiled *p, struct start *s, const struct digest *made,
                      struct arena *arena);

#endif
