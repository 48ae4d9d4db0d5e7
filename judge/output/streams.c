/* judge/output/streams.c - questions about the standard streams. */
#include "judge/output/streams.h"

#include "shim/banned.h"

const char *streams_name(int fd)
{
	return fd == 1 ? "output" : "error";
}

int streams_any_terminal(const struct streams *s)
{
	return s->kind[1] == STREAM_TERMINAL || s->kind[2] == STREAM_TERMINAL;
}

int streams_any_file(const struct streams *s)
{
	return s->file[1].ino || s->file[2].ino;
}

int streams_of_file(const struct streams *s, const struct statx *st)
{
	for (int fd = 1; fd <= 2; fd++) {
		const struct stream_file *f = &s->file[fd];

		if (f->ino && f->ino == st->stx_ino && f->major == st->stx_dev_major &&
		    f->minor == st->stx_dev_minor)
			return fd;
	}
	return 0;
}
