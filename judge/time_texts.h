/* judge/time_texts.h - for programs that ask for the time in every run (TOOL_TIME_BY_TEXT): may the
 * texts of a run bring the time into its result? THREAD. */
#ifndef JUDGE_TIME_TEXTS_H
#define JUDGE_TIME_TEXTS_H

#include "judge/collect.h"

/* Refuses the result if they may. */
void collect_time_texts(struct collect *k);

#endif
