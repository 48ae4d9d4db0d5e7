/* names/name_files.c - the files that a command line names, and whose names reach nothing. */
#include "names/names.h"

#include <string.h>

#include "shim/buf.h"
#include "shim/path.h"

#include "shim/banned.h"

/* The bytes of a path up to the last dot of its last component. 0: there are none. */
static size_t stem_len(const char *path)
{
	const char *base = strrchr(path, '/'), *dot;

	base = base ? base + 1 : path;
	dot = strrchr(base, '.');
	return !*base || dot == base ? 0 : dot ? (size_t)(dot - path) : strlen(path);
}

/* No path here holds a mark that would have to be escaped. */
static void put_with_ending(const struct names *n, int i, const char *ending, struct buf *out)
{
	buf_u8(out, NAMES_MARK);
	buf_u8(out, NAME_KIND_FILE);
	buf_u8(out, (unsigned)('0' + i));
	buf_str(out, ending ? ending : n->file[i].text + n->file[i].len);
}

/* 1: path is file i, or with `ending` the file that has this ending instead. */
static int is_file(const struct names *n, int i, const char *dir, const char *path,
                   const char *ending)
{
	const char *text = n->file[i].text;
	char whole[PATH_SIZE];
	size_t at = text[0] == '/' ? 0 : strlen(dir), len = n->file[i].len;

	ending = ending ? ending : text + len;
	if (at + 1 + len + strlen(ending) >= sizeof whole)
		return 0;
	memcpy(whole, dir, at);
	if (at)
		whole[at++] = '/';
	memcpy(whole + at, text, len);
	memcpy(whole + at + len, ending, strlen(ending) + 1);
	path_tidy(whole);
	return strcmp(whole, path) == 0;
}

int names_file(struct names *n, const char *path)
{
	size_t len = stem_len(path);

	if (!len || n->files == NAMES_FILES_MAX || memchr(path, NAMES_MARK, strlen(path)))
		return -1;
	n->file[n->files] = (struct name){path, len};
	return n->files++;
}

void names_put_file(const struct names *n, int i, struct buf *out)
{
	put_with_ending(n, i, NULL, out);
}

int names_put_output(const struct names *n, const char *dir, const char *path, struct buf *out)
{
	int i = 0, beside = 0;

	while (i < n->files && !is_file(n, i, dir, path, NULL))
		i++;
	if (i == n->files) {
		beside = n->depfile_of > 0 && is_file(n, n->depfile_of - 1, dir, path, ".d");
		i = n->depfile_of - 1;
		if (!beside)
			return 0;
	}
	buf_u8(out, SPEC_FILE);
	put_with_ending(n, i, beside ? ".d" : NULL, out);
	return 1;
}

int names_output_file(const char *spec, size_t len)
{
	return len > 3 && spec[0] == SPEC_FILE && spec[1] == NAMES_MARK ? spec[3] - '0' : -1;
}
