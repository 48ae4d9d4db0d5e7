/* judge/text/texts.h - the texts that a run read: tests whether a text could ask for a name, or
 * spells a name. THREAD. */
#ifndef JUDGE_TEXT_TEXTS_H
#define JUDGE_TEXT_TEXTS_H

#include "judge/start.h"
#include "judge/text/plain_names.h"
#include "tools/asks/asks.h"

struct tree;

/* A text that is not the unit's own. Most starts need no more of it than this. */
struct texts_header {
	const char *path;
	struct digest content;
	size_t size;
};
struct texts {
	struct arena arena;  /* holds the texts until texts_free() */
	struct asks asks;    /* the unit's own texts and the options; after texts_load() all */
	struct buf headers;  /* the headers in reading order */
	struct texts_header *header; /* each content once; empty after texts_load() */
	size_t header_count;
	char *room;          /* the file that is read */
	size_t room_size;
	uint64_t spelled;    /* bit i: some text spells name i of the action */
	uint64_t named;      /* bit i: the path of a text has name i */
	struct buf files;    /* base names of the unit's own texts, each with its NUL */
	size_t longest;      /* length of the longest path of a text of the unit's own */
	uint64_t above;      /* bit i: a directory above base i is known (judge/name/above.c) */
	uint64_t pieces;     /* bit i: a text or option has a piece of name i */
	int computes;        /* a text computes names of files */
	struct plain_names plain;
	int directs;         /* a text has an assembler's directive that reads a file */
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
/* Fills in what an assembler read of the run's files: verdict.assembled. Call it before
 * texts_read(). */
void texts_assembled(struct start *s, const struct tree *t);
/* Adds the headers to t->asks. -1: one is not as it was read before. */
int texts_load(struct texts *t);
/* Frees the texts. */
void texts_free(struct texts *t);

/* The facts that all headers of a unit give together. The local store keeps them, so the next unit
 * with the same headers need not search the headers. */

/* As asks_answer() of x, which is t's. t is NULL if x holds all texts. If the headers are many, it
 * first looks for their facts (class TEXTS). If there are none and the store is writable, it stores
 * them. THREAD. */
enum asks_answer facts_answer(struct start *s, struct asks *x, struct texts *t);
/* The same for all texts of t, but -1 where facts would have to be made. */
int facts_ready(struct start *s, struct texts *t);

#endif
