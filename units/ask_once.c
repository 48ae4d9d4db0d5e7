/* units/ask_once.c - asks the fetcher for an entry, at most once in NEGATIVE_CACHE_S. */
#include "units/ask_once.h"

#include <errno.h>
#include <string.h>

#include "remote/remote.h"

#include "shim/banned.h"

/* The time to start a fetcher on a busy node. */
#define START_NS 250000000ll

void ask_memory(struct negative_cache *asked, const struct store *s, struct arena *a)
{
	static const char about[] = "units asked for";
	struct digest d;

	digest_name(&d, about, sizeof about);
	negative_cache_init(asked, s, &d, a);
}

/* A process that waited in vain for the fetcher (stopped, or stuck) tells all others so for
 * NEGATIVE_CACHE_S. A thousand kernels must not wait one after the other. */
static void no_fetcher(struct digest *out, const struct store *s, const struct settings *set)
{
	char name[ASK_NAME_SIZE];

	ask_name(name, s, set);
	digest_name(out, name, strlen(name));
}

/* An open breaker answers at once, and each answer still costs. */
static struct digest as_skipped(const struct digest *key)
{
	struct digest d = *key;

	d.b[0] ^= 0xff;
	return d;
}

enum ask_answer ask_once(struct store *s, const struct settings *set, char *const envp[],
                         const struct negative_cache *asked,
                         enum store_class class, const struct digest *key, struct arena *a,
                         const char **why)
{
	struct digest silent, skipped = as_skipped(key);
	struct fault fault = {0, ""};
	uint64_t limits_ms = setting_number(set, SETTING_REMOTE_LOOKUP_TIMEOUT) +
	                     setting_number(set, SETTING_REMOTE_TRANSFER_TIMEOUT);
	int64_t wait = START_NS + (int64_t)limits_ms * 1000000;
	enum ask_answer answer;
	const char *known;

	if (negative_cache_known(asked, key))
		return ASK_ABSENT;
	remote_tag(s, set, envp, a);
	no_fetcher(&silent, s, set);
	known = NULL;
	if (negative_cache_known(asked, &silent))
		known = "no fetcher answered a moment ago";
	else if (negative_cache_known(asked, &skipped))
		known = "the remote store was skipped a moment ago";
	if (known) {
		*why = known;
		return ASK_SKIPPED;
	}
	answer = ask(s, set, envp, class, key, wait, a, &fault);
	if (answer == ASK_SKIPPED) {
		*why = arena_strdup(a, fault.text);
		negative_cache_note(asked, fault.code == ETIMEDOUT ? &silent : &skipped);
	} else if (answer == ASK_ABSENT || class == STORE_SET) {
		/* a set is asked for again with each of its members */
		negative_cache_note(asked, key);
	}
	return answer;
}
