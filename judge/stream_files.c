/* judge/stream_files.c - the files behind standard output and error, when a tool reaches them by
 * another name. */
#include "judge/stream_files.h"

#include "shim/sys.h"

#include "shim/banned.h"

/* The stream that writes to this file, or 0. */
static int stream_of(const struct start *s, const struct statx *st)
{
	for (int fd = 1; fd <= 2; fd++) {
		const struct stream_file *f = &s->stream_file[fd];

		if (f->ino && f->ino == st->stx_ino && f->major == st->stx_dev_major &&
		    f->minor == st->stx_dev_minor)
			return fd;
	}
	return 0;
}

const char *stream_file_name(int fd)
{
	return fd == 1 ? "output" : "error";
}

int stream_files_any(const struct start *s)
{
	return s->stream_file[1].ino || s->stream_file[2].ino;
}

int start_writes_stream(const struct start *s, const struct statx *st)
{
	return stream_of(s, st) != 0;
}

int stream_files_meet(struct start *s, const struct statx *st, const char *path)
{
	int fd = stream_of(s, st);

	if (fd)
		start_detail(s, "standard %s is the file %s", stream_file_name(fd), path);
	return fd != 0;
}

int stream_files_at(struct start *s, const char *path)
{
	struct statx st;

	return stream_files_any(s) && sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) == 0 &&
	       stream_files_meet(s, &st, path);
}

int stream_files_read(struct start *s, const struct candidate *c)
{
	for (size_t i = 0; i < c->count && stream_files_any(s); i++) {
		const struct input *in = &c->v[i];
		const char *path;
		struct statx st;

		if (!input_is_content(in->kind) && in->kind != INPUT_PROGRAM)
			continue;
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		if (path && probe_stat(&s->prober, path, &st) == 0 &&
		    stream_files_meet(s, &st, path))
			return 1;
	}
	return 0;
}
