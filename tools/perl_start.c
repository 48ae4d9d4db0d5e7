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
	int i = 1;

	while (i < argc && (strcmp(argv[i], "-w") == 0 || strcmp(argv[i], "--") == 0))
		if (strcmp(argv[i++], "--") == 0)
			break;
	if (i >= argc || argv[i][0] == '-')
		return SCRIPT_UNKNOWN;
	*what = argv[i];
	return SCRIPT_FILE;
}

/* PERL5OPT, PERL5LIB, PERL_UNICODE, PERLIO, ... bring modules, or change what a text means. */
const char *perl_variable(char *const envp[])
{
	for (; *envp; envp++)
		if (strncmp(*envp, "PERL", 4) == 0)
			return *envp;
	return NULL;
}

int perl_module(const char *path)
{
	return list_has("strict.pm\0warnings.pm\0", path_base(path));
}
