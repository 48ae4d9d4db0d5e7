/* judge/input/collect.h - the inputs of a tree while they are gathered.
 *
 * The files that make a candidate from a tree use it: inputs.c (files), absences.c,
 * added_arguments.c, duplicates.c, environment.c, times.c. The first refusal stays.
 *
 * THREAD. Memory: the action's arena. */
#pragma once

#include "judge/start.h"
#include "trace/tree.h"

struct absence;
struct collect {
	struct start *start;
	struct tree *t;
	struct candidate *c;
	size_t cap;
	int times; /* sizes and times of files are inputs */
	const char *untimed; /* except those of this file, or NULL: judge/input/times.c */
	const char *pwd; /* $PWD, or NULL */
	int pragmas; /* DEPENDENCY_ flags of the texts so far (tools/text/dependency.h) */
	int bound; /* a spec or fact so far binds the result to the cwd */
	struct {   /* collect_spec_of(): the last one, and what it is of */
		const char *path;
		int relative, bound;
		struct buf text;
	} spec;
	int sysroot; /* a linker has one: 1; -1: none has; 0: not looked at yet */
	enum reason reason;
	struct absence *absent;
	size_t absent_count;
};

/* Adds an empty input of this kind for the caller to fill. NULL: no room. */
struct input *collect_input(struct collect *k, unsigned kind);
/* The spec of a path of the tree, and in *bound (kept if not) whether it depends on the cwd. The
 * next call overwrites it. NULL: no memory. */
const struct buf *collect_spec_of(struct collect *k, const char *path, int relative, int *bound);
/* Sets the input's spec from a path. Marks the result bound to the cwd if the spec depends on
 * it. */
void collect_spec(struct collect *k, struct input *in, const char *path, int relative);
/* Sets the input's text. */
void collect_text(struct collect *k, struct input *in, const char *text);
/* 1: every spelling was relative, so another cwd has its own file. */
int collect_relative(const struct tree_file *f);
/* Refuses the result because of this path. */
void collect_refuse(struct collect *k, enum reason reason, const char *path);
