/* Random numbers of a run in what it leaves. */
#include <criterion/criterion.h>
#include <string.h>

#include "judge/output/output.h"

static struct start start;

static int refused(const char *drawn, const void *left, size_t n)
{
	const char *texts[] = {drawn};
	struct tree t = {.drawn = texts, .drawn_count = 1};
	struct result_output o = {.spec = "A/d/out", .spec_len = 7, .data = left, .len = n};
	struct result r = {.out = &o, .out_count = 1};

	return judge_random_digits(&start, &t, &r) == REASON_UNSTORED_RANDOM;
}

Test(random_digits, forms_of_a_seed)
{
	static const struct { const char *seed, *left; } held[] = {
		{"0badcafe", "x0badcafe"}, {"0badcafe", "BADCAFE."}, {"0badcafe", "0x0BADCAFE"},
		{"0badcafe", "badcafe"}, {"0badcafe", "195939070"},
		{"fedcba98", "4275878552"}, {"fedcba98", "-19088744"}, {"fedcba98", "FEDCBA98"},
		{"61626364", "..abcd"}, {"61626364", "..dcba"}, {"12ab34", "/t/x-12AB34.o"},
	};

	for (size_t i = 0; i < sizeof held / sizeof *held; i++)
		cr_expect(refused(held[i].seed, held[i].left, strlen(held[i].left)), "%s in %s",
		          held[i].seed, held[i].left);
	cr_expect_not(refused("fedcba98", "19088743", 8));
	cr_expect_not(refused("12ab34", "12ab43", 6));
	cr_expect_not(refused("12ab34", "1223924", 7), "digits of a name are no number");
	arena_free(&start.arena);
}
