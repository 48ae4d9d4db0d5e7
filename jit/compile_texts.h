/* jit/compile_texts.h - what all texts of a compile say together: its source, options, name
 * expressions, and the headers that it read. Asked after the compile, for its tree. THREAD. */
#ifndef JIT_COMPILE_TEXTS_H
#define JIT_COMPILE_TEXTS_H

struct program;
struct start;
struct tree;
/* Flags of jit/source_text.h. */
int compile_texts_flags(struct start *s, const struct tree *t, const struct program *p);
/* 1: a text with these flags may use the date or the time. */
int compile_texts_date(int flags, const struct tree *t, const struct program *p);
/* An absolute name below the working directory that was only looked for came from getcwd, unless an
 * option, name or text contains the directory. It holds in any other directory as well. A file that
 * was read stays bound to its path. */
void compile_texts_unbind(struct start *s, struct tree *t, const struct program *p, int flags);

#endif
