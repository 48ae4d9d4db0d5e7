/* tests/unit/test_script.c - interpreters by their command lines. */
#include "tools/script/script.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(script, languages)
{
	static const struct { const char *base; enum script_language l; } rows[] = {
		{"dash", SCRIPT_SH}, {"bash", SCRIPT_BASH}, {"env", SCRIPT_ENV},
		{"printenv", SCRIPT_OTHER}, {"python3.11", SCRIPT_OTHER}, {"perl", SCRIPT_OTHER},
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
		const char *line;
		enum script_form form;
		const char *what;
	} rows[] = {
		{"dash x.sh -c", SCRIPT_FILE, "x.sh"},
		{"dash -e x.sh", SCRIPT_FILE, "x.sh"},
		{"dash -- x.sh", SCRIPT_FILE, "x.sh"},
		{"dash -c text a", SCRIPT_TEXT, "text"},
		{"dash -e -c -- text", SCRIPT_TEXT, "text"},
		{"dash -ec text", SCRIPT_UNKNOWN, NULL},
		{"dash -x x", SCRIPT_UNKNOWN, NULL},
		{"dash -o errexit x", SCRIPT_UNKNOWN, NULL},
		{"dash +e x", SCRIPT_UNKNOWN, NULL},
		{"dash", SCRIPT_UNKNOWN, NULL},
		{"dash -s", SCRIPT_UNKNOWN, NULL},
		{"dash -i x", SCRIPT_UNKNOWN, NULL},
		{"dash -c", SCRIPT_UNKNOWN, NULL},
		{"dash - x", SCRIPT_UNKNOWN, NULL},
		{"bash --norc x", SCRIPT_UNKNOWN, NULL},
		{"bash --login x", SCRIPT_UNKNOWN, NULL},
		{"bash -l x", SCRIPT_UNKNOWN, NULL},
		{"env sh x", SCRIPT_PASSES, NULL},
		{"env -Ssh_-e x", SCRIPT_UNKNOWN, NULL},
		{"env A=1 sh", SCRIPT_UNKNOWN, NULL},
		{"env -S A=1 sh", SCRIPT_UNKNOWN, NULL},
		{"env -i sh", SCRIPT_UNKNOWN, NULL},
		{"env -S", SCRIPT_UNKNOWN, NULL},
		{"env", SCRIPT_UNKNOWN, NULL},
		{"python3 x -c", SCRIPT_FILE, "x"},
		{"python3.11 -E -sB -u x", SCRIPT_FILE, "x"},
		{"perl -w x", SCRIPT_FILE, "x"},
		{"python3.11", SCRIPT_UNKNOWN, NULL},
		{"python3.11 - x", SCRIPT_UNKNOWN, NULL},
		{"python3.11 -c x", SCRIPT_UNKNOWN, NULL},
		{"python3.11 -m x", SCRIPT_UNKNOWN, NULL},
		{"perl -e x", SCRIPT_UNKNOWN, NULL},
		{"mawk -f x", SCRIPT_UNKNOWN, NULL},
		{"make x", SCRIPT_UNKNOWN, NULL},
		{"gcc x", SCRIPT_UNKNOWN, NULL},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char line[128], *argv[16];
		const char *what;
		int argc;

		strcpy(line, rows[i].line);
		argc = split(line, argv);
		cr_expect_eq(script_form(argv[0], argc, argv, &what), rows[i].form, "%s",
		             rows[i].line);
		if (rows[i].form == SCRIPT_FILE || rows[i].form == SCRIPT_TEXT)
			cr_expect_str_eq(what, rows[i].what, "%s", rows[i].line);
	}
}

Test(script, programs_that_tell)
{
	cr_expect(script_teller("hostname"));
	cr_expect(script_teller("ls"));
	cr_expect_not(script_teller("gcc"));
	cr_expect_not(script_teller("sed"));
	cr_expect(script_compiles_input("as", 1, (char *[]){"as", NULL}));
	cr_expect(script_compiles_input("as", 4, (char *[]){"as", "--64", "-o", "a.o", NULL}));
	cr_expect(script_compiles_input("as", 3, (char *[]){"as", "--defsym", "x=1", NULL}));
	cr_expect(script_compiles_input("as", 3, (char *[]){"as", "a.s", "-", NULL}));
	cr_expect_not(script_compiles_input("as", 4, (char *[]){"as", "-o", "a.o", "a.s", NULL}));
	cr_expect_not(script_compiles_input("gcc", 1, (char *[]){"gcc", NULL}));
	cr_expect(script_compiles_input("gcc", 4, (char *[]){"gcc", "-xc", "-c", "-", NULL}));
	cr_expect_not(script_compiles_input("cat", 1, (char *[]){"cat", NULL}));
}

Test(script, programs_that_a_script_may_start)
{
	static const char *const yes[] = {"gcc", "bash", "env", "ptxas"};
	static const char *const no[] = {"mytool", "cat", "sed", "install", "timeout", ""};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(script_may_start(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(script_may_start(no[i]), "%s", no[i]);
}

Test(script, declared_paths)
{
	static const char list[] = "/opt/a/gcc:/opt/spack/env/*::relative*:/x";

	cr_expect(script_declared(list, "/opt/a/gcc"));
	cr_expect(script_declared(list, "/opt/spack/env/gcc/g++"));
	cr_expect(script_declared(list, "/x"));
	cr_expect_not(script_declared(list, "/opt/a/gcc2"));
	cr_expect_not(script_declared(list, "/opt/a"));
	cr_expect_not(script_declared(list, "/opt/spack/en"));
	cr_expect_not(script_declared(list, "relative"));
	cr_expect_not(script_declared("", "/x"));
	cr_expect_not(script_declared(NULL, "/x"));
}
