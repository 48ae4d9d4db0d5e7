/* store/eviction.c - eviction and clean-up. */
#include "store/eviction.h"

#include <sys/stat.h>

#include "shim/kernel/sys.h"
#include "shim/sort.h"
#include "store/dirs.h"
#include "store/job/counters.h"
#include "store/job/events.h"
#include "store/job/job_list.h"
#include "store/lock.h"
#include "store/queue/queue.h"
#include "store/tracefile.h"
#include "store/walk.h"

#include "shim/banned.h"

#define BLOCK 4096u
/* A writer's pass stops after the shard with this entry: it takes some milliseconds on a local
 * disk. */
#define WRITER_ENTRIES 2048u
/* A pass without eviction measures the size, since the counter does not include other hosts. It
 * runs each time that this host has stored this share of the limit, or so many entries. It takes
 * some milliseconds of a job's time. */
#define MEASURE_SHARE 512
#define MEASURE_PUTS 4096
#define MEASURE_LEAST 64 /* blocks */
#define CLEANER_WAIT_NS 10000000000ll

struct item {
	int64_t used; /* mtime in ns; for a manifest, of its newest slot */
	uint64_t size;
	struct digest key;
	unsigned char class, slot, root;
};
/* The store, and the inbox of each remote store (store/inbox.h). Entries of more inboxes are not
 * measured; they leave by age. */
#define ROOTS_MAX 8
struct scan {
	struct store *s;
	const char *root[ROOTS_MAX];
	unsigned roots;
	struct arena arena;
	struct buf items;
	uint64_t bytes;
	unsigned shards;
};

struct shard_walk {
	struct scan *scan;
	size_t class;
	unsigned shard, root;
};

static int scan_name(void *ctx, int dirfd, const char *path, const char *name)
{
	struct shard_walk *w = ctx;
	struct item it;
	struct statx st;
	int slot;

	memset(&it, 0, sizeof it);
	if (walk_parse(name, w->shard, &it.key, &slot) < 0 ||
	    sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_SIZE | STATX_MTIME,
	              &st) < 0)
		return 0;
	it.slot = (unsigned char)slot;
	it.class = (unsigned char)walk_classes[w->class].class;
	it.root = (unsigned char)w->root;
	it.used = st.stx_mtime.tv_sec * 1000000000ll + st.stx_mtime.tv_nsec;
	it.size = (st.stx_size + BLOCK - 1) & ~(uint64_t)(BLOCK - 1);
	buf_add(&w->scan->items, &it, sizeof it);
	w->scan->bytes += it.size;
	return 0;
}

static int add_root(void *ctx, int dirfd, const char *path, const char *name)
{
	struct scan *sc = ctx;
	const char *root = arena_cat(&sc->arena, path, "/", name, NULL);

	(void)dirfd;
	if (root && sc->roots < ROOTS_MAX)
		sc->root[sc->roots++] = root;
	return 0;
}

static void scan_begin(struct scan *sc, struct store *s)
{
	const char *inboxes;

	*sc = (struct scan){.s = s, .arena = ARENA_INIT, .root = {s->dir}, .roots = 1};
	sc->items = (struct buf)BUF_INIT(&sc->arena);
	inboxes = arena_cat(&sc->arena, s->dir, STORE_INBOX, NULL);
	if (inboxes)
		walk_names(inboxes, add_root, sc);
}

static void scan_shard(struct scan *sc, unsigned shard)
{
	char path[PATH_SIZE];

	for (unsigned root = 0; root < sc->roots; root++)
		for (size_t c = 0; c < WALK_CLASSES; c++) {
			struct shard_walk w = {sc, c, shard, root};

			walk_shard(path, &(struct store){.dir = sc->root[root]}, c, shard);
			walk_names(path, scan_name, &w);
		}
	sc->shards++;
}

static size_t item_count(const struct scan *sc)
{
	return sc->items.len / sizeof(struct item);
}

/* Sorts the slots of a manifest together. */
static int by_key(const void *x, const void *y)
{
	const struct item *a = x, *b = y;

	if (a->class != b->class || a->root != b->root)
		return a->class != b->class ? a->class - b->class : a->root - b->root;
	return memcmp(a->key.b, b->key.b, DIGEST_SIZE);
}

/* The order of removal. Among slots of one age the last goes first, so that no gap is left. */
static int by_use(const void *x, const void *y)
{
	const struct item *a = x, *b = y;

	if (a->used != b->used)
		return a->used < b->used ? -1 : 1;
	int key = by_key(a, b);
	return key ? key : b->slot - a->slot;
}

/* Gives all slots of a manifest one age: readers stop at the first gap. v is sorted by key. */
static void join_slots(struct item *v, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		int64_t newest = v[i].used;

		for (end = i + 1; end < n && by_key(&v[i], &v[end]) == 0; end++)
			if (v[end].used > newest)
				newest = v[end].used;
		for (size_t k = i; k < end; k++)
			v[k].used = newest;
	}
}

