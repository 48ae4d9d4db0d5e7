/* judge/name/name_places.h - the places of names in a recorded output. THREAD. */
#ifndef JUDGE_NAME_NAME_PLACES_H
#define JUDGE_NAME_NAME_PLACES_H

#include "judge/start.h"

/* 1: a name of this kind that reaches this (REACH_ bits) may stand at this byte. REACH_ASKED: a
 * text hands the name, as it is, to a function that is only declared. */
int name_place_known(struct start *s, const struct result_output *o, uint64_t at,
                     enum name_kind kind, unsigned reach);
/* 1: the output is assembly. */
int name_place_is_assembly(struct start *s, const struct result_output *o);
/* Drops the places in debug information, which so keeps the names of the recording run. */
void name_places_leave_debug(struct result_output *o);

#endif
