/* store/job/counters.c - counters in a shared page, folded into text files.
 *
 * <runtime>/counters: 1536 words of 8 bytes, native byte order (it never leaves the node)
 *   0         magic "RPCOUNT2"
 *   1 + c     counter c of COUNTERS
 *   64 + r    reason r of reason.def
 *   128 + w   enum counter_word
 *   160 + 2 n class number n of units/units.def: units packed; then units brought
 *   512       slots of jobs (store/job/events.h)
 *
 * <dir>/stats/<host>: text, a line for each counter: key, space, decimal number. store_size is the
 * last value that this host knew; all other counters are added up over hosts. Unknown lines are
 * dropped. A host that folds its counters also takes over the files of hosts that wrote nothing for
 * a week. */
#include "store/job/counters.h"

#include <sys/stat.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "store/dirs.h"
#include "store/lock.h"
#include "store/shared_page.h"

#include "shim/banned.h"

#define COUNTS_BYTES 4096
#define PAGE_BYTES (COUNTS_BYTES + COUNTERS_JOBS_BYTES)
#define PAGE_MAGIC 0x32544e554f435052ll /* "RPCOUNT2" */
enum { WORD_COUNTERS = 1, WORD_REASONS = 64, WORD_OTHERS = 128, WORD_CLASSES = 160 };
_Static_assert(WORD_COUNTERS + COUNTER_PLAIN <= WORD_REASONS, "table above");
/* COUNTERS_ALL lines of a key and a number take at most 6 KiB. */
#define STATS_BYTES_MAX 8192
/* Folding writes two small files; a longer wait means that the holder is stuck. */
#define FOLD_WAIT_NS 2000000000ll
/* Files taken over in one fold; the next fold takes more. */
#define MERGE_FILES 16
/* A host that comes back later starts a new file. */
#define MERGE_AGE_S (7 * 24 * 3600)

/* No pointers: each would be relocated in every process of a job. */
static const struct {
	char key[28], help[100];
} rows[COUNTER_COUNT] = {
#define X(id, key, help) [COUNTER_##id] = {key, help},
	COUNTERS(X)
#undef X
#define ROW(id, number, name, form, complete, scope, check, traits, path, member, index, shown,    \
            help)                                                                                  \
	[COUNTER_PACKED_##id] = {"packed_" name, "packed: " help},                                 \
	[COUNTER_BROUGHT_##id] = {"brought_" name, "brought: " help},
	UNIT_CLASSES(ROW)
#undef ROW
};

static int word_of(int i)
{
	static const unsigned char numbers[] = {
#define ROW(id, number, ...) number,
		UNIT_CLASSES(ROW)
#undef ROW
	};
	int n = i - COUNTER_PLAIN;

	if (i >= COUNTER_COUNT)
		return WORD_REASONS + i - COUNTER_COUNT;
	return n < 0 ? WORD_COUNTERS + i : WORD_CLASSES + 2 * numbers[n / 2] + n % 2;
}

static int stats_path(char *out, const char *dir, const char *name)
{
	char rest[80] = "stats";

	if (name)
		format_text(rest, sizeof rest, "stats/%s", name);
	return path_join(out, PATH_SIZE, dir, rest) < PATH_SIZE ? 0 : -ENAMETOOLONG;
}

/* Index among COUNTERS_ALL, or -1. */
static int find_key(const char *key, size_t n)
{
	for (int i = 0; i < COUNTER_COUNT; i++)
		if (strlen(rows[i].key) == n && memcmp(rows[i].key, key, n) == 0)
			return i;
	if (n <= 7 || memcmp(key, "reason_", 7) != 0)
		return -1;
	for (int r = 1; r < REASON_COUNT; r++)
		if (strlen(reason_rows[r].name) == n - 7 &&
		    memcmp(reason_rows[r].name, key + 7, n - 7) == 0)
			return COUNTER_COUNT + r;
	return -1;
}

/* Parses a decimal number with an optional minus; anything else is 0. */
static int64_t number(const char *p, const char *end)
{
	int minus = p < end && *p == '-';
	int64_t v = 0;

	for (p += minus; p < end; p++) {
		if (*p < '0' || *p > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, *p - '0', &v))
			return 0;
	}
	return minus ? -v : v;
}

/* Adds one stats file to v; STORE_SIZE is replaced. Returns how many of its lines are known, or
 * -errno if it could not be read. */
static int stats_load(const char *path, int64_t v[COUNTERS_ALL])
{
	char text[STATS_BYTES_MAX];
	int known = 0;
	ssize_t n = sys_read_file(path, O_NOFOLLOW, text, sizeof text);

	if (n < 0)
		return (int)n;
	for (const char *p = text, *end = text + n; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *space = nl ? memchr(p, ' ', (size_t)(nl - p)) : NULL;
		int i = space ? find_key(p, (size_t)(space - p)) : -1;

		if (i == COUNTER_STORE_SIZE)
			v[i] = number(space + 1, nl);
		else if (i >= 0)
			v[i] = (int64_t)((uint64_t)v[i] + (uint64_t)number(space + 1, nl));
		known += i >= 0;
		if (!nl)
			break;
		p = nl + 1;
	}
	return known;
}

