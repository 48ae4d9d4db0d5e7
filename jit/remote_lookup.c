/* jit/remote_lookup.c - the remote store, for an action inside a host. */
#include "jit/remote_lookup.h"

#include "remote/config.h"
#include "remote/spool.h"
#include "remote/tag.h"
#include "shim/format.h"
#include "shim/sys.h"
#include "units/ask.h"
#include "units/background.h"

#include "shim/banned.h"

/* Compiles are looked up and sent there. */
static int is_used(struct start *a, struct remote_config *config)
{
	struct fault ignored;

	return remote_config_load(config, &a->set, a->envp, &a->arena, &ignored) == 0 &&
	       config->scheme != REMOTE_NONE && config->classes >> STORE_MANIFEST & 1;
}

int remote_lookup(struct start *a)
{
	struct remote_config config;
	const char *why = NULL;
	struct negative_cache asked;
	int filled;

	if (!is_used(a, &config))
		return 0;
	ask_memory(&asked, &a->store, &a->arena);
	filled = ask_once(&a->store, &a->set, a->envp, &asked, STORE_MANIFEST, &a->k1, &a->arena,
	                  &why) == ASK_FILLED;
	if (why)
		format_text(a->verdict.remote_note, sizeof a->verdict.remote_note, "remote: %s", why);
	a->verdict.from_remote = filled;
	return filled;
}

void remote_lookup_publish(struct start *a, const struct digest *k2, int64_t took)
{
	static const char *const verb[] = {"publish", "--daemon", NULL};
	struct spool_record record = {STORE_RESULT,  *k2, {{0}}, a->started_at / 1000000000, {0},
	                              (uint64_t)took};
	struct remote_config config;
	struct fault fault;

	if (!is_used(a, &config) || setting_number(&a->set, SETTING_REMOTE_READONLY))
		return;
	remote_tag(&a->store, &a->set, a->envp, &a->arena);
	if (spool_add(&a->store, &record) < 0)
		return;
	record.class = STORE_MANIFEST;
	record.key = a->k1;
	record.result = *k2;
	if (spool_add(&a->store, &record) == 0 && !spool_publisher_busy(&a->store))
		background_start(verb, a->envp, &a->arena, &fault);
}