/* Removes the least recently used entries until goal bytes are left. */
static void evict(struct scan *sc, uint64_t goal, struct gc_report *report)
{
	struct item *v = (struct item *)sc->items.data;
	size_t n = item_count(sc);
	char path[PATH_SIZE];

	if (sc->items.failed || sc->bytes <= goal)
		return;
	v = sort_stable(&sc->arena, v, n, sizeof *v, by_key);
	if (v)
		join_slots(v, n);
	v = v ? sort_stable(&sc->arena, v, n, sizeof *v, by_use) : NULL;
	for (size_t i = 0; v && i < n && sc->bytes > goal; i++) {
		store_path(path, sizeof path, sc->root[v[i].root], v[i].class, &v[i].key,
		           v[i].slot);
		int rc = sys_unlink(path);
		if (rc < 0 && rc != -ENOENT)
			continue;
		sc->bytes -= v[i].size;
		report->removed++;
		report->removed_bytes += v[i].size;
	}
	counters_add(sc->s, COUNTER_EVICTED, (int64_t)report->removed);
}

/* rmdir refuses directories that are not empty; a writer makes missing ones again. */
static void drop_empty(struct store *s)
{
	char path[PATH_SIZE];

	for (size_t c = 0; c < WALK_CLASSES; c++)
		for (unsigned i = 0; i < WALK_SHARDS; i++) {
			walk_shard(path, s, c, i);
			sys_rmdir(path);
		}
}

static uint64_t drop_litter(struct store *s)
{
	int64_t now = sys_now_ns(CLOCK_REALTIME) / 1000000000;

	events_adopt(s);
	return walk_drop_litter(s) + queue_drop_unused(s) +
	       (s->runtime_dir ? tracefile_sweep(s->runtime_dir) : 0) +
	       job_list_drop_old(s, now - JOB_LIST_KEEP_S) +
	       events_drop_old(s, now - EVENTS_KEEP_S);
}

static enum lock_status cleaner_lock(struct lock *l, const struct store *s, int64_t wait_ns)
{
	struct digest key;

	digest_name(&key, "reprise gc", 10);
	return lock_take(l, s->runtime_dir, &key, wait_ns, NULL);
}

/* The size after eviction: it leaves room for some puts before the next one. */
static uint64_t goal_of(uint64_t limit)
{
	return limit - limit / 10;
}

/* The share of a limit that belongs to this many shards. */
static uint64_t share(uint64_t limit, unsigned shards)
{
	return limit / WALK_SHARDS * shards + limit % WALK_SHARDS * shards / WALK_SHARDS;
}

/* Corrects the counter, which was `counted`, by the scan, which found `before` bytes before it
 * evicted. over: the counter was above the limit. */
static void correct(const struct scan *sc, int64_t counted, uint64_t before, int over)
{
	int64_t removed = (int64_t)(before - sc->bytes);
	int64_t total = (int64_t)(before / sc->shards * WALK_SHARDS);

	if (sc->items.failed)
		return;
	/* Puts of other processes during the scan stay counted. */
	if (sc->shards == WALK_SHARDS)
		total = (int64_t)before;
	/* A pass over some shards is a sample, so it corrects gross errors only. It also corrects a
	 * counter above the limit if there was nothing to evict: otherwise every put would run a
	 * pass. */
	else if (total < counted + counted / 4 && total > counted / 2 &&
	         !(over && removed == 0 && total < counted))
		total = counted;
	counters_add(sc->s, COUNTER_STORE_SIZE, total - counted - removed);
}

static void writer_pass(struct store *s, int over)
{
	struct scan sc;
	int64_t *cursor = counters_word(s, COUNTER_WORD_CURSOR);
	int64_t counted = counters_size(s);
	struct gc_report report = {0};
	unsigned at = (unsigned)__atomic_load_n(cursor, __ATOMIC_RELAXED) % WALK_SHARDS;
	int came_round = 0;

	scan_begin(&sc, s);
	while (sc.shards < WALK_SHARDS && item_count(&sc) < WRITER_ENTRIES && !sc.items.failed) {
		scan_shard(&sc, at);
		at = (at + 1) % WALK_SHARDS;
		came_round |= at == 0;
	}
	__atomic_store_n(cursor, at, __ATOMIC_RELAXED);
	uint64_t before = sc.bytes;
	if (over)
		evict(&sc, share(goal_of(s->max_size), sc.shards), &report);
	correct(&sc, counted, before, over);
	if (came_round)
		drop_litter(s);
	arena_free(&sc.arena);
}

/* Checks and lock of the command's passes. */
static int begin(struct store *s, struct lock *l, struct fault *fault)
{
	if (!s->dir || !s->writable)
		return fault_set(fault, s->dir ? EROFS : ENOENT,
		                 s->dir ? "the store is read-only" : "no store");
	if (dirs_layout(s->dir) != STORE_LAYOUT)
		return fault_set(fault, EINVAL, "%s is the store of another version of Reprise",
		                 s->dir);
	if (cleaner_lock(l, s, CLEANER_WAIT_NS) == LOCK_TIMEOUT)
		return fault_set(fault, EAGAIN, "another process is cleaning %s", s->dir);
	/* where locks do not work two processes may clean at once, which only costs time */
	return 0;
}

