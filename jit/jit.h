/* jit/jit.h - the parts of a compile inside a process, which is looked up, recorded and judged like
 * that of a process (action/). THREAD. */
#ifndef JIT_JIT_H
#define JIT_JIT_H

#include "jit/call.h"
#include "jit/product.h"
#include "jit/program.h"
#include "judge/start.h"

struct tree;

/* --- compile.c --- */

/* Compiles a program whose options and inputs are complete, for real or from the store: p->state
 * says which. If p->adding is set, the action is the addition of this input. The status.
 *
 * The trace is of the calling thread alone (trace_thread_begin). The key covers the library's
 * build, source, names, headers, options and the variables that the libraries ask for. Files that
 * the compile reads, and files that it misses, are inputs. Nothing is written to the host's
 * streams; no thread is started and no descriptor stays open. */
int serve_compile(struct program *p);

/* --- compile_start.c: a compile that ran for real without Reprise: counted, and written to the
 * journal with its reason --- */

/* Around each call of a library's compile. What no rule has counted as a hit or a miss is a
 * bypass. A program's rules say why (program_refuse). */
void compile_begins(struct start_times *t, const struct call *c);
/* The call has returned. errno is kept. */
void compile_ends(const struct start_times *t, const struct call *c);

/* --- compile_error.c: the cause of a failed compile, by its log. Pure --- */

/* 1: the log says nothing, or names the machine and not the source as the cause. Such a failure is
 * not stored. */
int compile_error_by_machine(const char *log);
/* 1: the process may open more files: at least so many numbers below the limit are free. Opens
 * nothing, not even for a moment, since another thread may need the last descriptor. */
int descriptors_free(unsigned need);

/* --- compile_key.c: of everything but inputs --- */

/* The row of tools for a library: its label, and the variables that enter the key. */
void compile_key_row(struct tool_row *row, enum jit_id id);
/* Sets a->k1. The action has its row, names and directory. 0, or -1: the compile has no key. */
int compile_key(struct start *s, struct program *p);

/* --- compile_start.c: settings, store and command --- */

/* 0: neither the process nor its variables allow that a compile of this thread is served or
 * counted. Such a process is a tool, runs below one, or is told to leave Reprise alone. */
int compile_permitted(void);
/* Fills in a start whose arena is there. p NULL: the program is not known. name: the library's, for
 * people. -1: settings turn such compiles off. 0: s->store.dir is NULL where no store can be
 * used, and s->call.cwd_len is 0 where the working directory has no name. */
int compile_start(struct start *s, struct tool_row *row, enum jit_id id, const char *name,
                  const struct program *p);

/* --- compile_texts.c: what all texts say together (the source, options, name expressions, and the
 * headers that were read). Asked after the compile, for its tree --- */

/* Flags of jit/source_text.h. */
int compile_texts_flags(struct start *s, const struct tree *t, const struct program *p);
/* 1: a text with these flags may use the date or the time. */
int compile_texts_date(int flags, const struct tree *t, const struct program *p);
/* An absolute name below the working directory that was only looked for came from getcwd, unless an
 * option, name or text contains the directory. It holds in any other directory as well. A file that
 * was read stays bound to its path. */
void compile_texts_unbind(struct start *s, struct tree *t, const struct program *p, int flags);

/* --- generated_name.c --- */

/* NAME_FREE: the compile depends on no generated name and no directory of the program: any
 * other one gives the same result. NAME_LENGTH: any other one of that length, as the log
 * holds it and it is exchanged there. texts: source_text.h, of the texts that were read. */
enum name_binding generated_name_shown(const struct program *p, struct start *s,
                                      const struct tree *t, const struct answers *now, int texts);

#endif
