/* judge/output/output.h - what a run left, and what a replay of it must do. Memory: the arena of
 * the start or of the caller. THREAD. */
#pragma once

#include "judge/start.h"
#include "shim/buf.h"
#include "store/entry/result.h"
#include "trace/files.h"
#include "trace/tree.h"

/* --- outputs.c: the outputs and streams of a recorded tree, as a result --- */

/* Above this size the streams are still passed on, but no longer captured. */
#define CAPTURE_MAX (64u << 20)

struct capture_chunk {
	unsigned char stream;
	size_t at, len; /* in the capture's bytes */
};
struct capture {
	struct buf bytes;
	struct capture_chunk *chunk;
	size_t count, cap;
	int overflow;
	int reader_gone; /* writing to the real stream failed */
	int write_failed; /* for another reason than a reader that has ended: a full disk */
	int open_after;  /* a process still held a stream when the tool had ended */
};
/* Facts about a recorded run that its tree does not hold. */
struct recorded {
	pid_t child;
	int status; /* wait status */
	const struct capture *capture;
};

/* Fills r. Returns REASON_NONE, or why nothing may be stored. */
enum reason judge_outputs(struct start *s, struct tree *t, const struct recorded *run,
                          struct result *r);
/* THREAD. 1: the tool failed because of its input and made nothing, as what it printed shows. */
int judge_failure_is_of_input(struct start *s, const struct result *r);
/* The result of a failed run rests on that: it is not stored if the proof is off. */
enum reason judge_failure_record(struct start *s, const struct result *r);
/* The tree's state of a path as the start spells it. NULL: the tree never met the path. */
const struct tree_file *judge_tree_file(struct start *s, struct tree *t, const char *path);
/* THREAD. Copies the start's names into r, for its patches. 0, or -1: no memory. */
int judge_result_names(const struct name_list *names, struct arena *arena, struct result *r);
/* Finds the places of names in a text of a stream. A name must be long enough. A file of the
 * command is found where its complete path stands apart from other words. */
void judge_stream_places(struct start *s, struct patch_list *out, const void *text, size_t n);
/* 1: the dependency file that the command asks for is none of the outputs. It may have gone to a
 * stream, where nobody computes its line breaks anew. */
int judge_lacks_depfile(struct start *s, const struct result *r);
/* 1: an output's name, and its data of o->len bytes, are those of a dependency file. */
int judge_is_depfile(struct start *s, const struct result_output *o, const void *data);

/* --- exchange.c: enters this start's names in a recorded output. THREAD --- */

/* from: the names under which the output was recorded. to: those that it gets. data: its bytes,
 * which may be changed. EXCHANGE_OUT: out has the output, whose length may be another one. Else
 * data has it. EXCHANGE_FAILED: it cannot hold these names. */
enum exchange judge_exchange(struct start *s, const struct patch_name *from, size_t count,
                             const struct patch_name *to, const struct result_output *o,
                             void *data, struct buf *out);

/* --- random_digits.c: a linker that always asks for the time --- */

/* THREAD. GNU ld asks for the time in each run (tools/chance.h, chance_measures()). It is in no ELF
 * output. REASON_NONE, or REASON_UNSTORED_TIME: an ld did that made no output which is ELF, or the
 * times are to be printed (--stats, LD_STATS). */
enum reason judge_linker_time(struct start *s, struct tree *t, const struct result *r);

/* --- random_digits.c: random numbers of a run in what it leaves --- */

/* THREAD. Each random number of the run is a digit of a name that the run gave to a file
 * (hooks/drawn.h). REASON_NONE, or REASON_UNSTORED_RANDOM if an output, its name or a stream holds
 * such digits or their seed. */
enum reason judge_random_digits(struct start *s, const struct tree *t, const struct result *r);
/* THREAD. Files with generated names below a script that may look at its arguments. gcc passes
 * arguments such as /tmp/ccXXXXXX.s. If a script uses letters of such a name, its effect differs in
 * each run, and no input holds the name. REASON_NONE, or why the result may not be stored: a script
 * saw the names of its arguments, and the result holds one that was generated. */
enum reason judge_generated(struct start *s, const struct tree *t, const struct result *r);

/* --- shared.c: outputs that another process writes as well.
 *
 * A tool that writes in place does not notice a second writer, and the file may hold bytes of both.
 * Seen are any process that still has the file open to write it when the tool has ended, a change
 * after that, and a recorded tool or replay that found this tool's file open
 * (store/shared_page.h). Not seen is another program that opens and closes the file in between. */

/* 1: another process may have written bytes of the output. fd: open to read it; st: its state
 * before it was read. Costs six system calls. THREAD. */
int output_is_shared(struct start *s, const struct tree_file *f, int fd, const struct statx *st);
