/* judge/stream_files.c - the files behind standard output and error, when a tool reaches them by
 * another name. */
#include "judge/stream_files.h"

#include "shim/sys.h"

#include "shim/banned.h"

int stream_files_include(struct start *s, const struct statx *st, const char *path)
{
	int fd = streams_of_file(&s->streams, st);

	if (fd)
		start_detail(s, "standard %s is the file %s", streams_name(fd), path);
	return fd != 0;
}

int stream_files_at(struct start *s, const char *path)
{
	struct statx st;

	return streams_any_file(&s->streams) &&
	       sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) == 0 &&
	       stream_files_include(s, &st, path);
}

int stream_files_read(struct start *s, const struct candidate *c)
{
	for (size_t i = 0; i < c->count && streams_any_file(&s->streams); i++) {
		const struct input *in = &c->v[i];
		const char *path;
		struct statx st;

		if (!input_is_content(in->kind) && in->kind != INPUT_PROGRAM)
			continue;
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		if (path && probe_stat(&s->prober, path, &st) == 0 &&
		    stream_files_include(s, &st, path))
			return 1;
	}
	return 0;
}
