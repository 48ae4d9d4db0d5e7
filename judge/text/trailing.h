/* judge/text/trailing.h - comments at the end of a source, which a key leaves out. THREAD. */
#ifndef JUDGE_TEXT_TRAILING_H
#define JUDGE_TEXT_TRAILING_H

#include "judge/start.h"

/* Keys sources of C++ without the comments at their ends, where the command makes only an object
 * (comments_drop()). */
void trailing_command(struct start *s);

#endif
