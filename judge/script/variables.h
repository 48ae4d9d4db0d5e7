/* judge/script/variables.h - the environment of a start as one input, for scripts whose texts do
 * not show which variables they use.
 *
 * The input's spec says which variables count: "" all but those of tools/script/varying.c, with the
 * umask; "*" all that the tool's row does not ignore, for a macro that runs in the tool; a pattern
 * such as "SLURM_*" those with such names; "-" none. The last one says that a script looked at the
 * names in its arguments. No value is stored, only a digest over all, and for people two bytes of
 * the digest of each. THREAD. */
#pragma once

#include "judge/input/collect.h"
#include "judge/start.h"
#include "store/entry/result.h"
#include "trace/tree.h"

#define VARIABLES_MOST ""
#define VARIABLES_ALL "*"
#define VARIABLES_NONE "-"

struct variables {
	struct digest digest;
	const char *const *name; /* NAME=xxxx, sorted */
	size_t count;
};
/* 0, or -1 without memory. */
int judge_variables(struct start *s, const char *spec, struct variables *out);
/* 1: the input holds; 0: the start's detail names a variable that differs. */
int judge_variables_hold(struct start *s, const struct input *in);
/* Adds the variables of a spec as one input. */
void collect_variables(struct collect *k, const char *spec);
