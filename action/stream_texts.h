/* action/stream_texts.h - the text of a result on stdout and stderr.
 *
 * A tool that cannot write its text reports the error and fails, or a signal ends it. A replay that
 * meets such a stream lets the tool run. So the texts are written before anything else is touched:
 * where no reader is, nobody sees that the tool writes them again, and in a file they go back to
 * their former ends. A stream that can be asked is asked first: for room, for a reader. A recorder
 * asks, too, because its tool writes to a pipe that is never full.
 *
 *     stream_texts_prepare();
 *     stream_texts_reserve();
 *     stream_texts_write();
 *     ... write the outputs ...
 *
 * Constructor of a tool only. Memory: the action's arena. */
#pragma once

#include "action/action.h"
#include "judge/output/output.h"
#include "shim/kernel/ready.h"

struct stream_text {
	int fd;
	const void *data;
	size_t len;
};
struct stream_texts {
	struct stream_text *v;
	size_t count;
	uint64_t bytes[3];
};
enum stream_texts_end {
	STREAM_TEXTS_WRITTEN,
	STREAM_TEXTS_UNDONE, /* a write failed, and the real tool may write all again */
	STREAM_TEXTS_FAILED, /* a write failed, and a reader has seen a part */
	STREAM_TEXTS_CUT     /* the same, because the reader of one stream has gone */
};

/* What ppoll tells of a pipe without a reader, a socket without a peer, or a terminal that hung
 * up. */
#define STREAM_TEXTS_GONE (POLLERR | POLLHUP | POLLNVAL)

/* 1: a pipe, a socket or a terminal. Other devices than /dev/null have no recordings. */
int stream_texts_waits(int fd);
/* 0 and a detail: the reader of a stream has gone, so the tool's own write must fail. which: 2 for
 * output, 4 for error, 6 for both. */
int stream_texts_have_readers(struct action *a, unsigned which);
/* Orders the texts and enters this start's names. The caller zeroes *out. -1: the names do not
 * fit. */
int stream_texts_prepare(struct action *a, struct result *r, const struct patch_name *from,
                         struct stream_texts *out);
/* -1 and a detail: the disk has no room for the texts. */
int stream_texts_reserve(struct action *a, const struct stream_texts *s);
/* 1: a pipe has no room for its texts, so a write may wait for the reader. */
int stream_texts_may_wait(struct action *a, const struct stream_texts *s);
enum stream_texts_end stream_texts_write(struct action *a, const struct stream_texts *s);
/* 0 and a detail: a start with these streams must not be recorded. */
int stream_texts_recordable(struct action *a);

/* The bytes of a recorded tool's streams, in the order in which they came. Supervisor only. Memory:
 * the arena that the caller passes. */

/* Appends n bytes of stream fd. Sets overflow if they do not fit, and then captures nothing. */
void capture_add(struct capture *c, struct arena *arena, int fd, const void *data, size_t n);
