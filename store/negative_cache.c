/* store/negative_cache.c - keys that the remote store did not have a moment ago.
 *
 * <runtime>/absent.<16 hex of the remote's digest>: NEGATIVE_CACHE_SLOTS slots, native byte order;
 * a key's slot is chosen by its bytes 8 to 11:
 *   0  8  the key's first bytes, which are its hash
 *   8  8  time, CLOCK_BOOTTIME ns
 * A slot that two writers tore, or with the same hash as another key, makes a look-up miss for some
 * seconds. */
#include "store/negative_cache.h"

#include "shim/kernel/sys.h"

#include "shim/banned.h"

struct slot {
	unsigned char key[8];
	int64_t at;
};

static off_t slot_at(const struct digest *key)
{
	uint32_t v;

	memcpy(&v, key->b + 8, sizeof v);
	return (off_t)(v % NEGATIVE_CACHE_SLOTS * sizeof(struct slot));
}

void negative_cache_init(struct negative_cache *t, const struct store *s,
                         const struct digest *remote, struct arena *a)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(remote, hex);
	hex[16] = '\0';
	t->path = s->runtime_dir ? arena_cat(a, s->runtime_dir, "/absent.", hex, NULL) : NULL;
}

int negative_cache_known(const struct negative_cache *t, const struct digest *key)
{
	struct slot slot;
	int fd = t->path ? sys_open(t->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
	                 : -1;

	if (fd < 0)
		return 0;
	ssize_t n = sys_pread(fd, &slot, sizeof slot, slot_at(key));
	sys_close(fd);
	int64_t now = sys_now_ns(CLOCK_BOOTTIME);
	/* A time in the future was written before the last boot. */
	return n == sizeof slot && memcmp(slot.key, key->b, sizeof slot.key) == 0 &&
	       slot.at <= now && slot.at > now - NEGATIVE_CACHE_S * 1000000000ll;
}

static int put(const struct negative_cache *t, const struct digest *key, int64_t at)
{
	struct slot slot;
	int fd = t->path ? sys_open_made(t->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
	                                 0600) : -1;

	if (fd < 0)
		return -1;
	memcpy(slot.key, key->b, sizeof slot.key);
	slot.at = at;
	ssize_t n = sys_pwrite(fd, &slot, sizeof slot, slot_at(key));
	sys_close(fd);
	return n == sizeof slot ? 0 : -1;
}

int negative_cache_note(const struct negative_cache *t, const struct digest *key)
{
	return put(t, key, sys_now_ns(CLOCK_BOOTTIME));
}

void negative_cache_forget(const struct negative_cache *t, const struct digest *key)
{
	if (negative_cache_known(t, key))
		put(t, key, 0);
}
