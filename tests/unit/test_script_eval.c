/* eval of a program's output, in each form of text. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tools/script_eval.h"

#define MPICC "spec=\"\\${wl}-rpath \\${wl}\\$libdir\"\nwl=\"-Wl,\"\nlibdir=/usr/lib\n"

Test(script_eval, plain)
{
	static const char *const rows[] = {
		"", "x=$(y)", "eval \"$x\"", "eval exec gcc \"$@\"",
		/* MPICH's mpicc */
		MPICC "if x; then\n eval flags=\\\"${spec} $wl\\\"\nfi\nCC=`echo $CC | sed s///`\n",
		"a=`x`\nb=\"$c d\"\nc=e\neval $b",
		"a=`x`\neval $b", "a=`x`\nb=1\nb+=2\neval \"$b\"", "a=$(x)\n{ eval y; }",
		"a=$(x); b=1\nif y; then eval \"$b\"\nfi", "a=`x`\nb=$b\neval $b",
		/* a message of Spack's wrapper */
		"eval \"a=\\\"\\$A_${b}\\\"\"\n"
		"die \"no \\`depends_on(\\\"$b\\\", t=\\\"c\\\")\\`: x\"",
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect(script_eval_is_plain(&rows[i], 1), "%s", rows[i]);
}

Test(script_eval, what_a_program_printed)
{
	static const char *const rows[] = {
		"\\eval \"$(x)\"", "\"ev\"al `x`", "a=$(x)\neval $a", "a=`x`\neval \"$a\"",
		"b=$a\na=$(x)\neval \"$b\"", "eval $b\nb=\"y $a\"\na=$(x)",
		"a=$(x)\nb=\\$a\neval $b",
		"a=$(x)\neval \"$1\"", "a=$(x)\neval \"$@\"", "a=$(x)\neval \"${b[0]}\"",
		"a=$(x)\neval \"${b:-$a}\"", "for b in `x`; do\neval $b\ndone",
		"x | while read b; do\neval $b\ndone\n`y`",
		"a=$(x)\nprintf -v \"$y$z\" %s \"$a\"\neval $b",
		"a=$(x)\nexport \"$y$z=$a\"\neval $b", "a=$(x)\nE=eval\n$E $a",
		"a=$(x)\n$z eval $a",
		"a=$(x)\neval \"\n$a\"", "a=$(x)\neval \\\n$a", "a=$(x)\nb='\n'$a\neval $b",
		"a=$(x)\nb='$'\neval \"${b}a\"", "a[0]=$(x)\neval $a", ": ${a:=`x`}\neval $a",
		"a=$(x)\ntrap 'eval $a' EXIT", "a=$(x)\nb=c\nb=\\$${c}\neval $b",
		"die \"\\`x()\\`\"\neval \"$1\"", "die \"\\`x a\\`\"\neval \"$1\"",
		"die \"\\\\`x(a)\\\\`\"\neval \"$1\"", "die `x(a)`\neval \"$1\"",
		"die \"\\`x(a)\"\neval \"$1\"", "die \"\\`x(a)\\` $(y)\"\neval \"$1\"",
		"die \"$(y) \\`x(a)\\`\"\neval \"$1\"", "die \"\\`x($(y))\\`\"\neval \"$1\"",
		"die \"\\`time(x)\\`\"\neval \"$1\"", "die \"\\`x( ) { y; }; (z)\\`\"\neval \"$1\"",
		"die \"\\`if(x); then y; fi; (z)\\`\"\neval \"$1\"",
		"die \"\\`x(a)\ny\\`\"\neval \"$1\"", "die \"\\`x(a) y\\`\"\neval \"$1\"",
		"declare -n c=a\nc=$(x)\neval $a", "a=$(x)\neval cat <<E\n$a\nE",
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_not(script_eval_is_plain(&rows[i], 1), "%s", rows[i]);
}

Test(script_eval, texts_read_each_others_variables)
{
	static const char *const plain[] = {"a=1\n", "b=`x`\neval $a"},
	                         *const printed[] = {"a=$(x)", "eval $a"};

	cr_expect(script_eval_is_plain(plain, 2));
	cr_expect_not(script_eval_is_plain(printed, 2));
	cr_expect(script_eval_is_plain(NULL, 0));
}

Test(script_eval, long_chains_end)
{
	char text[65536];
	size_t n = (size_t)sprintf(text, "z=`x`\neval $a0\n");
	const char *all = text;

	for (int i = 0; i < 40; i++)
		n += (size_t)sprintf(text + n, "a%d=\"$a%d $a%d $a%d\"\n", i, i + 1, i + 1, i + 2);
	cr_expect_not(script_eval_is_plain(&all, 1));
}
