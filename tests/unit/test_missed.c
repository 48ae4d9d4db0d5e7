/* Why a start is no hit: look-ups add reasons, and the strongest stays with its detail. */
#include <criterion/criterion.h>

#include "judge/start.h"

static struct start *s;

static void begin(void)
{
	static struct arena arena = ARENA_INIT;

	s = arena_alloc_aligned(&arena, sizeof *s, _Alignof(struct start));
	cr_assert_not_null(s);
}
TestSuite(missed, .init = begin);

static void missed(enum reason reason, const char *detail)
{
	start_detail(s, "%s", detail);
	start_missed(s, reason);
}

static void expect(enum reason reason, const char *detail)
{
	cr_expect_eq(s->verdict.miss.reason, reason);
	cr_expect_str_eq(s->verdict.miss.detail, detail);
}

Test(missed, the_strongest_reason_stays)
{
	missed(REASON_MISS_NEW, "");
	missed(REASON_MISS_NAMES, "a name");
	expect(REASON_MISS_NAMES, "a name");
	missed(REASON_MISS_INPUT, "a file");
	missed(REASON_MISS_NAMES, "another name");
	missed(REASON_MISS_NEW, "");
	expect(REASON_MISS_INPUT, "a file");
	missed(REASON_MISS_INPUT, "another file");
	expect(REASON_MISS_INPUT, "another file");
	missed(REASON_MISS_PROOF, "a proof");
	missed(REASON_MISS_INPUT, "a file");
	expect(REASON_MISS_PROOF, "a proof");
	missed(REASON_MISS_REFUSED, "a result");
	missed(REASON_MISS_RESULT, "");
	expect(REASON_MISS_REFUSED, "a result");
}

Test(missed, what_is_no_reason_of_a_look_up_changes_nothing)
{
	missed(REASON_MISS_NAMES, "a name");
	missed(REASON_NONE, "none");
	missed(REASON_BYPASS_REPLAY, "a full disk");
	missed(REASON_UNSTORED_FAILED, "");
	expect(REASON_MISS_NAMES, "a name");
}

Test(missed, a_wish_for_a_real_run_stays)
{
	missed(REASON_MISS_VERIFY, "");
	missed(REASON_MISS_REFUSED, "a result");
	expect(REASON_MISS_VERIFY, "");
}
