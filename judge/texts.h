/* judge/texts.h - what a run read, as texts: could one of them ask for a name, or spell one? THREAD. */
#ifndef JUDGE_TEXTS_H
#define JUDGE_TEXTS_H

#include "judge/start.h"
#include "tools/asks.h"

struct texts {
	struct arena arena;  /* of the texts, until texts_free() */
	struct asks asks;
	uint64_t spelled;    /* bit i: some text spells name i of the action */
	size_t longest;      /* bytes of the longest name of a text of the unit's own */
	int script;          /* one is a linker's script with patterns, or an archive of paths */
};
/* Reads the sources and every file among c's inputs. own[i] is true of names that lead to texts of the unit's own.
 * 0, or -1: one could not be read. */
int texts_read(struct texts *t, struct start *a, const struct candidate *c, uint64_t own);
void texts_free(struct texts *t);
/* Bit i: the spec holds name i of the action. */
uint64_t texts_names_in(const struct start *a, const char *spec, size_t len);

#endif
