/* remote/source.h - bytes that are put into a remote store: they lie in memory, or in a file, of
 * which a writer then holds a piece at a time. THREAD. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct source {
	const unsigned char *data; /* NULL: they lie in fd, from `at` on */
	uint64_t len;
	int fd;
	uint64_t at;
};
static inline struct source source_memory(const void *data, size_t len)
{
	return (struct source){.data = data, .len = len};
}
/* Bytes from .. from + n, which lie within it. Memory is not copied: room, of n bytes, is for those
 * of a file. NULL with *error, a value of errno: the file cannot be read, or was cut. */
const void *source_piece(const struct source *s, uint64_t from, size_t n, void *room, int *error);
