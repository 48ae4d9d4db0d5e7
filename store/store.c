/* store/store.c - the local store: get, put, candidates in slots. */
#include "store/store.h"

#include <sys/stat.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "store/dirs.h"
#include "store/eviction.h"
#include "store/job/counters.h"

#include "shim/banned.h"

/* Hex digits in the name of a store's runtime directory: enough for one user's stores. */
#define RUNTIME_NAME 16
/* Other writers may replace a slot between look and rename this often. */
#define OLDEST_TRIES 4

static void add_seed(struct store *s, const char *dir)
{
	int n = 0;

	while (s->seeds[n])
		n++;
	if (n < STORE_SEEDS_MAX && dirs_use_seed(dir) == 0)
		s->seeds[n] = dir;
}

static void open_seeds(struct store *s, const struct settings *set, struct arena *a)
{
	const char *p = setting_text(set, SETTING_SEED_DIRS);

	while (*p) {
		const char *end = strchrnul(p, ':');
		char *seed = end > p && *p == '/' ? arena_memdup(a, p, (size_t)(end - p)) : NULL;

		if (seed && path_tidy(seed))
			add_seed(s, seed);
		p = *end ? end + 1 : end;
	}
}

static void name_of(char hex[DIGEST_HEX + 1], const char *text)
{
	struct digest d;

	digest_name(&d, text, strlen(text));
	digest_hex(&d, hex);
	hex[RUNTIME_NAME] = '\0';
}

/* A store's directory below the runtime directory is named by a digest of the path by which the
 * store was first reached. A link, named by device, inode and time of birth, leads other spellings
 * of the path to that name. A store that was removed and made again keeps its name. identity: ""
 * without a store. */
static void runtime_name(const struct store *s, const char *path, const char *identity,
                         char name[DIGEST_HEX + 1])
{
	char link[PATH_SIZE], known[DIGEST_HEX + 1], text[RUNTIME_NAME + 2] = "=";
	ssize_t n;

	name_of(name, path);
	if (!*identity)
		return;
	name_of(known, identity);
	if (format_text(link, sizeof link, "%s/is-%s", s->node_dir, known) >= sizeof link)
		return;
	n = sys_readlink(link, known, sizeof known - 1);
	known[n > 0 ? n : 0] = '\0';
	/* The link's text is not a path, so that no program reaches the directory through it. */
	memcpy(text + 1, name, RUNTIME_NAME + 1);
	if (n == 1 + RUNTIME_NAME && *known == '=' &&
	    strspn(known + 1, "0123456789abcdef") == RUNTIME_NAME)
		memcpy(name, known + 1, RUNTIME_NAME + 1);
	else if (n == -ENOENT)
		SYS3(SYS_symlinkat, text, AT_FDCWD, link);
}

/* The last resort: this host's directory in the store itself. NULL: not usable. */
static const char *runtime_in_store(const struct store *s, struct arena *a, struct fault *fault)
{
	char host[DIRS_HOST];

	if (!s->dir || !s->writable)
		return NULL;
	dirs_host(host);
	const char *path = arena_cat(a, s->dir, "/node/", host, NULL);
	return path && dirs_use_runtime(path, 1, fault) == 0 ? path : NULL;
}

/* Opens the node-local directories; on failure they stay NULL. */
static void open_runtime(struct store *s, const struct settings *set, char *const envp[],
                         const char *dir, const char *identity, struct arena *a,
                         struct fault *fault)
{
	char name[DIGEST_HEX + 1];

	s->node_dir = dirs_runtime(set, envp, a, &s->passed_runtime, fault);
	if (!s->node_dir) {
		if (!s->passed_runtime)
			s->passed_runtime = arena_strdup(a, fault->text);
		s->node_dir = runtime_in_store(s, a, fault);
	}
	if (!s->node_dir)
		return;
	runtime_name(s, dir, identity, name);
	const char *path = arena_cat(a, s->node_dir, "/", name, NULL);
	if (path && dirs_use_runtime(path, 0, fault) == 0)
		s->runtime_dir = path;
}

static int put_fault(struct fault *fault, int rc, const char *path)
{
	return fault_sys(fault, -rc, "store entry", path);
}

/* Writes an entry with n bytes of payload to a temporary file. 0 or -1 with *fault. */
static int write_parts(struct store *s, char tmp[PATH_SIZE], const struct tmp_part *parts,
                       int count, size_t n, struct fault *fault)
{
	int rc;

	if (!s->dir || !s->writable)
		return fault_set(fault, s->dir ? EROFS : ENOENT,
		                 s->dir ? "the store is read-only" : "no store");
	if (n > ENTRY_PAYLOAD_MAX)
		return fault_set(fault, EFBIG, "an entry of %lu bytes is too large",
		                 (unsigned long)n);
	rc = tmp_write(tmp, PATH_SIZE, s->dir, parts, count);
	return rc < 0 ? put_fault(fault, rc, s->dir) : 0;
}

