/* judge/perl.h - the scripts in Perl of a tree: their texts, and what their interpreters read.
 *
 * A result is stored only if each text is known in full (tools/perl_text.h). Each other file that
 * an interpreter read must be a module that a text may use. THREAD; memory: the action's arena. */
#ifndef JUDGE_PERL_H
#define JUDGE_PERL_H

#include "judge/collect.h"
#include "judge/tree_file.h"

/* A script that an interpreter runs. variable: gets each name or pattern (with a star) of a
 * variable that the text or its interpreter may use. */
void perl_main(struct collect *k, struct tree_file *file, const char *text, size_t n,
               void (*variable)(void *ctx, const char *name), void *ctx);
/* Call it after all scripts: judges what else their interpreters read. */
void perl_end(struct collect *k);

#endif
