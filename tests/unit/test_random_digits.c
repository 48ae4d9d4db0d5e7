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

/* gcc's file /tmp/ccAbCdEf.s, and a script that prints a part of its name. */
static enum reason with_streams(const struct result_chunk *chunks, size_t count)
{
	struct tree_file file = {.path = "/tmp/ccAbCdEf.s", .flags = TREE_MADE};
	struct tree t = {.file = &file, .count = 1};
	struct result r = {.chunk = (struct result_chunk *)chunks, .chunk_count = count};

	start.verdict.scripts_see_names = 1;
	return judge_generated(&start, &t, &r);
}

Test(random_digits, letters_of_a_generated_name_in_two_writes)
{
	static const unsigned char text[] = "at AbCdEf";
	const struct result_chunk chunks[] = {
		{.stream = 1, .data = text, .len = 6}, {.stream = 2, .data = text, .len = 1},
		{.stream = 1, .data = text + 6, .len = 3},
	};

	cr_expect_eq(with_streams(chunks, 3), REASON_UNSTORED_SCRIPT);
	cr_expect_eq(with_streams(chunks, 2), REASON_NONE);
	arena_free(&start.arena);
}
