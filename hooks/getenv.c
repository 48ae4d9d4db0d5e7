/* hooks/getenv.c - variables that a tool reads.
 *
 * Some tools read one name thousands of times (a loop over options), so an answer that is already
 * in the trace is skipped. A table holds 64-bit digests of name and value, direct-mapped and lossy.
 * A lost entry costs a second record; a changed answer has another digest. Plain atomic stores
 * suffice: an entry of a vfork child or another thread is valid for us as well, since its record is
 * in the trace. */
#include "hooks/event.h"

#include <string.h>
#include <sys/auxv.h>

/* gcc's driver reads 60 names, clang 40. */
#define SEEN_SLOTS 256

static uint64_t seen[SEEN_SLOTS];

/* FNV-1a, 64 bits; unset differs from empty. */
static uint64_t answer_digest(const char *name, const char *value)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3u;
	h = (h ^ (value ? '=' : 1)) * 0x100000001b3u;
	for (; value && *value; value++)
		h = (h ^ (unsigned char)*value) * 0x100000001b3u;
	return h ? h : 1;
}

static void event_getenv(const char *name, const char *value)
{
	uint64_t digest, *slot;

	if (!trace_active)
		return;
	if (!trace_process()) { /* a thread's trace does not know the events of others */
		trace_text(TRACE_GETENV, value ? 0 : TRACE_FLAG_UNSET, name, value, 0);
		return;
	}
	digest = answer_digest(name, value);
	slot = &seen[(digest ^ digest >> 32) % SEEN_SLOTS];
	if (__atomic_load_n(slot, __ATOMIC_RELAXED) == digest)
		return;
	/* The record comes first: a thread that finds the digest may rely on it. */
	trace_text(TRACE_GETENV, value ? 0 : TRACE_FLAG_UNSET, name, value, 0);
	__atomic_store_n(slot, digest, __ATOMIC_RELEASE);
}

/* Used before the constructor, in early code of libraries, where `environ` may be NULL as well. */
static char *find(const char *name)
{
	size_t len = strlen(name);
	char **p;

	for (p = environ; p && *p; p++)
		if (strncmp(*p, name, len) == 0 && (*p)[len] == '=')
			return *p + len + 1;
	return NULL;
}

EXPORT char *getenv(const char *name)
{
	char *value;

	if (HOOK_FAST(getenv))
		return real.getenv(name);
	value = real.getenv ? real.getenv(name) : find(name);
	event_getenv(name, value);
	return value;
}

EXPORT char *secure_getenv(const char *name)
{
	char *value;

	if (HOOK_FAST(secure_getenv))
		return real.secure_getenv(name);
	if (real.secure_getenv)
		value = real.secure_getenv(name);
	else
		value = getauxval(AT_SECURE) ? NULL : find(name);
	event_getenv(name, value);
	return value;
}