static int stats_save(const char *dir, const char *path, const int64_t v[COUNTERS_ALL])
{
	char text[STATS_BYTES_MAX], tmp[PATH_SIZE];
	size_t n = 0;

	for (int i = 0; i < COUNTER_COUNT + REASON_COUNT; i++) {
		/* this line is in every stats file and identifies it */
		if (!v[i] && i != COUNTER_STORE_SIZE)
			continue;
		n += i < COUNTER_COUNT
		     ? format_text(text + n, sizeof text - n, "%s %ld\n", rows[i].key, (long)v[i])
		     : format_text(text + n, sizeof text - n, "reason_%s %ld\n",
		                   reason_rows[i - COUNTER_COUNT].name, (long)v[i]);
	}
	struct tmp_part part = {text, n};
	int rc = tmp_write(tmp, sizeof tmp, dir, &part, 1);
	if (rc == 0 && (rc = tmp_rename(tmp, path)) < 0)
		tmp_drop(tmp);
	return rc;
}

/* Calls each(ctx, path) for the stats files of all hosts. */
static void stats_each(const char *dir, void (*each)(void *ctx, const char *path), void *ctx)
{
	_Alignas(8) char list[2048];
	char path[PATH_SIZE];
	ssize_t n;

	if (stats_path(path, dir, NULL) < 0)
		return;
	int fd = sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	while ((n = sys_getdents(fd, list, sizeof list)) > 0)
		for (ssize_t at = 0; at < n;) {
			/* struct linux_dirent64: ino 8, off 8, reclen 2, type 1, name */
			unsigned short size;
			const char *name = list + at + 19;

			memcpy(&size, list + at + 16, sizeof size);
			if (name[0] != '.' && strlen(name) < DIRS_HOST &&
			    stats_path(path, dir, name) == 0)
				each(ctx, path);
			at += size;
		}
	sys_close(fd);
}

static void each_load(void *ctx, const char *path)
{
	stats_load(path, ctx);
}

static void each_unlink(void *ctx, const char *path)
{
	int64_t v[COUNTERS_ALL] = {0};

	if (stats_load(path, v) > 0)
		sys_unlink(path);
}

struct merge {
	const char *own;
	int64_t *sum;
	int count;
	char from[MERGE_FILES][DIRS_HOST];
};

/* Takes over files that were not written to for long, because each container has a new host name.
 * They are removed after their sums are saved. */
static void each_merge(void *ctx, const char *path)
{
	struct merge *m = ctx;
	struct statx st;

	if (m->count == MERGE_FILES || strcmp(path, m->own) == 0 ||
	    sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_MTIME, &st) < 0 ||
	    st.stx_mtime.tv_sec > sys_now_ns(CLOCK_REALTIME) / 1000000000 - MERGE_AGE_S)
		return;
	if (stats_load(path, m->sum) > 0)
		strcpy(m->from[m->count++], path_base(path));
}

/* Returns the mapped page, or NULL. */
static int64_t *page_of(struct store *s)
{
	int64_t *page = s->page;
	int made;

	if (page || !s->runtime_dir)
		return page;
	page = shared_page_open(s->runtime_dir, "counters", PAGE_BYTES, PAGE_MAGIC, &made);
	if (made) {
		/* A new page, as after a boot: the store's size is in the stats file. */
		int64_t v[COUNTERS_ALL] = {0};
		char host[65], path[PATH_SIZE];

		dirs_host(host);
		if (s->dir && stats_path(path, s->dir, host) == 0)
			stats_load(path, v);
		__atomic_add_fetch(page + WORD_COUNTERS + COUNTER_STORE_SIZE, v[COUNTER_STORE_SIZE],
		                   __ATOMIC_RELAXED);
	}
	s->page = page;
	return page;
}

static enum lock_status fold_lock(struct lock *l, const struct store *s)
{
	struct digest key;

	digest_name(&key, "reprise stats", 13);
	return lock_take(l, s->runtime_dir, &key, FOLD_WAIT_NS, NULL);
}

void counters_close(struct store *s)
{
	if (s->page)
		shared_page_close(s->page, PAGE_BYTES);
	s->page = NULL;
}

/* Moves all counters from the page to v; STORE_SIZE is only copied. */
static void page_take(int64_t *page, int64_t v[COUNTERS_ALL])
{
	for (int i = 0; page && i < COUNTER_COUNT + REASON_COUNT; i++)
		if (i == COUNTER_STORE_SIZE)
			v[i] = __atomic_load_n(page + word_of(i), __ATOMIC_RELAXED);
		else
			v[i] += __atomic_exchange_n(page + word_of(i), 0, __ATOMIC_RELAXED);
}

void counters_add(struct store *s, enum counter c, int64_t n)
{
	int64_t *page = page_of(s);

	if (page)
		__atomic_add_fetch(page + word_of((int)c), n, __ATOMIC_RELAXED);
}