/* Seals an entry and writes it to a temporary file. */
static int write_entry(struct store *s, char tmp[PATH_SIZE], enum store_class class,
                       const struct digest *key, const struct tmp_part *parts, int count,
                       size_t n, struct fault *fault)
{
	unsigned char head[ENTRY_HEAD], tail[ENTRY_TAIL];
	struct tmp_part all[TMP_PARTS_MAX] = {{head, sizeof head}};

	memcpy(all + 1, parts, (size_t)count * sizeof *all);
	all[count + 1] = (struct tmp_part){tail, sizeof tail};
	if (n <= ENTRY_PAYLOAD_MAX)
		entry_seal(head, tail, class, key, parts, count);
	return write_parts(s, tmp, all, count + 2, n, fault);
}

static void account(struct store *s, size_t n)
{
	counters_add(s, COUNTER_STORED_BYTES, (int64_t)(n + ENTRY_HEAD + ENTRY_TAIL));
	gc_account(s, (int64_t)(n + ENTRY_HEAD + ENTRY_TAIL));
}

/* 0 or -1 with *fault. */
static int put_in_place(struct store *s, const char *tmp, enum store_class class,
                        const struct digest *key, int slot, size_t n, struct fault *fault)
{
	char path[PATH_SIZE];
	int rc = -ENAMETOOLONG;

	if (store_path(path, sizeof path, s->dir, class, key, slot) < sizeof path)
		rc = tmp_rename(tmp, path);
	if (rc < 0) {
		tmp_drop(tmp);
		return put_fault(fault, rc, path);
	}
	account(s, n);
	return 0;
}

/* 1: the slot holds a candidate with the same result. 0: with another result. -errno. Not verified,
 * since only the choice of the slot depends on it. */
static int same_result(const char *path, const void *payload)
{
	unsigned char b[ENTRY_HEAD + DIGEST_SIZE];
	ssize_t n = sys_read_file(path, O_NOFOLLOW, b, sizeof b);

	if (n < 0)
		return (int)n;
	return n == (ssize_t)sizeof b && memcmp(b + ENTRY_HEAD, payload, DIGEST_SIZE) == 0;
}

/* The least recently used slot and its time; -1 if there is none. */
static int oldest_slot(struct store *s, enum store_class class, const struct digest *key,
                       struct statx *oldest)
{
	char path[PATH_SIZE];
	int slot = -1;

	for (int i = 0; i < STORE_SLOTS; i++) {
		struct statx st;

		store_path(path, sizeof path, s->dir, class, key, i);
		if (sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_MTIME | STATX_INO, &st) <
		    0)
			continue;
		if (slot < 0 || st.stx_mtime.tv_sec < oldest->stx_mtime.tv_sec ||
		    (st.stx_mtime.tv_sec == oldest->stx_mtime.tv_sec &&
		     st.stx_mtime.tv_nsec < oldest->stx_mtime.tv_nsec)) {
			slot = i;
			*oldest = st;
		}
	}
	return slot;
}

static int replace_oldest(struct store *s, enum store_class class, const struct digest *key,
                          const char *tmp)
{
	char path[PATH_SIZE];
	struct statx then = {0}, now;

	for (int i = 0; i < OLDEST_TRIES; i++) {
		int slot = oldest_slot(s, class, key, &then);

		store_path(path, sizeof path, s->dir, class, key, slot < 0 ? 0 : slot);
		/* Another writer may have replaced it meanwhile: its candidate is newer than
		 * any. */
		if (slot >= 0 && i < OLDEST_TRIES - 1 &&
		    sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO, &now) == 0 &&
		    now.stx_ino != then.stx_ino)
			continue;
		break;
	}
	return tmp_rename(tmp, path);
}

static int place_candidate(struct store *s, enum store_class class, const struct digest *key,
                           const char *tmp, const void *payload)
{
	char path[PATH_SIZE];

	for (int slot = 0; slot < STORE_SLOTS; slot++) {
		store_path(path, sizeof path, s->dir, class, key, slot);
		/* Most candidates are the first of their manifest. */
		int rc = tmp_place_new(tmp, path);
		if (rc != -EEXIST)
			return rc;
		if (same_result(path, payload) == 1)
			return tmp_rename(tmp, path);
	}
	return replace_oldest(s, class, key, tmp);
}

int store_open(struct store *s, const struct settings *set, char *const envp[], struct arena *a,
               struct fault *fault)
{
	struct fault runtime_fault;
	struct dirs_cache c = {.dir = NULL};
	const char *dir;

	memset(s, 0, sizeof *s);
	s->max_size = setting_number(set, SETTING_MAX_SIZE);
	open_seeds(s, set, a);
	if (!setting_number(set, SETTING_LOCAL))
		fault_set(fault, 0, "the local store is turned off (REPRISE_LOCAL)");
	else
		dirs_cache(&c, set, envp, a, fault);
	/* Starts are counted even without a store. */
	dir = c.dir ? c.dir : dirs_default_cache(set, envp, a);
	if (!dir)
		return fault_set(fault, ENOMEM, "no memory for the store's paths");
	s->dir = c.dir;
	s->writable = c.writable;
	s->passed = c.passed;
	if (c.seed)
		add_seed(s, c.seed);
	open_runtime(s, set, envp, dir, c.identity, a, &runtime_fault);
	if (s->dir && !s->runtime_dir)
		*fault = runtime_fault;
	return 0;
}

