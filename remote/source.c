/* remote/source.c - bytes that are put into a remote store. */
#include "remote/source.h"

#include <errno.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

const void *source_piece(const struct source *s, uint64_t from, size_t n, void *room, int *error)
{
	ssize_t got;

	if (s->data)
		return s->data + from;
	got = sys_pread_all(s->fd, room, n, (off_t)(s->at + from));
	*error = got < 0 ? (int)-got : EIO;
	return got == (ssize_t)n ? room : NULL;
}
