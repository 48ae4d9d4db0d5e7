/* tree.c - the tree below the working directory, as lists that lib.bash compares.
 *
 *     tree meta SECONDS     "+" (a file written since then) or "-", type, mode, links, path, target
 *     tree inputs           of what is no directory: type, mode, links, size, time of modification, path
 *     tree names            paths
 *     tree prune FILE       removes what is not among the paths in FILE, which `tree names` wrote
 *
 * Lines are sorted by bytes. A name that holds a newline makes two lines, the same two each time; for names and prune
 * lines end in NUL. */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char **lines;
static size_t count, cap;

static void add(char *line)
{
	if (count == cap) {
		cap = cap ? cap * 2 : 256;
		lines = realloc(lines, cap * sizeof *lines);
		if (!lines)
			exit(2);
	}
	lines[count++] = line;
}

static int by_bytes(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

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

static void describe(const char *what, const FTSENT *e, const struct timespec *since)
{
	const struct stat *st = e->fts_statp;
	const char *path = e->fts_path + 2; /* "./" */
	char target[4096] = "", *line = NULL;
	int directory = S_ISDIR(st->st_mode), newer;
	ssize_t n;

	if (strcmp(what, "names") == 0 || strcmp(what, "prune") == 0) {
		add(strdup(path));
		return;
	}
	if (strcmp(what, "inputs") == 0) {
		if (!directory && asprintf(&line, "%c %o %lu %lld %lld.%09ld %s", type_of(st->st_mode), st->st_mode & 07777,
		                           (unsigned long)st->st_nlink, (long long)st->st_size, (long long)st->st_mtim.tv_sec,
		                           st->st_mtim.tv_nsec, path) > 0)
			add(line);
		return;
	}
	if (S_ISLNK(st->st_mode) && (n = readlink(e->fts_accpath, target, sizeof target - 1)) > 0)
		target[n] = '\0';
	newer = st->st_mtim.tv_sec > since->tv_sec ||
	        (st->st_mtim.tv_sec == since->tv_sec && st->st_mtim.tv_nsec > since->tv_nsec);
	if (directory)
		n = asprintf(&line, "- d %o %s", st->st_mode & 07777, path);
	else
		n = asprintf(&line, "%c %c %o %lu %s %s", newer ? '+' : '-', type_of(st->st_mode), st->st_mode & 07777,
		             (unsigned long)st->st_nlink, path, target);
	if (n > 0)
		add(line);
}

/* The paths that FILE holds, in the order of strcmp. */
static char **kept_paths(const char *file, size_t *n)
{
	static char text[16 << 20];
	FILE *f = fopen(file, "r");
	size_t len = f ? fread(text, 1, sizeof text, f) : 0;
	char **kept = malloc((len + 1) * sizeof *kept);

	if (!f || len == sizeof text || !kept) {
		fprintf(stderr, "tree: cannot read %s\n", file);
		exit(2);
	}
	for (size_t at = 0; at < len; at += strlen(text + at) + 1)
		kept[(*n)++] = text + at;
	fclose(f);
	return kept;
}

static int prune(const char *file)
{
	size_t n = 0;
	char **kept = kept_paths(file, &n);
	int bad = 0;

	/* What lies in a directory comes behind it. */
	for (size_t i = count; i-- > 0;)
		if (!bsearch(&lines[i], kept, n, sizeof *kept, by_bytes) && remove(lines[i]) < 0 && errno != ENOENT) {
			perror(lines[i]);
			bad = 1;
		}
	return bad;
}

int main(int argc, char **argv)
{
	char *here[] = {".", NULL};
	const char *what = argc > 1 ? argv[1] : "";
	struct timespec since = {0};
	char *point;
	FTSENT *e;
	FTS *fts;

	if (!strstr(" meta inputs names prune ", what) || argc != (strcmp(what, "inputs") && strcmp(what, "names") ? 3 : 2)) {
		fprintf(stderr, "usage: tree meta SECONDS | inputs | names | prune FILE\n");
		return 2;
	}
	if (strcmp(what, "meta") == 0) {
		since.tv_sec = strtol(argv[2], &point, 10);
		since.tv_nsec = *point == '.' ? strtol(point + 1, NULL, 10) * 1000 : 0; /* six digits */
	}
	fts = fts_open(here, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (fts && (e = fts_read(fts)))
		if (e->fts_level > 0 && e->fts_info != FTS_DP)
			describe(what, e, &since);
	qsort(lines, count, sizeof *lines, by_bytes);
	if (strcmp(what, "prune") == 0)
		return prune(argv[2]);
	for (size_t i = 0; i < count; i++) {
		fputs(lines[i], stdout);
		putchar(strcmp(what, "names") == 0 ? '\0' : '\n');
	}
	return fflush(stdout) != 0;
}
