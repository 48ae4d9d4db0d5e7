/* judge/python.h - the scripts in Python of a tree: their texts, and what their interpreters read.
 *
 * A result is stored only if two conditions hold (docs/internals/keys.md, "Python"). Each text is
 * known in full (tools/python_text.h). And each other file that an interpreter read belongs to its
 * own library, or is data. THREAD; memory: the action's arena. */
#ifndef JUDGE_PYTHON_H
#define JUDGE_PYTHON_H

#include "judge/collect.h"

struct python_scripts;

/* NULL: no memory, which is the reason in k. */
struct python_scripts *python_begin(struct collect *k);
/* A script that the interpreter `program` runs. */
void python_main(struct python_scripts *p, const char *path, const char *text, size_t n,
                 const char *program);
/* Reads what the scripts imported. variable: gets each name or pattern of a variable (with a star)
 * that they or their interpreters may use. 0: there was no script. */
int python_end(struct python_scripts *p, void (*variable)(void *ctx, const char *name), void *ctx);

#endif
