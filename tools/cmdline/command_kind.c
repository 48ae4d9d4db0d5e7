/* tools/cmdline/command_kind.c - runs that only preprocess. Nothing on such a command line does
 * more with a path than open it and spell it (docs/internals/names.md, "Preprocessed text"). */
#include "tools/cmdline/cmdline.h"

#include "shim/list.h"

#include "shim/banned.h"

/* A list of options known to be safe. Unsafe examples: -fmacro-prefix-map compares paths, -M folds
 * lines, -ivfsoverlay reads names from a file, and plugins may do anything. */
static const char exact[] =
	"-C\0" "-E\0" "-P\0" "-ansi\0" "-g\0" "-g0\0" "-g1\0" "-g2\0" "-g3\0" "-nostdinc\0"
	"-nostdinc++\0" "-pipe\0" "-pthread\0" "-shared\0" "-undef\0" "-w\0";
static const char prefixes[] =
	"-D\0" "-I\0" "-O\0" "-U\0" "-m\0" "-pedantic\0" "-std=\0" "-iquote/\0" "-isystem/\0"
	"-fPIC\0" "-fPIE\0" "-fpic\0" "-fpie\0" "-fno-\0" "-fopenmp\0" "-fvisibility\0"
	"-fexcess-precision=\0" "-ffast-math\0" "-ffinite-math-only\0" "-ffp-contract=\0"
	"-fmath-errno\0" "-fsigned-\0" "-funsigned-\0" "-funsafe-math-optimizations\0"
	"-ftree-\0" "-fexceptions\0" "-frtti\0" "-fstack-protector\0" "-fstrict-\0" "-fwrapv\0"
	"-fdata-sections\0" "-ffunction-sections\0" "-fcoroutines\0" "-fconcepts\0";
static const char separate[] =
	"-D\0" "-I\0" "-U\0" "-idirafter\0" "-imacros\0" "-include\0" "-iquote\0" "-isystem\0"
	"-o\0";
static const char languages[] = "c\0" "c++\0" "c-header\0" "c++-header\0";
/* Preprocessed text holds its own name. */
static const char preprocessed[] = ".i\0" ".ii\0" ".mi\0" ".mii\0";

static int is_operand(const char *s)
{
	const char *dot = strrchr(s, '.');

	return s[0] != '-' && s[0] != '@' && s[0] && !(dot && list_has(preprocessed, dot));
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
			if (++i == c->count || !list_has(languages, c->v[i].text))
				return 0;
		} else if (list_has(separate, s)) {
			if (++i == c->count || c->v[i].from_response)
				return 0;
		} else if (!is_operand(s) && !list_has(exact, s) && !list_begins(prefixes, s) &&
		           !is_warning(s)) {
			return 0;
		}
	}
	return asked;
}

/* Finds the word "native" in arguments. */

/* "native" as a separate word: -march=native, native behind -Xclang -target-cpu, in a comma
 * list. */
static int word_says_native(const char *s, size_t n)
{
	const char *at = s, *end = s + n;

	if (n > 1 && s[0] == '-' && strchr("DUIL", s[1]))
		return 0;
	while ((at = memmem(at, (size_t)(end - at), "native", 6))) {
		int begins = at == s || at[-1] == '=' || at[-1] == ',';

		at += 6;
		if (begins && (at == end || *at == ',' || *at == '+'))
			return 1;
	}
	return 0;
}

int cmdline_says_native(const char *s)
{
	static const char between[] = " \t\n\"'";

	for (size_t n; *(s += strspn(s, between)); s += n) {
		n = strcspn(s, between);
		if (word_says_native(s, n))
			return 1;
	}
	return 0;
}
