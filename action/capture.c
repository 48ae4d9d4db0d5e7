/* action/capture.c - appends to the capture of a recorded tool's streams. */
#include "action/capture.h"

#include <string.h>

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
		if (c->count == c->cap) {
			size_t cap = c->cap ? 2 * c->cap : 16;
			struct capture_chunk *v = arena_alloc(arena, cap * sizeof *v);

			if (!v) {
				c->overflow = 1;
				return;
			}
			if (c->count)
				memcpy(v, c->chunk, c->count * sizeof *v);
			c->chunk = v;
			c->cap = cap;
		}
		last = &c->chunk[c->count++];
		*last = (struct capture_chunk){(unsigned char)fd, c->bytes.len, 0};
	}
	buf_add(&c->bytes, data, n);
	last->len += n;
	if (c->bytes.failed)
		c->overflow = 1;
}
