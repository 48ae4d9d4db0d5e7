/* tests/unit/test_unit_key.c */
#include "units/format/member.h"

#include <criterion/criterion.h>

static int all_differ(const struct digest *v, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			if (digest_equal(&v[i], &v[k]))
				return 0;
	return 1;
}

Test(unit_key, each_part_counts)
{
	static const struct {
		enum unit_class class;
		const char *scope, *name;
	} rows[] = {
		{UNIT_FXGRAPH, "world=8 rank=3 isa=1 torch=2", "fabc"},
		{UNIT_AOTAUTOGRAD, "world=8 rank=3 isa=1 torch=2", "fabc"},
		{UNIT_FXGRAPH, "world=8 rank=4 isa=1 torch=2", "fabc"},
		{UNIT_FXGRAPH, "world=8 rank=3 isa=1 torch=2", "fabd"},
		{UNIT_FXGRAPH, "", "fabc"}, {UNIT_FXGRAPH, "fabc", ""}, {UNIT_FXGRAPH, "fa", "bc"},
		{UNIT_FXGRAPH, "f", "abc"},
		{UNIT_TRITON, "", "fabc"}, {UNIT_FXGRAPH, "", ""}, {UNIT_TRITON, "", ""},
	};
	enum { N = sizeof rows / sizeof *rows };
	struct digest v[N], again;

	for (int i = 0; i < N; i++) {
		unit_key(&v[i], rows[i].class, rows[i].scope, rows[i].name, strlen(rows[i].name));
		unit_key(&again, rows[i].class, rows[i].scope, rows[i].name, strlen(rows[i].name));
		cr_assert(digest_equal(&v[i], &again));
	}
	cr_assert(all_differ(v, N));
	/* The name ends where it is said to. */
	unit_key(&again, UNIT_FXGRAPH, rows[0].scope, "fabc/member", 4);
	cr_assert(digest_equal(&v[0], &again));
}

Test(unit_key, members)
{
	struct digest set[2], content[2], v[9];
	int n = 0;

	unit_key(&set[0], UNIT_FXGRAPH, "a", "f1", 2);
	unit_key(&set[1], UNIT_FXGRAPH, "b", "f1", 2);
	digest_of(&content[0], "x", 1);
	digest_of(&content[1], "y", 1);
	for (int s = 0; s < 2; s++) {
		unit_member_key(&v[n++], &set[s], "m", NULL);
		unit_member_key(&v[n++], &set[s], "n", NULL);
		unit_member_key(&v[n++], &set[s], "m", &content[0]);
		unit_member_key(&v[n++], &set[s], "m", &content[1]);
	}
	v[n++] = set[0];
	cr_assert(all_differ(v, n));
}

/* Both algorithms: a key of signed units never equals a key of unsigned ones. */
Test(unit_key, algorithms_part)
{
	struct digest v[2];

	unit_key(&v[0], UNIT_TRITON, "", "K", 1);
	digest_use(DIGEST_BLAKE2B);
	unit_key(&v[1], UNIT_TRITON, "", "K", 1);
	cr_assert(all_differ(v, 2));
	cr_assert_eq(digest_algorithm(&v[0]), DIGEST_XXH3);
	cr_assert_eq(digest_algorithm(&v[1]), DIGEST_BLAKE2B);
}
