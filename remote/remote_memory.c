/* remote/remote_memory.c - what the processes of an agent know of each remote store. */
#include "remote/remote_memory.h"

#include <string.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

static struct remote_memory *used;

struct remote_memory *remote_memory_make(void)
{
	void *p = sys_mmap(NULL, sizeof(struct remote_memory), PROT_READ | PROT_WRITE,
	                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return sys_mmap_failed(p) ? NULL : p;
}

void remote_memory_use(struct remote_memory *m)
{
	used = m;
}

struct remote_memory *remote_memory_here(struct arena *a)
{
	return used ? used : arena_alloc(a, sizeof *used);
}

static struct breaker breaker_of(struct remote_memory *m, unsigned place)
{
	return (struct breaker){.shared = &m->of[place % PLACES_MAX].breaker};
}

void remote_memory_read(struct remote_memory *m, unsigned place, struct breaker_state *out)
{
	const struct breaker b = breaker_of(m, place);

	breaker_read(&b, out);
}

void remote_memory_publishing_off(struct remote_memory *m)
{
	for (unsigned i = 0; i < PLACES_MAX; i++) {
		struct breaker b = breaker_of(m, i);

		breaker_set_publishing_off(&b);
	}
}

static unsigned slot_of(const struct digest *key, uint64_t *id)
{
	uint32_t v;

	memcpy(id, key->b, sizeof *id);
	memcpy(&v, key->b + 8, sizeof v);
	return v % ABSENT_SLOTS;
}

/* Two writers at once leave one's key with the other's time, which is as near. */
static void put(struct absent_keys *t, const struct digest *key, int64_t at)
{
	uint64_t id;
	unsigned slot = slot_of(key, &id);

	__atomic_store_n(&t->slot[slot].key, id, __ATOMIC_RELAXED);
	__atomic_store_n(&t->slot[slot].at, at, __ATOMIC_RELEASE);
}

int absent_known(const struct absent_keys *t, const struct digest *key)
{
	uint64_t id;
	unsigned slot = slot_of(key, &id);
	int64_t at = __atomic_load_n(&t->slot[slot].at, __ATOMIC_ACQUIRE);

	return at && __atomic_load_n(&t->slot[slot].key, __ATOMIC_RELAXED) == id &&
	       sys_now_ns(CLOCK_MONOTONIC) - at < ABSENT_S * 1000000000ll;
}

void absent_note(struct absent_keys *t, const struct digest *key)
{
	put(t, key, sys_now_ns(CLOCK_MONOTONIC));
}

void absent_forget(struct absent_keys *t, const struct digest *key)
{
	if (absent_known(t, key))
		put(t, key, 0);
}
