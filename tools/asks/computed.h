/* tools/asks/computed.h - directives whose effect follows from what a macro gives. THREAD. */
#ifndef TOOLS_ASKS_COMPUTED_H
#define TOOLS_ASKS_COMPUTED_H

#include "tools/asks/asks.h"

/* 1: a text may include, or look for, a file whose name a macro gives, or it gives itself another
 * name (#line). The preprocessed text does not show which name such a directive used. Conservative:
 * `#` and the words count wherever they stand, also in comments and strings. */
int asks_computes(const struct asks *x);
/* 1: the text itself looks for a file whose name a macro gives (__has_include). A macro that passes
 * its argument on does not count here, nor does one that replaces __has_include. */
int asks_looks(const char *text, size_t n);

#endif
