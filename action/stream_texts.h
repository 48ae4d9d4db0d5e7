/* action/stream_texts.h - the text of a result on stdout and stderr.
 *
 * A tool whose disk is full reports the error and fails. A replay that meets a full disk lets the
 * tool run. If the disk can be asked, stream_texts_reserve() finds that before anything is touched.
 * Otherwise the streams go back to their former ends. A recorder cannot do this, because its tool
 * writes to a pipe that is never full. So it does not record in front of a disk that is nearly
 * full.
 *
 *     stream_texts_prepare();
 *     stream_texts_reserve();
 *     ... write the outputs ...
 *     stream_texts_write();
 *
 * Constructor of a tool only. Memory: the action's arena. */
#ifndef ACTION_STREAM_TEXTS_H
#define ACTION_STREAM_TEXTS_H

#include "action/action.h"

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
	STREAM_TEXTS_FAILED  /* a write failed, and a reader has seen a part */
};

/* 1: a regular file, where a write never blocks on a reader. */
int stream_texts_is_file(int fd);
/* Orders the texts and enters this start's names. The caller zeroes *out. -1: the names do not
 * fit. */
int stream_texts_prepare(struct action *a, struct result *r, const struct patch_name *from,
                         struct stream_texts *out);
/* -1 and a detail: the disk has no room for the texts. */
int stream_texts_reserve(struct action *a, const struct stream_texts *s);
enum stream_texts_end stream_texts_write(struct action *a, const struct stream_texts *s);
/* 0 and a detail: a start with these streams must not be recorded. */
int stream_texts_recordable(struct action *a);

#endif
