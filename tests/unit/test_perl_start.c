/* The command line, the variables and the modules of Perl. */
#include <criterion/criterion.h>

#include "tools/perl_start.h"

Test(perl_start, interpreters)
{
	cr_expect(perl_interpreter("perl"));
	cr_expect(perl_interpreter("perl5.36.0"));
	cr_expect_not(perl_interpreter("perl6"));
	cr_expect_not(perl_interpreter("perldoc"));
	cr_expect_not(perl_interpreter("perl5.36-x86_64-linux-gnu"));
	cr_expect_not(perl_interpreter("python3"));
}

static enum script_form form(char *a, char *b, char *c)
{
	char *argv[] = {"perl", a, b, c, NULL};
	const char *what = NULL;
	int argc = 1 + (a != NULL) + (b != NULL) + (c != NULL);
	enum script_form f = perl_form(argc, argv, &what);

	cr_expect_eq(f == SCRIPT_FILE, what != NULL);
	if (what)
		cr_expect_str_eq(what, "x");
	return f;
}

Test(perl_start, command_lines)
{
	cr_expect_eq(form("x", "-e", "y"), SCRIPT_FILE);
	cr_expect_eq(form("-w", "x", NULL), SCRIPT_UNKNOWN);
	cr_expect_eq(form("--", "x", NULL), SCRIPT_UNKNOWN);
	cr_expect_eq(form("-e", "x", NULL), SCRIPT_UNKNOWN);
	cr_expect_eq(form("-Mlib", "x", NULL), SCRIPT_UNKNOWN);
	cr_expect_eq(form("-", "x", NULL), SCRIPT_UNKNOWN);
	cr_expect_eq(form(NULL, NULL, NULL), SCRIPT_UNKNOWN);
}

Test(perl_start, variables)
{
	char *plain[] = {"PATH=/bin", "XPERL5OPT=-d", NULL};
	char *one[] = {"LC_ALL=C", "LANG=x", NULL};
	char *two[] = {"LC_TIME=x", "LC_NUMERIC=x", NULL};
	char *brings[] = {"PATH=/bin", "PERL5OPT=-MX", NULL};

	cr_expect_null(perl_variable(plain));
	cr_expect_null(perl_variable(one));
	cr_expect_str_eq(perl_variable(two), "LC_NUMERIC=x");
	cr_expect_str_eq(perl_variable(brings), "PERL5OPT=-MX");
}

Test(perl_start, modules)
{
	cr_expect(perl_module("/usr/share/perl/5.36/strict.pm"));
	cr_expect(perl_module("/usr/share/perl/5.36/warnings.pm"));
	cr_expect_not(perl_module("/usr/share/perl/5.36/POSIX.pm"));
	cr_expect_not(perl_module("/etc/perl/sitecustomize.pl"));
}
