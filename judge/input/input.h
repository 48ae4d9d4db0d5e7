/* judge/input/input.h - what a result depends on, by the trace of its run, and whether that holds.
 * Memory: the start's arena. THREAD. */
#pragma once

#include "judge/input/collect.h"
#include "judge/start.h"

/* --- duplicates.c: how files of equal content are related. THREAD --- */

/* The value of an INPUT_DUPLICATES for the files as they are now. -1: a file is missing. */
int judge_duplicates(struct start *s, const struct input *in, struct digest *value);
/* Call it after sort_inputs(). */
void collect_duplicates(struct collect *k);

/* --- input_holds.c: one input of a candidate. THREAD --- */

/* 1: the input is as it was. 0: the start's detail says what differs. An INPUT_DEFINES is left to
 * defines_hold(). */
int judge_input_holds(struct start *s, const struct input *in);

/* --- prefixed.c: listings of which only some names matter (tools/crates.h):
 * INPUT_PREFIXED. THREAD. */

/* 1: f is such a listing, and is dealt with. */
int collect_prefixed(struct collect *k, const struct tree_file *f);
/* 1: the input holds for this start. */
int prefixed_holds(struct start *s, const struct input *in, const char *path);

/* --- changed.c: tests whether a file changed while the tool ran. THREAD --- */

/* 1: the file changed at or after the tool's start, as far as its clock can tell. */
int changed_too_new(struct start *s, const char *path, const struct statx *st);
/* 1: the same of a file that was read. It may be as new as its first open, since a write after that
 * open gives it a later time. */
int changed_since_read(struct start *s, const struct tree_file *f, const struct statx *st);
/* 1: a link or directory of the path leads to another file than when the tool opened it. */
int changed_identity(const struct tree_file *f, const struct statx *st);
/* 1: the file still has this stamp: size, inode and both times. An empty path means the descriptor
 * `at`. */
int changed_same_stamp(int at, const char *path, const struct statx *was);
/* Refuses if a primary input is not what it was before the run. */
void changed_primaries(struct collect *k);
/* 1 and a detail: a source of the input text, for which the tool asked, has changed since before
 * the run. */
int changed_sources(struct start *s);
/* Time and size of a source, as read_text() of a driver asks for them. 0, or -1: they cannot be
 * read. */
int judge_source_times(const char *path, long long *mtime, unsigned long long *size);

/* --- pwd.c: $PWD, by which tools spell the working directory (gcc's and clang's debug
 * information).
 *
 * $PWD is an input of its own (INPUT_PWD), and only for a result that is bound to its directory.
 * If $PWD leads through a symbolic link, it spells the directory in another way than getcwd, and
 * two directories have two such spellings. A tool may ask whether that path leads to the working
 * directory. The answer is part of the value of INPUT_PWD, so the path needs no input of its own.
 * THREAD. */

/* The value of an INPUT_PWD now: the variable if it is another spelling of the cwd, otherwise
 * "". */
const char *judge_pwd(struct start *s);
/* 1: the tree asked for the path only because $PWD names it. */
int judge_asked_for_pwd(struct collect *k, const struct tree_file *f);
/* Adds an INPUT_PWD. */
void collect_pwd(struct collect *k);

/* --- real_path.c: the answers of readlink and realpath as inputs. THREAD --- */

/* 1: realpath answered with the path itself. */
int real_path_is_itself(const struct tree_file *f);
/* 1: realpath was asked, and its answer reaches nothing, here and under the names that may stand
 * for this one. It is compared with the output; action/ refuses a start where both are one file. A
 * source has its shorter name only as a header of a system directory. */
int real_path_is_free(struct collect *k, const struct tree_file *f);
/* The input is the answer of readlink or realpath. */
void collect_answer(struct collect *k, const struct tree_file *f, unsigned kind,
                    const char *answer);
/* Adds the answer of realpath. held: an input of the file says the same already. */
void collect_real_path(struct collect *k, const struct tree_file *f, int held);

/* --- times.c: sizes and times of files as inputs. THREAD --- */

static inline int64_t times_ns(const struct statx_timestamp *t)
{
	return t->tv_sec * 1000000000ll + t->tv_nsec;
}

