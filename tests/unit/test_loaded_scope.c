/* tests/unit/test_loaded_scope.c - libraries of the test's own stand for Warp's. */
#include "units/scope/scope.h"

#include <dlfcn.h>

#include "tests/unit/scratch.h"

static void library(const char *name, const char *text)
{
	char command[2048];

	snprintf(command, sizeof command,
	         "cd %s && echo '%s' | cc -shared -fPIC -o '%s' -x c -", scratch_dir, text, name);
	cr_assert_eq(system(command), 0, "%s", command);
	cr_assert(dlopen(scratch(name), RTLD_NOW), "%s", dlerror());
}

static const char *loaded(struct arena *a, const char **why)
{
	struct buf b = BUF_INIT(a);

	buf_str(&b, "gpu=none");
	if (loaded_scope(&b, UNIT_WARP, NULL, a, why) < 0)
		return NULL;
	buf_u8(&b, 0);
	cr_assert_not(b.failed);
	return (const char *)b.data;
}

Test(loaded_scope, each_library_is_loaded_and_counts, .init = scratch_make, .fini = scratch_remove)
{
	struct arena a = ARENA_INIT;
	const char *why = NULL, *first, *second;

	cr_assert_null(loaded(&a, &why));
	cr_expect_str_eq(why, "warp.so is not loaded, or cannot be read");
	library("warp.so", "int one;");
	/* Another package's library, whose name only ends so. */
	library("libmywarp-clang.so", "int other;");
	cr_assert_null(loaded(&a, &why));
	cr_expect_str_eq(why, "warp-clang.so is not loaded, or cannot be read");
	library("warp-clang.so", "int two;");
	first = loaded(&a, &why);
	cr_assert_not_null(first, "%s", why);
	cr_expect_eq(strncmp(first, "gpu=none loaded=", 16), 0, "%s", first);
	cr_expect_eq(strlen(first), 16 + 32, "%s", first);
	cr_expect_str_eq(loaded(&a, &why), first);
	/* The file that is there now counts: two builds of one version differ in it. */
	cr_assert_eq(rename(scratch("warp-clang.so"), scratch("kept")), 0);
	cr_assert_eq(rename(scratch("libmywarp-clang.so"), scratch("warp-clang.so")), 0);
	second = loaded(&a, &why);
	cr_assert_not_null(second, "%s", why);
	cr_expect_str_neq(first, second);
	arena_free(&a);
}
