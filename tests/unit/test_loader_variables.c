/* keying/loader_variables.c: which variables count, and a preload list without our own entry. */
#include <criterion/criterion.h>
#include <string.h>

#include "keying/loader_variables.h"
#include "shim/buf.h"

Test(loader_variables, acts)
{
	char *const quiet[] = {"LD_DEBUG=", "LD_DEBUG_OUTPUT=x", "LD_AUDITS=x",
	                       "LD_LIBRARY_PATH=/x", "MALLOC_TRACE=", NULL};
	char *const empty[] = {"PATH=/bin", "LD_SHOW_AUXV=", NULL};
	char *const audit[] = {"LD_AUDIT=x.so", NULL};
	char *const trace[] = {"MALLOC_TRACE=x", NULL};

	cr_assert_null(loader_acts(quiet));
	cr_assert_null(loader_acts(NULL));
	cr_assert_str_eq(loader_acts(empty), "LD_SHOW_AUXV");
	cr_assert_str_eq(loader_acts(audit), "LD_AUDIT");
	cr_assert_str_eq(loader_acts(trace), "MALLOC_TRACE");
}

static int lists(const char *list, const char *name)
{
	for (; *list; list += strlen(list) + 1)
		if (strcmp(list, name) == 0)
			return 1;
	return 0;
}

Test(loader_variables, variables)
{
	cr_assert(lists(loader_variables(0), "LD_LIBRARY_PATH"));
	cr_assert_not(lists(loader_variables(1), "LD_LIBRARY_PATH"));
	cr_assert(lists(loader_variables(0), "GLIBC_TUNABLES"));
	cr_assert(lists(loader_variables(1), "GLIBC_TUNABLES"));
	cr_assert(loader_value_counts("LD_BIND_NOW", "1"));
	cr_assert_not(loader_value_counts("LD_BIND_NOW", ""));
	cr_assert(loader_value_counts("LD_DYNAMIC_WEAK", ""));
	cr_assert_not(loader_value_counts("LD_DYNAMIC_WEAK", NULL));
}

Test(loader_variables, preloads)
{
	static const struct {
		const char *list, *others;
	} cases[] = {
		{NULL, ""}, {"", ""}, {"/r.so", ""}, {"/r.so:", ""}, {" /r.so /a.so", "/a.so"},
		{"/a.so:/r.so:b.so", "/a.so:b.so"}, {"/r.so.1:/r.so", "/r.so.1"}, {"a  :b", "a:b"},
	};
	struct arena arena = ARENA_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf out = BUF_INIT(&arena);

		loader_preloads(&out, cases[i].list, "/r.so");
		cr_assert_eq(out.len, strlen(cases[i].others), "%s", cases[i].list);
		cr_assert(out.len == 0 || memcmp(out.data, cases[i].others, out.len) == 0, "%s",
		          cases[i].list);
	}
	arena_free(&arena);
}
