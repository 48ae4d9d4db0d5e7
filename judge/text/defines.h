/* judge/text/defines.h - definitions of macros that no text names (tools/asks/definitions.h).
 *
 * A command that judge/text/comment_free.h allows is keyed without its plain -D and -U options.
 * Each of its candidates then holds them as an INPUT_DEFINES. After a run that printed nothing,
 * this input also holds for other definitions: the texts are searched, and none can name a macro
 * that differs. THREAD. */
#ifndef JUDGE_TEXT_DEFINES_H
#define JUDGE_TEXT_DEFINES_H

#include "judge/start.h"
#include "tools/asks/definitions.h"
#include "trace/tree.h"

/* The definitions that a key leaves out, in the command's order. */
struct defined {
	struct define v[DEFINES_MAX];
	const char *text[DEFINES_MAX]; /* as candidates hold them: "FOO=1", or "FOO" for -UFOO */
	size_t count;
	struct digest digest;          /* of all texts */
};

/* After comment_free_command(): finds the definitions that the key leaves out. */
void defines_command(struct start *s);
/* 1: the key leaves argument i out. */
int defines_argument(const struct defined *defined, int i);
/* Starts with other definitions have another flight (judge/wait/flight.h). */
void defines_flight(struct start *s);
/* After a run: adds the input. */
enum reason defines_record(struct start *s, struct tree *t, struct candidate *c,
                           const struct result *r);

/* 1: the candidate was recorded with these definitions, or its key leaves none out. */
int defines_same(const struct defined *defined, const struct candidate *c);
/* REASON_NONE: the candidate, all other inputs of which hold, also holds under these
 * definitions. */
enum reason defines_hold(struct start *s, const struct candidate *c);

#endif