enum entry_status store_get(struct store *s, enum store_class class, const struct digest *key,
                            int slot, struct entry *out, struct arena *a, struct fault *fault)
{
	int has_slots = class == STORE_MANIFEST || class == STORE_SET,
	    place = has_slots ? slot / STORE_SLOTS : 0;
	enum entry_status st = ENTRY_ABSENT;
	char path[PATH_SIZE];

	slot %= STORE_SLOTS;
	if (!place && s->dir &&
	    store_path(path, sizeof path, s->dir, class, key, slot) < sizeof path)
		st = entry_read(out, path, class, key, s->reads, a, fault);
	if (st == ENTRY_BAD && s->writable && sys_unlink(path) == 0)
		counters_add(s, COUNTER_CORRUPT, 1);
	for (int i = 0; st != ENTRY_OK && s->seeds[i]; i++) {
		struct fault ignored;

		if (has_slots && place != i + 1)
			continue;
		if (store_path(path, sizeof path, s->seeds[i], class, key, slot) < sizeof path &&
		    entry_read(out, path, class, key, s->reads, a, &ignored) == ENTRY_OK) {
			st = ENTRY_OK;
			out->mtime = 0;
		}
	}
	return st;
}

int store_next_slot(const struct store *s, int slot, enum entry_status st)
{
	int place = slot / STORE_SLOTS;

	/* Slots fill from the first. */
	if (st != ENTRY_ABSENT && slot % STORE_SLOTS < STORE_SLOTS - 1)
		return slot + 1;
	return s->seeds[place] ? (place + 1) * STORE_SLOTS : -1;
}

int store_put(struct store *s, enum store_class class, const struct digest *key, int slot,
              const void *payload, size_t n, struct fault *fault)
{
	return store_put_parts(s, class, key, slot, &(struct tmp_part){payload, n}, 1, fault);
}

int store_put_parts(struct store *s, enum store_class class, const struct digest *key, int slot,
                    const struct tmp_part *parts, int count, struct fault *fault)
{
	char tmp[PATH_SIZE];
	size_t n = 0;

	for (int i = 0; i < count; i++)
		n += parts[i].len;
	if (write_entry(s, tmp, class, key, parts, count, n, fault) < 0)
		return -1;
	return put_in_place(s, tmp, class, key, slot, n, fault);
}

int store_put_entry(struct store *s, int slot, const struct entry *e, struct fault *fault)
{
	struct tmp_part whole = {e->payload - ENTRY_HEAD, ENTRY_HEAD + e->len + ENTRY_TAIL};
	char tmp[PATH_SIZE];

	if (!e->whole)
		return store_put(s, e->class, &e->key, slot, e->payload, e->len, fault);
	if (write_parts(s, tmp, &whole, 1, e->len, fault) < 0)
		return -1;
	return put_in_place(s, tmp, e->class, &e->key, slot, e->len, fault);
}

int store_add_candidate(struct store *s, enum store_class class, const struct digest *key,
                        const void *payload, size_t n, struct fault *fault)
{
	char tmp[PATH_SIZE];

	if (n < DIGEST_SIZE)
		return fault_set(fault, EINVAL, "a candidate of %lu bytes", (unsigned long)n);
	if (write_entry(s, tmp, class, key, &(struct tmp_part){payload, n}, 1, n, fault) < 0)
		return -1;
	int rc = place_candidate(s, class, key, tmp, payload);
	if (rc < 0) {
		tmp_drop(tmp);
		return put_fault(fault, rc, s->dir);
	}
	account(s, n);
	return 0;
}

int store_file(const struct store *s, enum store_class class, const struct digest *key,
               uint64_t above, uint64_t *len)
{
	char path[PATH_SIZE];
	struct statx st;
	int fd;

	if (!s->dir || store_path(path, sizeof path, s->dir, class, key, 0) >= sizeof path)
		return -1;
	fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return -1;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st) < 0 ||
	    !S_ISREG(st.stx_mode) || st.stx_size <= above + ENTRY_HEAD + ENTRY_TAIL) {
		sys_close(fd);
		return -1;
	}
	*len = st.stx_size - ENTRY_HEAD - ENTRY_TAIL;
	return fd;
}

void store_touch(struct store *s, enum store_class class, const struct digest *key, int slot,
                 const struct entry *e)
{
	char path[PATH_SIZE];
	struct timespec now;

	if (!s->dir || !s->writable || !e->mtime)
		return;
	sys_clock_gettime(CLOCK_REALTIME_COARSE, &now);
	/* A time in the future (another host's clock) would keep the entry for ever. */
	if (now.tv_sec - e->mtime < STORE_TOUCH_S && e->mtime <= now.tv_sec + 60)
		return;
	if (store_path(path, sizeof path, s->dir, class, key, slot) >= sizeof path)
		return;
	SYS4(SYS_utimensat, AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}