void counters_reason(struct store *s, enum reason r)
{
	static const enum counter group[] = {
		[REASON_GROUP_MISS] = COUNTER_MISSES, [REASON_GROUP_BYPASS] = COUNTER_BYPASSES,
		[REASON_GROUP_UNSTORED] = COUNTER_UNSTORED, [REASON_GROUP_ERROR] = COUNTER_ERRORS,
	};
	int64_t *page = page_of(s);

	if (!page || r <= REASON_NONE || r >= REASON_COUNT)
		return;
	__atomic_add_fetch(page + WORD_REASONS + r, 1, __ATOMIC_RELAXED);
	if (reason_rows[r].group != REASON_GROUP_NONE)
		counters_add(s, group[reason_rows[r].group], 1);
}

int counters_read(struct store *s, int64_t out[COUNTERS_ALL], struct fault *fault)
{
	int64_t *page = page_of(s);
	int64_t now[COUNTERS_ALL] = {0};

	memset(out, 0, COUNTERS_ALL * sizeof *out);
	if (!page && !s->dir)
		return fault_set(fault, ENOENT, "no counters: neither a store nor a runtime "
		                 "directory");
	if (s->dir)
		stats_each(s->dir, each_load, out);
	for (int i = 0; page && i < COUNTER_COUNT + REASON_COUNT; i++)
		now[i] = __atomic_load_n(page + word_of(i), __ATOMIC_RELAXED);
	for (int i = 0; i < COUNTER_COUNT + REASON_COUNT; i++)
		out[i] = page && i == COUNTER_STORE_SIZE ? now[i] : out[i] + now[i];
	return 0;
}

int counters_zero(struct store *s, struct fault *fault)
{
	int64_t *page = page_of(s);
	int64_t v[COUNTERS_ALL] = {0}, keep[COUNTERS_ALL] = {0};
	char host[65], path[PATH_SIZE];
	struct lock l = LOCK_INIT;

	if (!page && !s->dir)
		return fault_set(fault, ENOENT, "no counters: neither a store nor a runtime "
		                 "directory");
	/* Also without the lock: at worst, a fold that is under way restores its numbers. */
	fold_lock(&l, s);
	page_take(page, v);
	int rc = 0;
	if (s->dir && s->writable) {
		stats_each(s->dir, each_unlink, NULL);
		keep[COUNTER_STORE_SIZE] = v[COUNTER_STORE_SIZE];
		dirs_host(host);
		rc = stats_path(path, s->dir, host);
		if (rc == 0)
			rc = stats_save(s->dir, path, keep);
		if (rc < 0)
			fault_sys(fault, -rc, "write", path);
	}
	lock_release(&l);
	return rc < 0 ? -1 : 0;
}

int counters_fold(struct store *s, struct fault *fault)
{
	int64_t *page = page_of(s);
	int64_t v[COUNTERS_ALL] = {0}, sum[COUNTERS_ALL] = {0};
	char host[65], path[PATH_SIZE];
	struct merge m = {path, sum, 0, {""}};
	struct lock l = LOCK_INIT;

	if (!page || !s->dir || !s->writable)
		return 0; /* the counters stay in the page and are read there */
	dirs_host(host);
	int rc = stats_path(path, s->dir, host);
	if (rc < 0)
		goto out;
	if (fold_lock(&l, s) != LOCK_HELD)
		return fault_set(fault, EAGAIN, "another process adds up the counters");
	/* If the old file cannot be read, it must not be overwritten. */
	rc = stats_load(path, sum);
	if (rc == -ENOENT)
		rc = 0;
	if (rc >= 0) {
		page_take(page, v);
		stats_each(s->dir, each_merge, &m);
		sum[COUNTER_STORE_SIZE] = 0;
		for (int i = 0; i < COUNTERS_ALL; i++)
			sum[i] += v[i];
		rc = stats_save(s->dir, path, sum);
	}
	/* If the process is killed here, these counts are added twice; in the other order they
	 * would be lost. */
	for (int i = 0; rc == 0 && i < m.count; i++) {
		char gone[PATH_SIZE];

		if (stats_path(gone, s->dir, m.from[i]) == 0)
			sys_unlink(gone);
	}
	for (int i = 0; rc < 0 && i < COUNTER_COUNT + REASON_COUNT; i++)
		if (i != COUNTER_STORE_SIZE)
			__atomic_add_fetch(page + word_of(i), v[i], __ATOMIC_RELAXED);
	lock_release(&l);
out:
	if (rc < 0)
		fault_sys(fault, -rc, "write", path);
	return rc < 0 ? -1 : 0;
}

const char *counter_key(enum counter c)
{
	return rows[c].key;
}

const char *counter_help(enum counter c)
{
	return rows[c].help;
}

int64_t *counters_word(struct store *s, enum counter_word w)
{
	int64_t *page = page_of(s);

	return page ? page + WORD_OTHERS + w : NULL;
}

int64_t counters_size(struct store *s)
{
	int64_t *page = page_of(s);

	return page ? __atomic_load_n(page + WORD_COUNTERS + COUNTER_STORE_SIZE, __ATOMIC_RELAXED)
	            : 0;
}

unsigned char *counters_jobs(struct store *s)
{
	int64_t *page = page_of(s);

	return page ? (unsigned char *)page + COUNTS_BYTES : NULL;
}
