/* tests/unit/test_shell.c - what a command of `sh -c` may expand. */
#include "tools/shell.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void note(void *ctx, const char *name)
{
	strcat(ctx, name);
	strcat(ctx, " ");
}

Test(shell, names)
{
	static const struct { const char *command, *names; } rows[] = {
		{"", ""}, {"gcc -c a.c", ""}, {"echo $A", "A "},
		{"\"$A/cicc\" -D\"X=${B_1}\"", "A B_1 "},
		{"$A$B", "A B "}, {"${A:-$B}${#C}${D%.o}", "A B C D "},
		{"$1 $# $? $$ ${1} ${10} $@ $- $", ""},
		{"'$A' \\$A", "A A "}, {"echo $(echo $A)`echo $B`", "A B "},
		{"(cd x && ls)", "CDPATH HOME "},
		{"ls ~/x", "HOME "}, {"FOO=1 BAR=$A cc", "A "},
		{"find . -name setx; gcc -I . -Dexport=1", ""},
		{"echo preset evaluate", ""}, {"(", ""}, {"$A -n", "A "},
	};
	char names[256];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		names[0] = '\0';
		cr_expect_eq(shell_variables(rows[i].command, note, names), 0, "%s",
		             rows[i].command);
		cr_expect_str_eq(names, rows[i].names, "%s: %s", rows[i].command, names);
	}
}

Test(shell, what_it_cannot_tell)
{
	static const char *const rows[] = {
		"eval x", "a; set", "export", "x && export -p", "(readonly)", "`set`", "declare -p",
		"typeset", "source ./x", ". ./x",
		"a; . x", "a &&. x", "echo $((A + 1))", "echo $[A]", "${!A}", "echo $A\\\nB",
		"let x=A",
	};
	char names[256];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		names[0] = '\0';
		cr_expect_eq(shell_variables(rows[i], note, names), -1, "%s", rows[i]);
	}
}

Test(shell, a_name_of_any_length)
{
	char command[300] = "$", names[300];

	for (size_t n = 1; n < 200; n++) {
		int fits = n < 128;

		command[n] = 'a';
		command[n + 1] = '\0';
		names[0] = '\0';
		cr_expect_eq(shell_variables(command, note, names), fits ? 0 : -1, "%zu", n);
		cr_expect_eq(strlen(names), fits ? n + 1 : 0);
	}
}
