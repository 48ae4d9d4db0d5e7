/* cli/preload.c - reads preload lists and the versions of objects. */
#include "cli/preload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* shim/object.c keeps the version behind this text. */
#define VERSION_MARK "reprise-object "
/* More builds than these are not named. */
#define BUILDS_MAX 4

struct builds {
	struct {
		char path[PATH_MAX], version[PRELOAD_VERSION];
		struct stat file;
	} v[BUILDS_MAX];
	int count;
};

static void add_build(struct builds *b, const char *path)
{
	char resolved[PATH_MAX];
	struct stat st;

	if (b->count == BUILDS_MAX || !realpath(path, resolved) || stat(resolved, &st) < 0)
		return;
	/* Of two names of one file the loader loads one. */
	for (int i = 0; i < b->count; i++)
		if (b->v[i].file.st_ino == st.st_ino && b->v[i].file.st_dev == st.st_dev)
			return;
	if (preload_version(resolved, b->v[b->count].version) < 0)
		return;
	b->v[b->count].file = st;
	strcpy(b->v[b->count++].path, resolved);
}

/* Names without a directory are the loader's to find: such an entry is not ours to read. */
static void add_list(struct builds *b, const char *list)
{
	char entry[PATH_MAX];

	while (*list) {
		size_t n = strcspn(list, " :\n\t");

		if (n && n < sizeof entry && memchr(list, '/', n)) {
			memcpy(entry, list, n);
			entry[n] = 0;
			add_build(b, entry);
		}
		list += n + (list[n] != 0);
	}
}

static void add_system(struct builds *b)
{
	FILE *f = fopen("/etc/ld.so.preload", "re");
	char list[8192];
	size_t n = f ? fread(list, 1, sizeof list - 1, f) : 0;

	list[n] = 0;
	if (f)
		fclose(f);
	add_list(b, list);
}

int preload_version(const char *library, char out[PRELOAD_VERSION])
{
	FILE *f = fopen(library, "re");
	char *bytes = NULL, *mark;
	size_t n = 0;
	struct stat st;

	if (!f)
		return -1;
	if (fstat(fileno(f), &st) == 0 && st.st_size > 0 && st.st_size < 64 << 20)
		bytes = malloc((size_t)st.st_size);
	if (bytes)
		n = fread(bytes, 1, (size_t)st.st_size, f);
	fclose(f);
	/* The mark that is found is the object's: the copy in this program is in another file. */
	mark = n ? memmem(bytes, n, VERSION_MARK, strlen(VERSION_MARK)) : NULL;
	if (mark) {
		size_t at = (size_t)(mark - bytes) + strlen(VERSION_MARK),
		       len = strnlen(bytes + at, n - at);
		snprintf(out, PRELOAD_VERSION, "%.*s", (int)len, bytes + at);
	}
	free(bytes);
	return mark ? 0 : -1;
}

char *preload_several(const char *ours)
{
	struct builds *b = calloc(1, sizeof *b);
	const char *list = getenv("LD_PRELOAD");
	char *text = NULL;
	size_t size = 0;
	FILE *to;

	if (!b)
		return NULL;
	add_list(b, list ? list : "");
	add_build(b, ours);
	add_system(b);
	to = b->count > 1 ? open_memstream(&text, &size) : NULL;
	for (int i = 0; to && i < b->count; i++)
		fprintf(to, i == 0 ? "several builds of Reprise are preloaded: %s (version %s) "
		                     "serves"
		                   : ", %s (version %s) steps back",
		        b->v[i].path, b->v[i].version);
	free(b);
	if (!to)
		return NULL;
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}
