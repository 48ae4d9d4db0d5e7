/* Variables and paths of a started tool. */
#include "judge/invocation.h"

#include <criterion/criterion.h>

Test(invocation, variables)
{
	static char *env[] = {"A=1", "AB=", NULL};
	struct invocation call = {.envp = env};

	cr_expect_str_eq(invocation_env(&call, "A"), "1");
	cr_expect_str_eq(invocation_env(&call, "AB"), "");
	cr_expect_null(invocation_env(&call, "B"));
}

Test(invocation, whole_paths)
{
	struct invocation call = {.cwd = "/srv/p"};
	struct arena a = ARENA_INIT;

	cr_expect_str_eq(invocation_whole(&call, "a.c", &a), "/srv/p/a.c");
	cr_expect_str_eq(invocation_whole(&call, "./sub//a.c", &a), "/srv/p/sub/a.c");
	cr_expect_str_eq(invocation_whole(&call, "/usr/./a.c", &a), "/usr/a.c");
	arena_free(&a);
}
