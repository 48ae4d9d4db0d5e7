/* judge/name/name.h - which names a result depends on. Memory: the start's arena. THREAD. */
#pragma once

#include "judge/start.h"

/* --- above.c: paths into a base directory that may have been formed without its name.
 *
 * A path below a base is recorded by the base's name. In a start with another base, the path is
 * looked for below that base. This is right if the run formed the path from the base's name. A run
 * that was also given a directory above the base may have formed the path from that directory and a
 * text: "-I/w" and `#include "checkout/x.h"`. The run then reads the same file whatever the base
 * is. Such a path has two parts, and the second part holds the last component of the base.
 * THREAD. */

/* Bit i: name i of the action is a base, and the run knows a directory above it. That means: an
 * argument or variable names that directory, an input lies directly in it, or the run searched it
 * for a file that is absent. It may also be the compiler's own prefix. */
uint64_t judge_above(struct start *s, const struct candidate *c);
/* Bit i: an argument has the last component of base i as a word that belongs to no name. */
uint64_t judge_above_arguments(struct start *s);
/* Bit i: the text has the last component of base i as the directory of a path, or it computes the
 * names of files. In a text of a linker the component may be a word of its own, and bases below a
 * directory that the text names are added to *above. For other texts only bases in *above are
 * looked at. Ordinary bases below a directory that these name are added to *named: a text that
 * computes names of files could put the rest of the path behind it. */
uint64_t judge_above_text(const struct name_list *names, const struct cmdline *cmd,
                          uint64_t *above, uint64_t *named, const char *text, size_t n);

/* Paths that begin with the letters of a directory, and lie elsewhere. THREAD. */

/* 1: no input of the candidate has a path that begins with the letters of this start's directory
 * of this kind, except inputs that are recorded by this name. Compilers treat such other paths like
 * paths in the directory: prefix maps map them (NAME_KIND_MAPPED), and debug information may give
 * them the directory's number (NAME_KIND_DIRECTORY). In a start in another directory compilers
 * would treat them otherwise. 1 also for a name of another kind. */
int judge_alone(struct names *names, struct arena *arena, const struct candidate *c, unsigned kind);

/* --- bind.c: decides which names of its command a recorded result is bound to. THREAD --- */

/* Sets the binding of each of c's names, by proof (docs/internals/names.md). A name is free if the
 * tool's driver says that it does not reach the result. A name is exchanged if all its places in
 * the result are known. Any other name binds. May add inputs. */
void judge_bind(struct start *s, struct candidate *c, struct result *r);

/* --- bind_all.c. THREAD --- */

/* 1: a variable, a file or a script adds options that the driver has not classified. */
int judge_adds_options(const struct start *s, const struct candidate *c);
/* The binding of all names, where it follows from the start or from the proof *by. NAME_NONE: what
 * is found about each name decides (bind.c). */
enum name_binding judge_bind_all(struct start *s, struct candidate *c, const struct result *r,
                                 unsigned *by);

/* --- bind_files.c: may the files that a command line names have other names? THREAD --- */

/* Adds the names of the command's files (@F) to c->name, which has room for them. A name is bound
 * if the run left a file or message whose name or text may follow from that name. Otherwise the
 * name is free. adds_options: options came from elsewhere, so the driver's answers may not hold. */
void judge_bind_files(struct start *s, struct candidate *c, const struct result *r,
                      int adds_options);

/* Did a run ask for a file at the place of one of its command's files?
 *
 * `ld -lx -o libx.so` looks for libx.so, and finds its own unfinished output if that lies in a
 * directory of -L. The result then depends on the output's name. THREAD. */

/* 1: under the names of this start, an input of the candidate has the path of file i (@F<i>), or is
 * that file behind a link. Also 1 if memory is refused. */
int judge_file_asked(struct start *s, const struct candidate *c, int i);

/* REASON_NONE: no file of the command, which may have another name than in the recorded run, is one
 * for which the tool would ask. The recorded run did not: its name would be bound. */
enum reason judge_no_file_asked(struct start *s, const struct candidate *c);

/* --- bind_roles.c: what the roles of a command's arguments let each name reach. THREAD --- */

/* Adds to reach[i], of NAMES_MOST elements, the REACH_ bits (tools/driver.h) of name i of the
 * candidate. REACH_ANYTHING: an argument spells the name outside a path, or the name cannot be
 * found or exchanged in a result. c has at most NAMES_MOST names. */
void judge_bind_roles(struct start *s, const struct candidate *c, unsigned *reach);

/* --- key_files.c: arguments that name a file whose name is no part of the action key.
 *
 * The output of a compiler does not depend on the output's name, unless an option lets the name in.
 * If it does not, the key holds "@F0.o" in place of the path, and a result serves any output name.
 * The driver of the tool says for which arguments this holds (tools/driver.h). Constructor of a
 * tool only. */

/* Appends argument i as the key holds it, if its file's name is no part of the key. 1: done. st: of
 * the file; NULL: there is none. To be called once for each argument, in their order. */
int key_file(struct start *s, int i, const struct statx *st, struct buf *out);

/* --- name_places.c: the places of names in a recorded output. THREAD --- */

/* 1: a name of this kind that reaches this (REACH_ bits) may stand at this byte. REACH_ASKED: a
 * text hands the name, as it is, to a function that is only declared. */
int name_place_known(struct start *s, const struct result_output *o, uint64_t at,
                     enum name_kind kind, unsigned reach);
/* 1: the output is assembly. */
int name_place_is_assembly(struct start *s, const struct result_output *o);
/* Drops the places in debug information, which so keeps the names of the recording run. */
void name_places_leave_debug(struct result_output *o);

/* --- names_proof.c: proves from the events of a run that its result does not depend on the
 * run's names. THREAD. */

/* 1: the proof succeeds. Adds the proof's conditions to c's inputs. */
int judge_names_proven(struct start *s, struct candidate *c, const struct result *r);
