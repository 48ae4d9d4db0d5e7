/* judge/outputs.h - the outputs and streams of a recorded tree. */
#ifndef JUDGE_OUTPUTS_H
#define JUDGE_OUTPUTS_H

#include "judge/start.h"
#include "judge/tree.h"

/* Over this the streams are passed on but no longer kept. */
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
	int write_failed; /* not because its reader went away: a full disk */
	int open_after;  /* a stream was still held by someone when the tool had ended */
};
/* What is known of a recorded run beside its tree. */
struct recorded {
	pid_t child;
	int status; /* wait status */
	const struct capture *capture;
};

/* Fills r. */
enum reason judge_outputs(struct start *a, struct tree *t, const struct recorded *s, struct result *r);
/* What the tree knows of a path as the start spells it; NULL: it never met it. */
const struct tree_file *judge_tree_file(struct start *a, struct tree *t, const char *path);
/* THREAD. The start's names into r, which its patches are about. 0, or -1: no memory. */
int judge_result_names(struct start *a, struct result *r);
/* 1: a recorded output that is a dependency file, by its name. */
int judge_is_depfile(struct start *a, const struct result_output *o);

#endif
