/* units/unasked.c - an entry of class KEY_HISTORY for each class and scope. It holds records,
 * oldest first; little-endian:
 *
 *   offset 0   8  command  first bytes of a digest of the command
 *          8   8  unit     first bytes of the unit's key
 *         16   8  made_at  ns since 1970 */
#include "units/unasked.h"

#include <sys/stat.h>

#include "shim/buf.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "units/scope/rank.h"

#include "shim/banned.h"

enum { RECORD = 24, RECORDS_MOST = 256 };
#define CMDLINE_MAX (16u << 10)
/* A command with more files is told apart by the first ones. */
#define FILES_MOST 16

/* The path of the entry in the local store, and its key. 0 or -1. */
static int place(const struct unit_lookup *l, char path[PATH_SIZE], struct digest *key)
{
	static const char name[] = "units that nobody asked for";
	struct digest_state s;

	digest_init(&s);
	digest_add(&s, name, sizeof name);
	digest_add(&s, &l->u.class, sizeof l->u.class);
	digest_add(&s, l->scope, strlen(l->scope));
	digest_final(&s, key);
	return store_path(path, PATH_SIZE, l->store.dir, STORE_KEY_HISTORY, key, 0) < PATH_SIZE
	       ? 0 : -1;
}

/* 0: not known. */
static uint64_t command_of(struct unit_lookup *l)
{
	size_t n = 0;
	const char *text = text_read("/proc/self/cmdline", CMDLINE_MAX, &n, &l->arena);
	char *cwd = arena_alloc(&l->arena, PATH_SIZE);
	ssize_t length = cwd ? sys_getcwd(cwd, PATH_SIZE) : -1;
	struct digest_state s;
	struct digest d;
	int files = 0;

	if (!text || !n || length <= 0)
		return 0;
	digest_init(&s);
	digest_add(&s, text, n);
	digest_add(&s, cwd, (size_t)length);
	for (const char *p = text; p < text + n && files < FILES_MOST; p += strlen(p) + 1) {
		struct statx st;
		int64_t is[3];

		if (sys_statx(AT_FDCWD, p, 0, STATX_TYPE | STATX_SIZE | STATX_MTIME, &st) < 0 ||
		    !S_ISREG(st.stx_mode))
			continue;
		is[0] = (int64_t)st.stx_size;
		is[1] = st.stx_mtime.tv_sec;
		is[2] = st.stx_mtime.tv_nsec;
		digest_add(&s, is, sizeof is);
		files++;
	}
	digest_final(&s, &d);
	return le_get(d.b, 8) | 1;
}

static void append(struct unit_lookup *l, const struct digest *key, const struct entry *e,
                   uint64_t command)
{
	size_t skip = e->len / RECORD < RECORDS_MOST ? 0 : RECORD;
	struct buf b = BUF_INIT(&l->arena);
	struct fault ignored;

	buf_add(&b, e->payload + skip, e->len - skip);
	buf_u64(&b, command);
	buf_add(&b, l->key.b, 8);
	buf_u64(&b, (unsigned long long)sys_now_ns(CLOCK_REALTIME));
	if (!b.failed)
		store_put(&l->store, STORE_KEY_HISTORY, key, 0, b.data, b.len, &ignored);
}

int unasked_offers(struct unit_lookup *l)
{
	struct entry e = {.payload = (const unsigned char *)"", .len = 0};
	uint64_t command = command_of(l);
	int64_t newest = 0;
	int starts = 0, there = 0;
	char *path = arena_alloc(&l->arena, PATH_SIZE);
	struct digest key;
	struct fault ignored;

	if (!command || !path || place(l, path, &key) < 0)
		return 0;
	/* Seeds are left out: what stands there cannot be removed. */
	if (entry_read(&e, path, STORE_KEY_HISTORY, &key, ENTRY_COPIES, &l->arena, &ignored) !=
	    ENTRY_OK ||
	    e.len % RECORD)
		e.len = 0;
	for (const unsigned char *p = e.payload; p < e.payload + e.len; p += RECORD) {
		int64_t made_at = (int64_t)le_get(p + 16, 8);

		if (memcmp(p + 8, l->key.b, 8) == 0) {
			if (l->began_ns > made_at) {
				sys_unlink(path);
				return 0;
			}
			there = 1;
		}
		if (le_get(p, 8) != command)
			continue;
		starts++;
		newest = made_at > newest ? made_at : newest;
	}
	if (starts < UNASKED_STARTS && !there && l->began_ns > newest)
		append(l, &key, &e, command);
	return starts >= UNASKED_STARTS;
}

void unasked_found(struct unit_lookup *l)
{
	char path[PATH_SIZE];
	struct digest key;

	if (l->store.writable && place(l, path, &key) == 0)
		sys_unlink(path);
}
