/* judge/preprocessor.h - what the preprocessor showed of a start (judge/text/expanded.c). */
#ifndef JUDGE_PREPROCESSOR_H
#define JUDGE_PREPROCESSOR_H

#include <stdint.h>

#include "shim/buf.h"

struct start;
struct preprocessor {
	/* Preprocesses the sources once more. 0 and the text, or -1: not this command, or it
	 * failed. NULL: there is no process that could. */
	int (*expand)(struct start *s, struct buf *out);
	/* 1: no text asks for these names (bits); -1: that could not be shown; 0: not asked */
	int shown;
	uint64_t names;
};

#endif
