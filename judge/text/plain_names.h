/* judge/text/plain_names.h - which files of generated directories and of bases have a plain name.
 *
 * A preprocessor finds a header by a directory and by the name that a text spells, as in "x/y.h".
 * A text may also put a whole path together, by ## or by macros, and hide the question itself
 * (`#define HAS(x) __has_include(x)`). The path then has the name of one run. So a file that a
 * preprocessor read below such a name must end as some text spells: its last components stand
 * between quotes, or between "<" and ">", or an argument is these. THREAD. */
#ifndef JUDGE_TEXT_PLAIN_NAMES_H
#define JUDGE_TEXT_PLAIN_NAMES_H

#include "judge/start.h"
#include "shim/index_table.h"

struct tree;
struct plain_names {
	struct index_table table;
	struct buf ends; /* of the paths in verdict.generated: each ends at a component */
	int failed;
};

/* Finds the files in question, for plain_names_begin(): verdict.generated. */
void plain_names_files(struct start *s, const struct tree *t);
/* Adds the files and what the arguments spell. Memory: the arena's. */
void plain_names_begin(struct plain_names *p, const struct start *s, struct arena *a);
void plain_names_text(struct plain_names *p, const char *text, size_t n);
/* Bit i: name i leads to a file that no text names plainly. */
uint64_t plain_names_missing(const struct plain_names *p, const struct start *s);

#endif
