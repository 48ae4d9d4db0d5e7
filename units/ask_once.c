/* units/ask_once.c - the fetcher is asked for an entry, once in a short time. */
#include <errno.h>
#include <string.h>

#include "remote/tag.h"
#include "units/ask.h"

#include "shim/banned.h"

/* A fetcher that has to be started, on a busy node. */
#define START_NS 250000000ll

void ask_memory(struct absent *asked, const struct store *s, struct arena *a)
{
	static const char about[] = "units asked for";
	struct digest d;

	digest_name(&d, about, sizeof about);
	absent_init(asked, s, &d, a);
}

/* Whoever waited in vain for the fetcher (stopped, or stuck) says so to all for ABSENT_S: a thousand kernels must not
 * wait one after the other. */
static void no_fetcher(struct digest *out, const struct store *s, const struct settings *set)
{
	char name[ASK_NAME_SIZE];

	ask_name(name, s, set);
	digest_name(out, name, strlen(name));
}

int ask_once(struct store *s, const struct settings *set, char *const envp[], const struct absent *asked,
             enum store_class class, const struct digest *key, struct arena *a, const char **why)
{
	struct digest silent;
	struct fault fault = {0, ""};
	int64_t wait = START_NS + (int64_t)(setting_number(set, SETTING_REMOTE_LOOKUP_TIMEOUT) +
	                                    setting_number(set, SETTING_REMOTE_TRANSFER_TIMEOUT)) * 1000000;
	enum ask_answer answer;

	if (absent_known(asked, key))
		return 0;
	remote_tag(s, set, envp, a);
	no_fetcher(&silent, s, set);
	if (absent_known(asked, &silent)) {
		*why = "no fetcher answered a moment ago";
		return 0;
	}
	absent_note(asked, key);
	answer = ask(s, set, envp, class, key, wait, a, &fault);
	if (answer == ASK_SKIPPED)
		*why = arena_strdup(a, fault.text);
	if (answer == ASK_SKIPPED && fault.code == ETIMEDOUT)
		absent_note(asked, &silent);
	return answer == ASK_FILLED;
}
