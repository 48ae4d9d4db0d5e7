/* Texts of shells that pass their arguments on, and texts that look into them. */
#include <criterion/criterion.h>

#include <string.h>

#include "tools/shell_argument.h"

static int all_ran(void *ctx, const char *program)
{
	(void)ctx, (void)program;
	return 1;
}

static int only_expr_ran(void *ctx, const char *program)
{
	(void)ctx;
	return strcmp(program, "expr") == 0;
}

Test(shell_argument, passes)
{
	static const char *const texts[] = {
		"exec as \"$@\"",
		"d=$(dirname \"$0\")\nx=${0##*/}\n. $d/conf\nexec as $flags \"$@\"",
		"for a in \"$@\"; do case $a in -o|-[cS]) x=1 ;; *.c|*.cu) y=1 ;; esac; done",
		"for a; do case \"$a\" in /opt/spack/*) x=1 ;; *conftest*) y=1 ;; *) ;; esac; done",
		"while [ $# -gt 0 ]; do x=${1#-L}; y=${1%.c}; z=${1##*/}; shift; done",
		"x=$(sed -n p conf | cut -c 1-3)\nargs=(\"$@\")\nexec as ${x:1:2} \"${args[@]}\"",
		"as \"n=$(env | grep -c RANK)\" \"$@\"",
		"x=${1:-none}; [ \"$1\" = -c ] && shift", "echo ${#1} ${FLAGS#x}",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct arena a = ARENA_INIT;
		const char *why = shell_looks_into_arguments(texts[i], all_ran, NULL, &a);

		cr_expect_null(why, "%s: %s", texts[i], why);
		arena_free(&a);
	}
}

Test(shell_argument, looks)
{
	static const char *const texts[] = {
		"for f in \"$@\"; do :; done\nx=${f#/tmp/cc}\ncase $x in [a-m]*) v=1 ;; esac",
		"for f; do :; done\nx=${f%??.s}", "x=${1:3:2}", "x=${2/a/b}", "x=${1^}",
		"x=${@:1:2}",
		"x=$1\ny=$x\necho ${y%a*}", "case $1 in *a*) x=1 ;; esac",
		"case $1 in *x.s) ;; esac",
		"case $1 in /tmp/cca*) x=1 ;; esac", "case $1 in -c) ;; a??b) x=1 ;; esac",
		"echo \"$1\" | cut -c 6-8", "x=$(expr \"$1\" : '.*a')", "echo $* | sed s/a/b/",
		"echo \"$@\" | while read a b; do echo ${b:2:1}; done", "[ \"$1\" \\> /tmp/ccm ]",
		"echo \"$1\" | { x=$(cut -c 3); }", "as \"n=$(echo $1 | cut -c 3)\" \"$@\"",
		"args=(\"$@\")\nx=${args[1]:3:1}", "x+=$1; echo ${x#/tmp/cca}", "[[ $1 =~ a ]]",
		"x=`echo $1`\necho ${x%%a*}", "echo \"$1\" | \"tr\" a b",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct arena a = ARENA_INIT;

		cr_expect_not_null(shell_looks_into_arguments(texts[i], all_ran, NULL, &a), "%s",
		                   texts[i]);
		arena_free(&a);
	}
}

Test(shell_argument, programs_that_did_not_run)
{
	static const char text[] = "for a; do case $a in -c=*) x=`echo A$a | sed s/A//` ;; esac\n"
				   "n=`expr $n + 1`\ndone",
			  others[] = "x=$1\nn=`expr $x : a`", compared[] = "[[ $1 =~ a ]]",
			  grep[] = "echo $1 | egrep x";
	struct arena a = ARENA_INIT;

	cr_expect_null(shell_looks_into_arguments(text, only_expr_ran, NULL, &a));
	cr_expect_not_null(shell_looks_into_arguments(text, all_ran, NULL, &a));
	cr_expect_not_null(shell_looks_into_arguments(others, only_expr_ran, NULL, &a));
	cr_expect_not_null(shell_looks_into_arguments(compared, only_expr_ran, NULL, &a));
	cr_expect_null(shell_looks_into_arguments(grep, only_expr_ran, NULL, &a));
	arena_free(&a);
}
