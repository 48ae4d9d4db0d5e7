/* judge/output/outputs.h - the outputs and streams of a recorded tree, as a result. */
#ifndef JUDGE_OUTPUT_OUTPUTS_H
#define JUDGE_OUTPUT_OUTPUTS_H

#include "judge/start.h"
#include "shim/buf.h"
#include "trace/tree.h"

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

#endif
