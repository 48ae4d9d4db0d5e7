/* tools/perl_start.c - options, variables and modules of Perl 5. */
#include "tools/perl_start.h"

#include <string.h>

#include "shim/path.h"
#include "tools/list.h"

#include "shim/banned.h"

#define DIGITS "0123456789"

/* $! is a text in the language of the user. A locale that is not there is complained of, with these
 * variables. */
const char perl_variables[] = "PERL*\0PATH\0LC_*\0LANG\0LANGUAGE\0LOCPATH\0";

/* perl, perl5.36.0 */
int perl_interpreter(const char *base)
{
	if (strncmp(base, "perl", 4) != 0)
		return 0;
	base += 4;
	if (!*base)
		return 1;
	return strncmp(base, "5.", 2) == 0 && strspn(base, DIGITS ".") == strlen(base);
}

enum script_form perl_form(int argc, char *const argv[], const char **what)
{
	/* With -w it also warns of how it was started: of SIGCHLD, if that is ignored. */
	if (argc < 2 || argv[1][0] == '-')
		return SCRIPT_UNKNOWN;
	*what = argv[1];
	return SCRIPT_FILE;
}

/* PERL5OPT, PERL5LIB, PERL_UNICODE, PERLIO, ... bring modules, or change what a text means. If a
 * locale is missing, Perl prints all LC_* variables, in the order of the environment. */
const char *perl_variable(char *const envp[])
{
	int locales = 0;

	for (; *envp; envp++) {
		locales += strncmp(*envp, "LC_", 3) == 0;
		if (strncmp(*envp, "PERL", 4) == 0 || locales > 1)
			return *envp;
	}
	return NULL;
}

int perl_starts_with(const char *path)
{
	return list_has("/dev/urandom\0/proc/self/exe\0", path);
}

int perl_module(const char *path)
{
	return list_has("strict.pm\0warnings.pm\0", path_base(path));
}
