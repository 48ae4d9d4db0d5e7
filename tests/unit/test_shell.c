/* tests/unit/test_shell.c - what a command of `sh -c` may expand. */
#include "tools/shell.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Each name once, with a blank behind it. */
static void note(void *ctx, const char *name)
{
	char item[160];

	snprintf(item, sizeof item, " %s ", name);
	if (strstr(ctx, item) || strncmp(ctx, item + 1, strlen(item + 1)) == 0)
		return;
	strcat(ctx, item + 1);
}

Test(shell, names)
{
	static const struct { const char *command, *names; } rows[] = {
		{"", ""}, {"gcc -c a.c", ""}, {"echo $A", "A "},
		{"\"$A/cicc\" -D\"X=${B_1}\"", "A B_1 "},
		{"$A$B", "A B "}, {"${A:-$B}${#C}${D%.o}", "A B C D "},
		{"$1 $# $? $$ ${1} ${10} $@ $- $", ""},
		{"'$A' \\$A", "A "}, {"echo $(echo $A)`echo $B`", "A B "},
		{"(cd x && ls)", "CDPATH HOME "},
		{"ls ~/x", "HOME "}, {"FOO=1 BAR=$A cc", "A "},
		{"find . -name setx; gcc -I . -Dexport=1", ""},
		{"while getopts ab x", "OPTIND OPTERR "}, {"echo preset evaluate", ""}, {"(", ""},
		{"$A -n", "A "},
		/* Names in scripts. A file that is read by `.` is a separate text. */
		{". ./x", ""}, {"set -e; exec gcc \"$@\"", "PS4 "}, {"export A=$B C", "B "},
		{"local x=1; readonly y", ""},
		{"declare -r x=$A", "A "}, {"case $A in x) ;; *) B=$C ;; esac", "A C "},
		{"[ -n \"${A+x}\" ] && test -f $B", "A B "},
		{"a=(\"$@\"); gcc \"${a[@]}\" ${a[0]}", "a "}, {"[[ $A == x* ]] || exit", "A "},
		{"if $A; then set -- $B; fi", "A B PS4 "},
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
		"typeset", "source ./x",
		"if x; then set; fi", "if x; then export -p; fi", "declare -n x=A",
		"declare -i x=A", "alias x=y", "mapfile x",
		"echo $((A + 1))", "echo $[A]", "${!A}", "echo $A\\\nB", "let x=A", "((A))",
		"for ((;;)); do x; done", "${a[i]}", "${A@P}",
		"[[ A -eq 1 ]]", "[[ -v A ]]", "[[ x", "test -v A", "[ -R A ]", "\\eval x",
		"\"ev\"al x", "e''val x", "${x:A}", "${x:1:A}", "${@:A}", "unset 'a[i]'",
		"declare \"a[i]\"=1",
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

Test(shell, passes_its_arguments)
{
	static const char *const yes[] = {"exec gcc \"$@\"", "\nexec /opt/x/bin/gcc-12 \"$@\"\n",
	                                  "gcc \"$@\";\n", "exec ccache gcc ${1+\"$@\"}\n"};
	static const char *const no[] = {
		"", "exec gcc", "exec \"$@\"", "exec gcc -O2 \"$@\"", "exec gcc \"$@\" -O2",
		"exec gcc $@", "exec $CC \"$@\"", "exec ~/gcc \"$@\"",
		"A=1 exec gcc \"$@\"", "set x \"$@\"", ". ./x \"$@\"", "exec gcc a* \"$@\"",
		"gcc \"$@\"\ngcc \"$@\"", "case $1 in x) ;; esac\nexec gcc \"$@\"",
		"cd /\nexec gcc \"$@\"",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(shell_passes_arguments(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(shell_passes_arguments(no[i]), "%s", no[i]);
}

Test(shell, words)
{
	cr_expect(shell_has_word("if x; then gcc \"$@\"; fi", "gcc", 3));
	cr_expect(shell_has_word("\"g\"cc", "gcc", 3));
	cr_expect(shell_has_word("\"gcc\"", "gcc", 3));
	cr_expect(shell_has_word("x=$(\\gcc)", "gcc", 3));
	cr_expect_not(shell_has_word("gcc-12 xgcc $gcc", "gcc", 3));
	cr_expect_not(shell_has_word("gcc", "gcc", 0));
}
