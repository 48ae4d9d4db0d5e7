/* tests/unit/test_refused_memory.c - what the system refused memory for is neither replayed nor
 * kept. */
#include "judge/lookup.h"
#include "judge/recorded.h"
#include "names/bases.h"

#include "store_fixture.h"

static char *no_env[] = {NULL};
static struct start here;
static struct start *const a = &here;

static void start(void)
{
	fixture_start();
	a->store = store;
	a->row = tool_find("gcc", NULL);
	a->call.envp = no_env;
	a->call.cwd = "/";
	a->call.cwd_len = 1;
	settings_defaults(&a->set);
	names_init(&a->names, &a->arena, 1000, NULL, NULL, NULL, no_env);
	start_prober(a);
	digest_of(&a->k1, "k1", 2);
}

Test(refused_memory, no_candidate_holds)
{
	struct candidate c = {.name_count = 0};

	start();
	cr_assert_eq(judge_candidate_holds(a, &c), REASON_NONE);
	a->arena.refused = 1;
	cr_assert_eq(judge_candidate_holds(a, &c), REASON_MISS_MEMORY);
	arena_free(&a->arena);
	fixture_stop();
}

Test(refused_memory, nothing_is_kept)
{
	struct candidate c = {.name_count = 0};
	struct result r = {.exit_status = 0};

	start();
	cr_assert_eq(judge_store(a, &c, &r), REASON_NONE);
	a->arena.refused = 1;
	cr_assert_eq(judge_store(a, &c, &r), REASON_UNSTORED_MEMORY);
	arena_free(&a->arena);
	fixture_stop();
}