/* 1: the output of the tree depends on sizes and times. */
int times_matter(const struct collect *k);
/* The only compiled form of texts that the tree read, where it made none; else NULL. clang compares
 * the times of the texts that such a file names. The file's own time is compared where another one
 * names it. */
const char *times_untimed(const struct collect *k);
/* Adds size and time of a path. */
void collect_times(struct collect *k, const char *path, int relative, const struct statx *st);
/* 1: the text f warns if files have certain times, and the warning may be an error. */
int times_compared(struct collect *k, const struct tree_file *f);
/* Refuses the result if a macro of the command line or standard input does the same. */
void collect_compared_times(struct collect *k);
/* Adds the files that the command line names, if k->times. */
void collect_primary_times(struct collect *k);

/* --- absences.c: paths that the tree looked for and that did not exist, as inputs.
 * THREAD. */

/* Makes room for the absences of the tree. 0, or -1: no memory. */
int collect_absences_init(struct collect *k);
/* Notes a path that did not exist. */
void collect_absent(struct collect *k, const struct tree_file *f);
/* Notes a path to which access was denied. 1: it counts as absent, since a search along PATH goes
 * on. */
int collect_denied(struct collect *k, const struct tree_file *f);
/* 1: the tree made and removed the file or directory. If the file had been there, the tree would
 * have removed it or failed. A replay does neither, so the absence is an input. */
int collect_came_and_went(struct collect *k, const struct tree_file *f);
/* Adds the absence of a path that the tree made because nothing was there. */
void collect_fresh(struct collect *k, const struct tree_file *f);
/* Adds all noted absences as inputs, grouped by directory. */
void collect_absences(struct collect *k);

/* --- environment.c: variables, the search along PATH and the working directory, as inputs --- */

/* Adds a variable's value as an input. THREAD. */
void collect_variable(struct collect *k, const char *name);
/* THREAD. */
void collect_environment(struct collect *k);
/* THREAD. */
void collect_searches(struct collect *k);
/* THREAD. Call it last, when it is known whether the result is bound to the directory. */
void collect_cwd(struct collect *k);
/* Adds the variables for a temporary directory if an output or message names a file there. Adds
 * nvcc's PATH if an output or message names a directory of PATH. */
enum reason judge_temporary(struct start *s, struct tree *t, struct candidate *c,
                            const struct result *r);
/* Adds the working directory if an object of gcc or clang holds it and nothing else bound the
 * result to it. */
enum reason judge_cwd(struct start *s, struct tree *t, struct candidate *c, const struct result *r);

/* --- stream_state.c ---
 *
 * What standard output and error are, as an input of a result.
 *
 * A compiler colours its messages, and cuts them to a width. So it asks whether it writes to a
 * terminal, and how wide the terminal is. Where memory or descriptors are limited, a message may
 * say what the tool did without, so the state holds these limits. A run that wrote nothing has the
 * same result for any streams, so its candidate has no such input. A run of gcc, clang or a linker
 * that wrote to one stream depends on the state of that stream. Any other run depends on both
 * streams. A run that wrote to both also depends on whether they share one order. There are two
 * exceptions: tools whose outputs may hold the answer (driver_outputs_show_streams()), and unknown
 * tools, whose key holds the state. THREAD. */

/* Adds the state of the streams that the run wrote to. REASON_NONE, or the reason why the result
 * cannot be stored. */
enum reason judge_stream_state(struct start *s, struct candidate *c, const struct result *r);
/* The limits of this process under which a tool may do without something, and say so. "": there is
 * none. NULL: memory is refused. */
const char *stream_limits(struct start *s);
/* The digest of what both streams are. -1: the key holds it, or memory is refused. */
int stream_state_now(struct start *s, struct digest *out);
/* 1: the streams are now as the input says. 0: the start's detail says what differs. */
int stream_state_holds(struct start *s, const struct input *in);

/* Tests whether a file that a start uses is behind standard output or error.
 * It uses start->streams.file, which stream_files() fills (action/stream_files.c). */

/* 1 and a detail that names the path: a stream writes to this file. */
int stream_files_include(struct start *s, const struct statx *st, const char *path);
/* As stream_files_include(), for a path. */
int stream_files_at(struct start *s, const char *path);
/* 1 and a detail: a stream writes to a file that is an input of the candidate. */
int stream_files_read(struct start *s, const struct candidate *c);
