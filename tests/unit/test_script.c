/* tests/unit/test_script.c - interpreters by their command lines. */
#include "tools/script.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(script, languages)
{
	static const struct { const char *base; enum script_language l; } rows[] = {
		{"dash", SCRIPT_SH}, {"bash", SCRIPT_BASH}, {"env", SCRIPT_ENV},
		{"printenv", SCRIPT_ENV}, {"python3.11", SCRIPT_PYTHON}, {"python3", SCRIPT_OTHER},
		{"perl5.36.0", SCRIPT_PERL}, {"perl", SCRIPT_PERL},
		{"mawk", SCRIPT_OTHER}, {"ruby3.1", SCRIPT_OTHER},
		{"make", SCRIPT_OTHER}, {"busybox", SCRIPT_OTHER}, {"gcc", SCRIPT_NONE},
		{"as", SCRIPT_NONE}, {"", SCRIPT_NONE}, {"12", SCRIPT_NONE},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_eq(script_language(rows[i].base), rows[i].l, "%s", rows[i].base);
}

/* words: arguments with one space between them. */
static int split(char *line, char **argv)
{
	int n = 0;

	for (char *p = strtok(line, " "); p; p = strtok(NULL, " "))
		argv[n++] = p;
	argv[n] = NULL;
	return n;
}

Test(script, forms)
{
	static const struct {
		enum script_language l;
		const char *line;
		enum script_form form;
		const char *what;
	} rows[] = {
		{SCRIPT_SH, "sh x.sh -c", SCRIPT_FILE, "x.sh"},
		{SCRIPT_SH, "sh -e x.sh", SCRIPT_FILE, "x.sh"},
		{SCRIPT_SH, "sh -c text a", SCRIPT_TEXT, "text"},
		{SCRIPT_SH, "sh -c -- text", SCRIPT_TEXT, "text"},
		{SCRIPT_SH, "sh -ec text", SCRIPT_TEXT, "text"},
		{SCRIPT_SH, "sh -ce -f text", SCRIPT_TEXT, "text"},
		{SCRIPT_SH, "sh -o errexit x", SCRIPT_FILE, "x"},
		{SCRIPT_SH, "sh -oc errexit x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_SH, "sh +e x", SCRIPT_FILE, "x"},
		{SCRIPT_SH, "sh", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_SH, "sh -s", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_SH, "sh -i x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_SH, "sh -c", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_SH, "sh - x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_SH, "sh --weird x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_BASH, "bash --norc x", SCRIPT_FILE, "x"},
		{SCRIPT_BASH, "bash --login x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_BASH, "bash -l x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_ENV, "env A=1 gcc", SCRIPT_PASSES, NULL},
		{SCRIPT_ENV, "env -i -u B gcc -c", SCRIPT_PASSES, NULL},
		{SCRIPT_ENV, "env -u B", SCRIPT_SHOWS, NULL},
		{SCRIPT_ENV, "env", SCRIPT_SHOWS, NULL},
		{SCRIPT_ENV, "env A=1", SCRIPT_SHOWS, NULL},
		{SCRIPT_ENV, "env -Spython3_-I x", SCRIPT_PASSES, NULL},
		{SCRIPT_ENV, "printenv A", SCRIPT_SHOWS, NULL},
		{SCRIPT_OTHER, "python3 x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_PYTHON, "python3.11 x -c", SCRIPT_FILE, "x"},
		{SCRIPT_PYTHON, "python3.11 -E -sB -u x", SCRIPT_FILE, "x"},
		{SCRIPT_PYTHON, "python3.11", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_PYTHON, "python3.11 - x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_PYTHON, "python3.11 -c x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_PYTHON, "python3.11 -m x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_PYTHON, "python3.11 -i x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_PYTHON, "python3.11 -Wd x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_PYTHON, "python3.11 -X dev x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_PYTHON, "python3.11 -x x", SCRIPT_UNKNOWN, NULL},
		{SCRIPT_PYTHON, "python3.11 -- x", SCRIPT_UNKNOWN, NULL},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char line[128], *argv[16];
		const char *what;
		int argc;

		strcpy(line, rows[i].line);
		argc = split(line, argv);
		cr_expect_eq(script_form(rows[i].l, argc, argv, &what), rows[i].form, "%s",
		             rows[i].line);
		if (rows[i].form == SCRIPT_FILE || rows[i].form == SCRIPT_TEXT)
			cr_expect_str_eq(what, rows[i].what, "%s", rows[i].line);
	}
}

static int tells(const char *command)
{
	char line[128], *argv[16];
	int argc;

	strcpy(line, command);
	argc = split(line, argv);
	return script_teller(argv[0], argc, argv);
}

Test(script, programs_that_tell)
{
	static const char *const yes[] = {
		"hostname", "id -u", "uname -n", "uname -a", "ls -l", "ls -t x", "find . -newer x",
		"find . -mtime 1", "stat x", "ps", "test -t 1", "[ x ]", "mktemp", "nproc",
		"ls --color",
	};
	static const char *const no[] = {
		"uname", "uname -s", "uname -sm", "ls", "ls -1 x", "ls -a", "find . -name x",
		"gcc -c", "sed -n p x", "dirname /a/b",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(tells(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(tells(no[i]), "%s", no[i]);
	cr_expect(script_filter("cat"));
	cr_expect_not(script_filter("gcc"));
	cr_expect(script_compiles_input("as", 1, (char *[]){"as", NULL}));
	cr_expect(script_compiles_input("as", 4, (char *[]){"as", "--64", "-o", "a.o", NULL}));
	cr_expect(script_compiles_input("as", 3, (char *[]){"as", "--defsym", "x=1", NULL}));
	cr_expect(script_compiles_input("as", 3, (char *[]){"as", "a.s", "-", NULL}));
	cr_expect_not(script_compiles_input("as", 4, (char *[]){"as", "-o", "a.o", "a.s", NULL}));
	cr_expect_not(script_compiles_input("gcc", 1, (char *[]){"gcc", NULL}));
}

Test(script, programs_that_a_script_may_start)
{
	static const char *const yes[] = {"gcc", "sed", "dirname", "cat", "bash", "ptxas"};
	static const char *const no[] = {"mytool", "curl", "install", "git", "timeout", ""};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(script_may_start(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(script_may_start(no[i]), "%s", no[i]);
}