int gc_run(struct store *s, int force, struct gc_report *out,
           void (*progress)(void *ctx, unsigned done, unsigned all), void *ctx, struct fault *fault)
{
	struct scan sc;
	struct lock l = LOCK_INIT;
	struct fault fold_fault;
	uint64_t limit = s->max_size;

	memset(out, 0, sizeof *out);
	if (begin(s, &l, fault) < 0)
		return -1;
	out->litter = drop_litter(s);
	int64_t counted = counters_size(s);
	int needed = force || (limit && counted > 0 && (uint64_t)counted > limit);
	scan_begin(&sc, s);
	for (unsigned i = 0; i < WALK_SHARDS && needed; i++) {
		scan_shard(&sc, i);
		if (progress)
			progress(ctx, i + 1, WALK_SHARDS);
	}
	int failed = sc.items.failed;
	if (needed) {
		uint64_t before = sc.bytes;

		if (limit && before > limit)
			evict(&sc, goal_of(limit), out);
		correct(&sc, counted, before, 0);
		drop_empty(s);
	}
	out->entries = item_count(&sc) - out->removed;
	out->bytes = sc.bytes;
	arena_free(&sc.arena);
	lock_release(&l);
	if (failed)
		return fault_set(fault, ENOMEM, "no memory for the list of entries");
	counters_fold(s, &fold_fault); /* on failure they are read from the page */
	return 0;
}

void gc_account(struct store *s, int64_t n)
{
	int64_t *put = counters_word(s, COUNTER_WORD_PUT);
	int64_t blocks = (n + BLOCK - 1) / BLOCK, every, now;
	struct lock l = LOCK_INIT;
	int over;

	if (!put)
		return;
	counters_add(s, COUNTER_STORE_SIZE, blocks * BLOCK);
	if (!s->max_size || !s->dir || !s->writable)
		return;
	every = (int64_t)(s->max_size / BLOCK / MEASURE_SHARE);
	if (every < MEASURE_LEAST)
		every = MEASURE_LEAST;
	blocks += every / MEASURE_PUTS;
	now = __atomic_add_fetch(put, blocks, __ATOMIC_RELAXED);
	over = counters_size(s) > 0 && (uint64_t)counters_size(s) > s->max_size;
	if (!over && now / every == (now - blocks) / every)
		return;
	if (dirs_layout(s->dir) != STORE_LAYOUT || cleaner_lock(&l, s, 0) != LOCK_HELD)
		return;
	writer_pass(s, over);
	lock_release(&l);
}

struct clear {
	struct gc_report *out;
	void (*progress)(uint64_t removed);
	int error;
};

static int clear_entry(void *ctx, enum store_class class, const char *path)
{
	struct clear *c = ctx;
	struct statx st = {0};

	sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_SIZE, &st);
	int rc = sys_unlink(path);
	if (rc == 0) {
		c->out->removed++;
		c->out->removed_bytes += (st.stx_size + BLOCK - 1) & ~(uint64_t)(BLOCK - 1);
	} else if (rc != -ENOENT) {
		c->error = -rc;
	}
	if (c->progress)
		c->progress(c->out->removed);
	return 0;
}

int gc_clear(struct store *s, struct gc_report *out, void (*progress)(uint64_t removed),
             struct fault *fault)
{
	struct clear c = {out, progress, 0};
	struct lock l = LOCK_INIT;

	memset(out, 0, sizeof *out);
	if (begin(s, &l, fault) < 0)
		return -1;
	int64_t counted = counters_size(s);
	gc_each(s, clear_entry, &c);
	/* Younger temporary files belong to writers that are at work. */
	out->litter = drop_litter(s);
	drop_empty(s);
	job_list_drop_old(s, INT64_MAX);
	events_move(s, NULL);
	events_drop_old(s, INT64_MAX);
	if (!c.error)
		counters_add(s, COUNTER_STORE_SIZE, -counted);
	lock_release(&l);
	if (c.error)
		return fault_sys(fault, c.error, "clear", s->dir);
	return 0;
}

struct each {
	int (*each)(void *ctx, enum store_class class, const char *path);
	void *ctx;
	enum store_class class;
	unsigned shard;
};

static int each_entry(void *ctx, int dirfd, const char *path, const char *name)
{
	struct each *e = ctx;
	char full[PATH_SIZE];
	struct digest key;
	int slot;

	if (walk_parse(name, e->shard, &key, &slot) < 0 ||
	    path_join(full, sizeof full, path, name) >= sizeof full)
		return 0;
	return e->each(e->ctx, e->class, full);
}

int gc_each(struct store *s, int (*each)(void *ctx, enum store_class class, const char *path),
            void *ctx)
{
	char path[PATH_SIZE];
	int rc = 0;

	if (!s->dir)
		return -1;
	for (size_t c = 0; c < WALK_CLASSES && rc == 0; c++)
		for (unsigned i = 0; i < WALK_SHARDS && rc == 0; i++) {
			struct each e = {each, ctx, walk_classes[c].class, i};

			walk_shard(path, s, c, i);
			rc = walk_names(path, each_entry, &e);
		}
	return rc;
}
