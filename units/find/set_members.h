/* units/find/set_members.h - the members of a set in the local store. Part of
 * units/find/unit_lookup.h. THREAD; not in a vfork child. */
#pragma once

#include <string.h>

#include "units/find/peers.h"
#include "units/find/unit_lookup.h"
#include "units/format/member.h"

/* A name of so many letters is a digest; torch 2.6 and 2.7 call a member of AOTAutograd "entry". */
#define SET_CONTENT_NAME 51
static inline int set_names_content(const struct member *m)
{
	return strlen(m->name) >= SET_CONTENT_NAME;
}

/* Reads them. Their number, at most STORE_SLOTS. */
unsigned set_members(struct unit_lookup *l, const struct digest *set,
                     struct member out[STORE_SLOTS]);
/* 1: the set may be placed under the framework's own names. The framework takes the first member
 * that fits. So the answer is 1 in two cases: no rank that may share the directory has a set of
 * this name, or each rank has a directory of its own (units/find/peers.h). 0 with l->why. */
int set_may_lay(struct unit_lookup *l, const struct peers *who);
