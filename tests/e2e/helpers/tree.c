/* tree.c - the tree below the working directory, as lists that rounds.bash compares.
 *
 *     tree meta SECONDS     "+" (a file written since then) or "-", type, mode, links, path, target
 *     tree begin NAMES INPUTS   writes two files. NAMES: all paths. INPUTS, without directories:
 *                               type,
 *                               mode, links, size, time of modification, path
 *     tree back NAMES INPUTS    removes what is not among the paths in NAMES; status 1 if what is
 *                               left
 *                               is not as INPUTS says: INPUTS.now says how it is
 *     tree same A B         status 0 if A.status, A.out, A.err and A.meta are as those of B
 *
 * Lines are sorted by bytes. A name that holds a newline makes two lines, the same two each time;
 * in NAMES lines end in NUL. */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct lines {
	char **v;
	size_t count, cap;
};

static void add(struct lines *l, char *line)
{
	if (l->count == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 256;
		l->v = realloc(l->v, l->cap * sizeof *l->v);
		if (!l->v)
			exit(2);
	}
	l->v[l->count++] = line;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char type_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG: return 'f';
	case S_IFDIR: return 'd';
	case S_IFLNK: return 'l';
	case S_IFIFO: return 'p';
	case S_IFSOCK: return 's';
	case S_IFCHR: return 'c';
	default: return 'b';
	}
}

/* A line of meta, or of inputs where since is NULL: NULL for a directory. */
static char *describe(const FTSENT *e, const struct timespec *since)
{
	const struct stat *st = e->fts_statp;
	const char *path = e->fts_path + 2; /* "./" */
	char target[4096] = "", *line = NULL;
	ssize_t n;
	int newer;

	if (!since) {
		if (!S_ISDIR(st->st_mode))
			(void)!asprintf(&line, "%c %o %lu %lld %lld.%09ld %s", type_of(st->st_mode),
			                st->st_mode & 07777,
			                (unsigned long)st->st_nlink, (long long)st->st_size,
			                (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec, path);
		return line;
	}
	if (S_ISLNK(st->st_mode) && (n = readlink(e->fts_accpath, target, sizeof target - 1)) > 0)
		target[n] = '\0';
	newer = st->st_mtim.tv_sec > since->tv_sec ||
	        (st->st_mtim.tv_sec == since->tv_sec && st->st_mtim.tv_nsec > since->tv_nsec);
	if (S_ISDIR(st->st_mode))
		(void)!asprintf(&line, "- d %o %s", st->st_mode & 07777, path);
	else
		(void)!asprintf(&line, "%c %c %o %lu %s %s", newer ? '+' : '-',
		                type_of(st->st_mode), st->st_mode & 07777,
		                (unsigned long)st->st_nlink, path, target);
	return line;
}

enum list { NAMES, INPUTS, META };

/* The lines of the tree, sorted. */
static struct lines walk(enum list what, const struct timespec *since)
{
	char *here[] = {".", NULL};
	FTS *fts = fts_open(here, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	struct lines l = {0};
	FTSENT *e;

	while (fts && (e = fts_read(fts)))
		if (e->fts_level > 0 && e->fts_info != FTS_DP) {
			char *line = what == NAMES ? strdup(e->fts_path + 2) : describe(e, since);

			if (line)
				add(&l, line);
		}
	qsort(l.v, l.count, sizeof *l.v, by_bytes);
	return l;
}

static void print(const struct lines *l, FILE *to, char end)
{
	for (size_t i = 0; i < l->count; i++) {
		fputs(l->v[i], to);
		putc(end, to);
	}
	if (fflush(to) != 0)
		exit(2);
}

static FILE *opened(const char *file, const char *mode)
{
	FILE *f = fopen(file, mode);

	if (!f) {
		perror(file);
		exit(2);
	}
	return f;
}

/* The lines of a file that print() wrote. */
static struct lines lines_of(const char *file, char end)
{
	struct lines l = {0};
	FILE *f = opened(file, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	while ((n = getdelim(&line, &cap, end, f)) > 0) {
		if (line[n - 1] == end)
			line[n - 1] = '\0';
		add(&l, line);
		line = NULL;
		cap = 0;
	}
	fclose(f);
	return l;
}

static int equal(const char *a, const char *b)
{
	static char text[2][65536];
	FILE *f[2] = {opened(a, "r"), opened(b, "r")};
	size_t n[2];

	do {
		for (int i = 0; i < 2; i++)
			n[i] = fread(text[i], 1, sizeof text[i], f[i]);
		if (n[0] != n[1] || memcmp(text[0], text[1], n[0]) != 0)
			return 0;
	} while (n[0]);
	return 1;
}

static int same(const char *a, const char *b)
{
	static const char *const parts[] = {"status", "out", "err", "meta"};
	char path[2][4096];

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		snprintf(path[0], sizeof path[0], "%s.%s", a, parts[i]);
		snprintf(path[1], sizeof path[1], "%s.%s", b, parts[i]);
		if (!equal(path[0], path[1]))
			return 0;
	}
	return 1;
}

static int back(const char *names, const char *inputs)
{
	struct lines kept = lines_of(names, '\0'), now = walk(NAMES, NULL);
	char path[4096];

	/* A directory's content comes after it. */
	for (size_t i = now.count; i-- > 0;)
		if (!bsearch(&now.v[i], kept.v, kept.count, sizeof *kept.v, by_bytes) &&
		    remove(now.v[i]) < 0 && errno != ENOENT)
			perror(now.v[i]);
	snprintf(path, sizeof path, "%s.now", inputs);
	now = walk(INPUTS, NULL);
	print(&now, opened(path, "w"), '\n');
	return !equal(inputs, path);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	struct lines l;

	if (strcmp(what, "meta") == 0 && argc == 3) {
		struct timespec since = {0};
		char *point;

		since.tv_sec = strtol(argv[2], &point, 10);
		/* six digits */
		since.tv_nsec = *point == '.' ? strtol(point + 1, NULL, 10) * 1000 : 0;
		l = walk(META, &since);
		print(&l, stdout, '\n');
		return 0;
	}
	if (strcmp(what, "begin") == 0 && argc == 4) {
		l = walk(NAMES, NULL);
		print(&l, opened(argv[2], "w"), '\0');
		l = walk(INPUTS, NULL);
		print(&l, opened(argv[3], "w"), '\n');
		return 0;
	}
	if (strcmp(what, "back") == 0 && argc == 4)
		return back(argv[2], argv[3]);
	if (strcmp(what, "same") == 0 && argc == 4)
		return !same(argv[2], argv[3]);
	fprintf(stderr,
	        "usage: tree meta SECONDS | begin NAMES INPUTS | back NAMES INPUTS | same A B\n");
	return 2;
}
