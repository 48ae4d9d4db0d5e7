/* judge/collect.h - the inputs of a tree as they are gathered. Used by the files of this folder that turn a
 * tree into a candidate: inputs.c (files), absences.c, clang_config.c, duplicates.c, environment.c. THREAD; memory in the
 * action's arena; a refusal sticks, the first one. */
#ifndef JUDGE_COLLECT_H
#define JUDGE_COLLECT_H

#include "judge/start.h"
#include "judge/tree.h"

struct absence;
struct collect {
	struct start *start;
	struct tree *t;
	struct candidate *c;
	size_t cap;
	int times; /* sizes and times of files are inputs */
	int bound; /* the specs or facts met so far tie the result to the cwd */
	enum reason reason;
	struct absence *absent;
	size_t absent_count;
};

/* A new input of a kind, to be filled; NULL when there is no room. */
struct input *collect_input(struct collect *k, unsigned kind);
/* The path's spec; marks the result bound to the cwd where it is. */
void collect_spec(struct collect *k, struct input *in, const char *path, int relative);
void collect_text(struct collect *k, struct input *in, const char *text);
/* Spelled relative every time: the same file for another cwd. */
int collect_relative(const struct tree_file *f);
void collect_refuse(struct collect *k, enum reason reason, const char *path);

#endif
