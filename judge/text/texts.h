/* judge/text/texts.h - the texts that a run read: tests whether a text could ask for a name, or
 * spells a name. THREAD. */
#ifndef JUDGE_TEXT_TEXTS_H
#define JUDGE_TEXT_TEXTS_H

#include "judge/start.h"
#include "tools/asks/asks.h"

struct texts {
	struct arena arena;  /* holds the texts until texts_free() */
	struct asks asks;
	uint64_t spelled;    /* bit i: some text spells name i of the action */
	struct buf files;    /* base names of the unit's own texts, each with its NUL */
	size_t longest;      /* length of the longest path of a text of the unit's own */
	uint64_t above;      /* bit i: a directory above base i is known (judge/name/above.h) */
	uint64_t pieces;     /* bit i: a text or option has a piece of name i */
	int computes;        /* a text computes names of files */
	uint64_t parts;      /* bit i: a text may name a path below it by a part of its name */
	int renames;         /* a text may give a file an absolute name (tools/text/line_marks.h) */
	int precompiled;     /* a precompiled header was among them */
	int assembles;       /* with TEXTS_ALL: some may hold assembler text (line_marks.h) */
	int all;             /* read with TEXTS_ALL */
	int script;          /* a text is a linker script with patterns, or an archive of paths */
};
#define TEXTS_ALL (~0ull)
/* Reads the sources and every file among c's inputs. own, bit i: name i leads to texts of the
 * unit's own; TEXTS_ALL: all are the unit's own, and none may be precompiled. above: what
 * judge_above() says, or 0. 0, or -1: a text could not be read. */
int texts_read(struct texts *t, struct start *s, const struct candidate *c, uint64_t own,
               uint64_t above);
/* Frees the texts. */
void texts_free(struct texts *t);

/* The facts that all headers of a unit give together. The local store keeps them, so the next unit
 * with the same headers need not search the headers. */

/* As asks_answer(). If the headers are many, it first looks for their facts (class TEXTS). If there
 * are none and the store is writable, it stores them. THREAD. */
enum asks_answer facts_answer(struct start *s, struct asks *x);

#endif
