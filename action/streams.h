/* action/streams.h - what a result says on stdout and stderr.
 *
 * A tool whose disk is full says so and fails. A replay that notices lets it: before anything is touched where
 * the disk can be asked (streams_reserve), else by going back to where the streams stood. A recorder cannot
 * (its tool writes to a pipe that is never full), so it keeps away from disks that are nearly full.
 *
 *     streams_prepare(); streams_reserve(); ... write the outputs ...; streams_write();
 *
 * Constructor of a tool only. Memory: the action's arena. */
#ifndef ACTION_STREAMS_H
#define ACTION_STREAMS_H

#include "action/action.h"

struct stream_text {
	int fd;
	const void *data;
	size_t len;
};
struct streams {
	struct stream_text *v;
	size_t count;
	uint64_t bytes[3];
};
enum streams_end {
	STREAMS_WRITTEN,
	STREAMS_UNDONE, /* not all could be written, and the real tool may write it again */
	STREAMS_FAILED  /* not all could be written, and part of it has been seen */
};

/* 1: a regular file, to which a write waits for nobody. */
int streams_is_file(int fd);
/* Texts in order under this start's names; *out is zeroed by the caller. -1: they do not fit. */
int streams_prepare(struct action *a, struct result *r, const struct patch_name *from, struct streams *out);
/* -1 and a detail: no room for them. */
int streams_reserve(struct action *a, const struct streams *s);
enum streams_end streams_write(struct action *a, const struct streams *s);
/* 0 and a detail: do not record in front of these streams. */
int streams_recordable(struct action *a);

#endif
