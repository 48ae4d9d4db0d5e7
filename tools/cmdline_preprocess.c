/* tools/cmdline_preprocess.c - runs that only preprocess. Nothing on such a command line does more
 * with a path than open it and spell it (docs/internals/names.md, "Preprocessed text"). */
#include "tools/cmdline_preprocess.h"

#include <string.h>

#include "shim/banned.h"

/* A list of options known to be safe. Unsafe examples: -fmacro-prefix-map compares paths, -M folds
 * lines, -ivfsoverlay reads names from a file, and plugins may do anything. */
static const char *const exact[] = {
	"-C", "-E", "-P", "-ansi", "-g", "-g0", "-g1", "-g2", "-g3", "-nostdinc", "-nostdinc++",
	"-pipe", "-pthread", "-shared", "-undef", "-w", NULL};
static const char *const prefixes[] = {
	"-D", "-I", "-O", "-U", "-m", "-pedantic", "-std=", "-iquote/", "-isystem/", "-fPIC",
	"-fPIE", "-fpic", "-fpie", "-fno-", "-fopenmp", "-fvisibility", "-fexcess-precision=",
	"-ffast-math", "-ffinite-math-only", "-ffp-contract=", "-fmath-errno", "-fsigned-",
	"-funsigned-", "-funsafe-math-optimizations", "-ftree-", "-fexceptions", "-frtti",
	"-fstack-protector", "-fstrict-", "-fwrapv", "-fdata-sections", "-ffunction-sections",
	"-fcoroutines", "-fconcepts", NULL};
static const char *const separate[] = {
	"-D", "-I", "-U", "-idirafter", "-imacros", "-include", "-iquote", "-isystem", "-o", NULL};
static const char *const languages[] = {"c", "c++", "c-header", "c++-header", NULL};
/* Preprocessed text holds its own name. */
static const char *const preprocessed[] = {".i", ".ii", ".mi", ".mii", NULL};

static int is_one_of(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(s, *list) == 0)
			return 1;
	return 0;
}

static int begins(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (strncmp(s, *list, strlen(*list)) == 0)
			return 1;
	return 0;
}

static int is_operand(const char *s)
{
	const char *dot = strrchr(s, '.');

	return s[0] != '-' && s[0] != '@' && s[0] && !(dot && is_one_of(dot, preprocessed));
}

/* -Wall, not -Wp,-MD,x. */
static int is_warning(const char *s)
{
	return strncmp(s, "-W", 2) == 0 && !strchr(s, ',');
}

int cmdline_preprocess_plain(const struct cmdline *c)
{
	int asked = 0;

	for (int i = 1; i < c->count; i++) {
		const char *s = c->v[i].text;

		if (c->v[i].from_response)
			return 0;
		asked |= strcmp(s, "-E") == 0;
		if (strcmp(s, "-x") == 0) {
			if (++i == c->count || !is_one_of(c->v[i].text, languages))
				return 0;
		} else if (is_one_of(s, separate)) {
			if (++i == c->count || c->v[i].from_response)
				return 0;
		} else if (!is_operand(s) && !is_one_of(s, exact) && !begins(s, prefixes) &&
		           !is_warning(s)) {
			return 0;
		}
	}
	return asked;
}
