/* judge/input/input_holds.h - one input of a candidate. THREAD. */
#ifndef JUDGE_INPUT_INPUT_HOLDS_H
#define JUDGE_INPUT_INPUT_HOLDS_H

#include "judge/start.h"

/* 1: the input is as it was. 0: the start's detail says what differs. An INPUT_DEFINES is left to
 * defines_hold(). */
int judge_input_holds(struct start *s, const struct input *in);

#endif
