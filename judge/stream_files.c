/* judge/stream_files.c - the files behind standard output and error, as others name them. */
#include "judge/stream_files.h"

#include "shim/sys.h"

#include "shim/banned.h"

/* The stream that writes to this file, or 0. */
static int stream_of(const struct start *a, const struct statx *st)
{
	for (int fd = 1; fd <= 2; fd++) {
		const struct stream_file *f = &a->stream_file[fd];

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

int stream_files_any(const struct start *a)
{
	return a->stream_file[1].ino || a->stream_file[2].ino;
}

int start_writes_stream(const struct start *a, const struct statx *st)
{
	return stream_of(a, st) != 0;
}

int stream_files_meet(struct start *a, const struct statx *st, const char *path)
{
	int fd = stream_of(a, st);

	if (fd)
		start_detail(a, "standard %s is the file %s", stream_file_name(fd), path);
	return fd != 0;
}

int stream_files_at(struct start *a, const char *path)
{
	struct statx st;

	return stream_files_any(a) && sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) == 0 &&
	       stream_files_meet(a, &st, path);
}

int stream_files_read(struct start *a, const struct candidate *c)
{
	for (size_t i = 0; i < c->count && stream_files_any(a); i++) {
		const struct input *in = &c->v[i];
		const char *path;
		struct statx st;

		if (in->kind != INPUT_FILE && in->kind != INPUT_REAL_FILE &&
		    in->kind != INPUT_PROGRAM)
			continue;
		path = names_resolve(&a->names, in->spec, in->spec_len, &a->arena);
		if (path && probe_stat(&a->prober, path, &st) == 0 && stream_files_meet(a, &st, path))
			return 1;
	}
	return 0;
}
