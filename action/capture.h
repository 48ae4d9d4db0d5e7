/* action/capture.h - the bytes of a recorded tool's streams, in the order in which they came.
 * Supervisor only. Memory: the arena that the caller passes. */
#ifndef ACTION_CAPTURE_H
#define ACTION_CAPTURE_H

#include "judge/outputs.h"

/* Appends n bytes of stream fd. Sets overflow if they do not fit, and then captures nothing. */
void capture_add(struct capture *c, struct arena *arena, int fd, const void *data, size_t n);

#endif
