/* tree.c - the tree below the working directory, before and after a run, for rounds.bash. RESULTS
 * is a directory outside the tree, on the same file system.
 *
 *     tree begin RESULTS     empties RESULTS, and writes two files there. names: all paths. inputs,
 *                            without directories: type, mode, links, size, time of modification,
 *                            path
 *     tree meta RESULTS RUN SECONDS  writes RUN.meta: "+" (a file written since then) or "-", type,
 *                            mode, links, path, target
 *     tree keep RESULTS RUN SECONDS  the same, and moves what is not among the names to RUN.tree.
 *                            Status 1 if what is left is not as inputs says: inputs.now says how it
 *                            is
 *     tree same RESULTS A B [GLOB...]  status 0 if A.status, A.out, A.err, A.meta and A.tree are as
 *                            those of B, but for the content of files with such a name
 *
 * Lines are sorted by bytes. A name that holds a newline makes two lines, the same two each time;
 * in names lines end in NUL. */
#include <errno.h>
#include <fnmatch.h>
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
	if (fts)
		fts_close(fts);
	qsort(l.v, l.count, sizeof *l.v, by_bytes);
	return l;
}

static const char *results;

/* RESULTS/RUN and PART. */
static const char *in_results(const char *run, const char *part)
{
	static char path[4][8192];
	static unsigned next;
	char *p = path[next++ % 4];

	snprintf(p, sizeof path[0], "%s/%s%s", results, run, part);
	return p;
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

static void print(const struct lines *l, const char *file, char end)
{
	FILE *to = opened(file, "w");

	for (size_t i = 0; i < l->count; i++) {
		fputs(l->v[i], to);
		putc(end, to);
	}
	if (fclose(to) != 0)
		exit(2);
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
	int same;

	do {
		for (int i = 0; i < 2; i++)
			n[i] = fread(text[i], 1, sizeof text[i], f[i]);
		same = n[0] == n[1] && memcmp(text[0], text[1], n[0]) == 0;
	} while (same && n[0]);
	fclose(f[0]);
	fclose(f[1]);
	return same;
}

static int equal_links(const char *a, const char *b)
{
	char target[2][4096];
	ssize_t n[2] = {readlink(a, target[0], sizeof target[0]),
	                readlink(b, target[1], sizeof target[1])};

	return n[0] >= 0 && n[0] == n[1] && memcmp(target[0], target[1], n[0]) == 0;
}

/* What A.tree holds has the same content in B.tree. Both hold the same paths, as .meta says. */
static int equal_trees(const char *a, const char *b, char **globs)
{
	const char *top = in_results(a, ".tree"), *other = in_results(b, ".tree");
	char *at[] = {(char *)top, NULL}, path[8192];
	FTS *fts = fts_open(at, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int equals = fts != NULL;
	struct stat st;
	FTSENT *e;

	while (equals && (e = fts_read(fts))) {
		int ignored = 0;

		for (char **g = globs; *g; g++)
			ignored |= fnmatch(*g, e->fts_name, 0) == 0;
		if (ignored || e->fts_info == FTS_DP) {
			fts_set(fts, e, FTS_SKIP);
			continue;
		}
		snprintf(path, sizeof path, "%s%s", other, e->fts_path + strlen(top));
		if (lstat(path, &st) < 0 ||
		    (st.st_mode & S_IFMT) != (e->fts_statp->st_mode & S_IFMT))
			equals = 0;
		else if (S_ISREG(st.st_mode))
			equals = equal(e->fts_path, path);
		else if (S_ISLNK(st.st_mode))
			equals = equal_links(e->fts_path, path);
	}
	if (fts)
		fts_close(fts);
	return equals;
}

static int same(const char *a, const char *b, char **globs)
{
	static const char *const parts[] = {".status", ".out", ".err", ".meta"};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!equal(in_results(a, parts[i]), in_results(b, parts[i])))
			return 0;
	return equal_trees(a, b, globs);
}

static int is_in(const struct lines *l, char *path)
{
	return bsearch(&path, l->v, l->count, sizeof *l->v, by_bytes) != NULL;
}

/* Moves a path that is new to the tree of the run, below the directories that are kept. */
static void move(char *path, const char *tree)
{
	char to[8192];
	size_t top = snprintf(to, sizeof to, "%s/%s", tree, path) - strlen(path);

	for (char *slash = to + top; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(to, 0777) < 0 && errno != EEXIST)
			perror(to);
		*slash = '/';
	}
	if (rename(path, to) < 0) {
		perror(path);
		exit(2);
	}
}

static int keep(const char *run)
{
	struct lines kept = lines_of(in_results("names", ""), '\0'), now = walk(NAMES, NULL);
	const char *tree = in_results(run, ".tree");

	if (mkdir(tree, 0777) < 0)
		perror(tree);
	for (size_t i = 0; i < now.count; i++) {
		char *slash = strrchr(now.v[i], '/'), *parent = NULL;

		if (is_in(&kept, now.v[i]))
			continue;
		if (slash)
			parent = strndup(now.v[i], slash - now.v[i]);
		/* What is in a new directory is moved with it. */
		if (!parent || is_in(&kept, parent))
			move(now.v[i], tree);
		free(parent);
	}
	now = walk(INPUTS, NULL);
	print(&now, in_results("inputs.now", ""), '\n');
	return !equal(in_results("inputs", ""), in_results("inputs.now", ""));
}

static void meta(const char *run, const char *seconds)
{
	struct timespec since = {0};
	struct lines l;
	char *point;

	since.tv_sec = strtol(seconds, &point, 10);
	/* six digits */
	since.tv_nsec = *point == '.' ? strtol(point + 1, NULL, 10) * 1000 : 0;
	l = walk(META, &since);
	print(&l, in_results(run, ".meta"), '\n');
}

/* Removes a directory with all that it holds, and makes it anew. */
static void empty(const char *directory)
{
	char *at[] = {(char *)directory, NULL};
	FTS *fts = fts_open(at, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;

	while (fts && (e = fts_read(fts)))
		if (e->fts_info == FTS_DP || !S_ISDIR(e->fts_statp->st_mode))
			(void)remove(e->fts_accpath);
	if (mkdir(directory, 0777) < 0) {
		perror(directory);
		exit(2);
	}
}

static void begin(void)
{
	struct lines l;

	empty(results);
	l = walk(NAMES, NULL);
	print(&l, in_results("names", ""), '\0');
	l = walk(INPUTS, NULL);
	print(&l, in_results("inputs", ""), '\n');
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	results = argv[2];
	if (strcmp(what, "begin") == 0 && argc == 3) {
		begin();
		return 0;
	}
	if (strcmp(what, "meta") == 0 && argc == 5) {
		meta(argv[3], argv[4]);
		return 0;
	}
	if (strcmp(what, "keep") == 0 && argc == 5) {
		meta(argv[3], argv[4]);
		return keep(argv[3]);
	}
	if (strcmp(what, "same") == 0 && argc >= 5)
		return !same(argv[3], argv[4], argv + 5);
	fprintf(stderr, "usage: tree begin RESULTS | meta or keep RESULTS RUN SECONDS | "
	                "same RESULTS A B [GLOB...]\n");
	return 2;
}
