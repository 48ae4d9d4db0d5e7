/* store/negative_cache.c - keys that the agent was asked for in vain a moment ago. */
#include "store/negative_cache.h"

#include "shim/kernel/sys.h"
#include "store/shared_page.h"

#include "shim/banned.h"

struct asked {
	unsigned char key[8];
	int64_t at;
};

int negative_cache_known(const struct store *s, const struct digest *key)
{
	int fd = slots_open(s->runtime_dir, "asked"), known;
	int64_t now = sys_now_ns(CLOCK_BOOTTIME);
	struct asked a;

	if (fd < 0)
		return 0;
	/* A time in the future was written before the last boot. */
	known = slots_get(fd, slots_of(key, NEGATIVE_CACHE_SLOTS), &a, sizeof a) &&
	        memcmp(a.key, key->b, sizeof a.key) == 0 && a.at <= now &&
	        a.at > now - NEGATIVE_CACHE_S * 1000000000ll;
	sys_close(fd);
	return known;
}

static int put(const struct store *s, const struct digest *key, int64_t at)
{
	int fd = slots_open(s->runtime_dir, "asked");
	struct asked a = {.at = at};

	if (fd < 0)
		return -1;
	memcpy(a.key, key->b, sizeof a.key);
	int rc = slots_put(fd, slots_of(key, NEGATIVE_CACHE_SLOTS), &a, sizeof a);
	sys_close(fd);
	return rc;
}

int negative_cache_note(const struct store *s, const struct digest *key)
{
	return put(s, key, sys_now_ns(CLOCK_BOOTTIME));
}

void negative_cache_forget(const struct store *s, const struct digest *key)
{
	if (negative_cache_known(s, key))
		put(s, key, 0);
}
