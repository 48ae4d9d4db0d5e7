/* tools/text/ptx_source.c - the files that .file directives name, as ptxas up to 13.0 enters them
 * into the DWARF 2 line table. An entry is file name, 0, directory, modification time and size; the
 * last three are ULEB128. Directories are numbered from 1, as they first appear in files by number.
 * 0 means no directory, also for the root, where the slash stays with the file name. (ptxas 13.4
 * does not look at the files, and enters zeros.) */
#include "tools/text/ptx_source.h"

#include <string.h>

#include "shim/banned.h"

static void number_directories(const struct ptx_scan *s, const struct ptx_file *const *file,
                               size_t count, unsigned *number)
{
	unsigned next = 1;

	for (size_t i = 0; i < count; i++) {
		const char *path = s->text + file[i]->at;
		size_t len = ptx_split(path, file[i]->len);

		number[i] = 0;
		for (size_t k = 0; k < i && len && !number[i]; k++)
			if (ptx_split(s->text + file[k]->at, file[k]->len) == len &&
			    memcmp(s->text + file[k]->at, path, len) == 0)
				number[i] = number[k];
		if (len && !number[i])
			number[i] = next++;
	}
}

/* --- public, in header order --- */

size_t ptx_split(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);

	return slash ? (size_t)(slash - path) : 0;
}

int ptx_list_sources(struct input_text *out, const struct ptx_scan *s, struct arena *a)
{
	const struct ptx_file *f = (const struct ptx_file *)s->files.data;
	const struct ptx_file *file[INPUT_TEXT_SOURCES_MAX];
	unsigned directory[INPUT_TEXT_SOURCES_MAX];
	size_t count = s->files.len / sizeof *f;

	if (count > INPUT_TEXT_SOURCES_MAX)
		return -1;
	for (size_t i = 0; i < count; i++) {
		size_t at = i;

		for (; at && file[at - 1]->number > f[i].number; at--)
			file[at] = file[at - 1];
		file[at] = &f[i];
	}
	number_directories(s, file, count, directory);
	for (size_t i = 0; i < count; i++) {
		struct input_source *source = &out->sources[out->source_count];

		if (file[i]->has_times)
			continue;
		if (!(source->path = arena_memdup(a, s->text + file[i]->at, file[i]->len)))
			return -1;
		source->directory = directory[i];
		out->source_count++;
	}
	return 0;
}

int ptx_add_sources(struct input_text *x, input_text_ask *ask, struct arena *a)
{
	for (int i = 0; i < x->source_count; i++) {
		struct input_source *source = &x->sources[i];

		if (ask(source->path, &source->mtime, &source->size) < 0)
			source->mtime = 0, source->size = 0;
		if (input_text_enter(x, i, a) < 0)
			return -1;
	}
	return 0;
}
