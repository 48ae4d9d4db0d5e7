/* tests/unit/test_unit_class.c - the rows of units/units.def. */
#include "units/class.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "store/job/counters.h"
#include "units/shape/pattern.h"
#include "units/unit_event.h"

/* Numbers are part of keys and of records on disk. */
Test(unit_class, numbers_and_names_stay)
{
	static const char *const names[UNIT_CLASSES_MAX] = {NULL, "triton", "fxgraph",
	                                                    "aotautograd", "autotune", "gemm",
	                                                    "jiterator",
	                                                    "torchair", "jax", "user_files",
	                                                    "user_dirs", "user_caches",
	                                                    "triton_native",
	                                                    [16] = "warp", "helion",
	                                                    "cute_dsl", "vllm", "tilelang",
	                                                    "deep_jit"};

	for (unsigned i = 0; i < UNIT_CLASSES_MAX; i++) {
		cr_expect_eq(unit_rows[i].class, names[i] ? i : 0);
		cr_expect_str_eq(unit_name(i), names[i] ? names[i] : "");
	}
	cr_expect_eq(UNIT_TRITON, 1);
	cr_expect_eq(UNIT_BEST_CONFIG, 4);
	cr_expect_eq(UNIT_TORCHAIR, 7);
	cr_expect_eq(UNIT_JAX, 8);
	cr_expect_eq(UNIT_USER_DIRS, 10);
	cr_expect_eq(UNIT_USER_CACHES, 11);
	cr_expect_eq(UNIT_TRITON_NATIVE, 12);
	cr_expect_eq(UNIT_WARP, 16);
	cr_expect_eq(UNIT_HELION, 17);
	cr_expect_eq(UNIT_CUTE_DSL, 18);
	cr_expect_eq(UNIT_VLLM, 19);
	cr_expect_eq(UNIT_TILELANG, 20);
	cr_expect_eq(UNIT_DEEP_JIT, 21);
}

Test(unit_class, rows_are_whole_and_consistent)
{
	for (unsigned i = 1; i < UNIT_CLASSES_MAX; i++) {
		const struct unit_row *row = &unit_rows[i];
		int is_directory = row->form == UNIT_WHOLE || row->form == UNIT_SET;
		int is_users = row->scope & SCOPE_DECLARED;

		if (!row->class)
			continue;
		cr_expect(*unit_text(row->path) ? !is_users : is_users, "%s", unit_name(i));
		cr_expect(*unit_text(row->help), "%s", unit_name(i));
		cr_expect_neq(row->complete, 0, "%s", unit_name(i));
		cr_expect_eq(*unit_text(row->member) != 0, is_directory && !is_users, "%s: members",
		             unit_name(i));
		cr_expect(!*unit_text(row->index) || row->form == UNIT_WHOLE, "%s: an index",
		          unit_name(i));
		cr_expect_eq(row->check == CHECK_AS_KERNEL_DIRECTORY ||
		             row->check == CHECK_AS_ANY_DIRECTORY ||
		             row->check == CHECK_AS_WARP_DIRECTORY ||
		             row->check == CHECK_AS_TILELANG_DIRECTORY ||
		             row->check == CHECK_AS_DEEP_JIT_DIRECTORY, row->form == UNIT_WHOLE,
		             "%s: what is checked", unit_name(i));
		cr_expect(row->form != UNIT_WHOLE || row->complete == COMPLETE_RENAME ||
		          row->complete == COMPLETE_CLOSED, "%s",
		          unit_name(i));
		cr_expect_neq(row->scope & (SCOPE_RANK | SCOPE_RANK_FX), SCOPE_RANK | SCOPE_RANK_FX,
		              "%s", unit_name(i));
		cr_expect(!(row->scope & SCOPE_DEVICE) || row->scope == SCOPE_DEVICE,
		          "%s: the device stands alone", unit_name(i));
		cr_expect(!is_users || row->scope == SCOPE_DECLARED, "%s: so does the user's",
		          unit_name(i));
		cr_expect(!(row->traits & TRAIT_SOURCES) || row->form == UNIT_SET,
		          "%s: members have sources", unit_name(i));
		for (unsigned k = 1; k < i; k++)
			cr_expect_str_neq(unit_name(k), unit_name(i));
	}
}

static unsigned patterns(unsigned short column)
{
	unsigned n = 0;

	for (const char *p = unit_text(column); p && *p; p = pattern_next(p))
		n++;
	return n;
}

Test(unit_class, all_patterns_have_room)
{
	unsigned n = 0;

	for (unsigned i = 1; i < UNIT_CLASSES_MAX; i++)
		n += patterns(unit_rows[i].path) * (1 + patterns(unit_rows[i].member));
	cr_expect_leq(n, UNIT_KINDS_MAX);
}

/* As counters.h promises: names of files of other hosts and of reports. */
Test(unit_class, counters_are_named_after_the_class)
{
	char key[64];

	for (unsigned i = 1; i < UNIT_CLASSES_MAX; i++) {
		if (!unit_rows[i].class)
			continue;
		snprintf(key, sizeof key, "packed_%s", unit_name(i));
		cr_expect_str_eq(counter_key(unit_counter_packed((enum unit_class)i)), key);
		snprintf(key, sizeof key, "brought_%s", unit_name(i));
		cr_expect_str_eq(counter_key(unit_counter_brought((enum unit_class)i)), key);
	}
}
