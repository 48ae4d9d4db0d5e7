/* judge/time_texts.h - whether the texts of a run let the time into its result, for a program that
 * asks for the time in every run (TOOL_TIME_BY_TEXT). THREAD. */
#ifndef JUDGE_TIME_TEXTS_H
#define JUDGE_TIME_TEXTS_H

#include "judge/collect.h"

/* Refuses the result if they may. */
void collect_time_texts(struct collect *k);

#endif
