/* action/capture.c - appends to the capture of a recorded tool's streams. */
#include "action/capture.h"

#include <string.h>

#include "shim/buf.h"

#include "shim/banned.h"

void capture_add(struct capture *c, struct arena *arena, int fd, const void *data, size_t n)
{
	struct capture_chunk *last = c->count ? &c->chunk[c->count - 1] : NULL;

	if (c->overflow)
		return;
	if (c->bytes.len + n > CAPTURE_MAX) {
		c->overflow = 1;
		return;
	}
	if (!last || last->stream != fd) {
		struct capture_chunk *v =
			arena_grow(arena, c->chunk, c->count, &c->cap, sizeof *v, 16);

		if (!v) {
			c->overflow = 1;
			return;
		}
		c->chunk = v;
		last = &c->chunk[c->count++];
		*last = (struct capture_chunk){(unsigned char)fd, c->bytes.len, 0};
	}
	buf_add(&c->bytes, data, n);
	last->len += n;
	if (c->bytes.failed)
		c->overflow = 1;
}
