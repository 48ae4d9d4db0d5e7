/* tools/comment_options.c - the options with which gcc and clang look at no comment, or only at
 * those that a comment-free form keeps (tools/comment_free.h).
 *
 * What counts a comment: -E and -C print it; -save-temps, -fverbose-asm and assembler listings
 * write source lines; clang with -g writes the MD5 of sources; -Wdocumentation reads it;
 * -Wimplicit-fallthrough=1 takes any comment; -Wtrailing-whitespace and -Wleading-whitespace look
 * at its ends. In C90 two slashes are a division, and with -pedantic an error. All but the last few
 * are no known options of the driver (driver_gcc_plain), which is the first condition. */
#include "tools/comment_options.h"

#include <string.h>

#include "shim/path.h"
#include "tools/driver.h"
#include "tools/gcc.h"
#include "tools/list.h"

#include "shim/banned.h"

/* Not known to let no name through, but harmless to comments. */
static int is_harmless(const struct tool_row *row, const char *s)
{
	static const char prefixes[] =
		"--param\0" "-fdebug-prefix-map=\0" "-ffile-prefix-map=\0" "-fmacro-prefix-map=\0"
		"-fno-sanitize\0" "-fsanitize-recover\0" "-fsanitize=\0";
	static const char debug[] =
		"-gdwarf\0" "-gdwarf-2\0" "-gdwarf-3\0" "-gdwarf-4\0" "-ggdb1\0" "-ggdb2\0"
		"-ggdb3\0";

	static const char lists[] = "-Wp,-D\0" "-Wp,-MD,\0" "-Wp,-MMD,\0" "-Wp,-U\0";

	for (const char *p = prefixes; *p; p = LIST_NEXT(p))
		if (strncmp(s, p, strlen(p)) == 0)
			return 1;
	for (const char *p = lists; *p; p = LIST_NEXT(p))
		if (strncmp(s, p, strlen(p)) == 0)
			return !strchr(s + strlen(p), ',');
	return row->family == FAMILY_GCC && list_has(debug, s);
}

static int is_refused(const char *s)
{
	static const char words[] =
		"--ansi\0" "-C\0" "-CC\0" "-E\0" "-Wimplicit-fallthrough=1\0" "-ansi\0"
		"-ftrigraphs\0" "-trigraphs\0";
	static const char prefixes[] =
		"-Wc90-c99-compat\0" "-Wdocumentation\0" "-Weverything\0"
		"-Wleading-whitespace\0" "-Wtraditional\0" "-Wtrailing-whitespace\0"
		"-fborland\0" "-fms-\0";

	if (list_has(words, s))
		return 1;
	for (const char *p = prefixes; *p; p = LIST_NEXT(p))
		if (strncmp(s, p, strlen(p)) == 0)
			return 1;
	return 0;
}

/* A macro on the command line whose text may be a part of a pragma (tools/comment_words.c). */
static int defines_pragma(const struct cmdline_arg *arg)
{
	static const char options[] = "--define-macro\0" "-D\0";

	return ((arg->option && list_has(options, arg->option)) ||
	        strncmp(arg->text, "-Wp,-D", 6) == 0) &&
	       strstr(arg->text, "diagnostic") != NULL;
}

/* The standard behind -std=: 1 it has line comments, 0 it may not. */
static int has_line_comments(const char *standard)
{
	static const char c[] =
		"c11\0" "c17\0" "c18\0" "c1x\0" "c23\0" "c2x\0" "c2y\0" "c99\0" "c9x\0"
		"gnu11\0" "gnu17\0" "gnu18\0" "gnu1x\0" "gnu23\0" "gnu2x\0" "gnu2y\0" "gnu99\0"
		"gnu9x\0";

	return strncmp(standard, "c++", 3) == 0 || strncmp(standard, "gnu++", 5) == 0 ||
	       list_has(c, standard);
}

static int is_source(const char *path)
{
	static const char endings[] = "C\0" "c\0" "c++\0" "cc\0" "cp\0" "cpp\0" "cxx\0";
	const char *dot = strrchr(path_base(path), '.');

	return dot && list_has(endings, dot + 1);
}

/* All arguments are known. *pedantic, *standard: asked for, and said. */
static int all_allowed(const struct tool_row *row, const struct cmdline *c, int *pedantic,
                       int *standard)
{
	for (int i = 1; i < c->count; i++) {
		const struct cmdline_arg *arg = &c->v[i];
		const char *s = arg->text, *value;

		if (!arg->option && s[0] != '-' && s[0] != '@' && !is_source(s))
			return 0;
		if (!driver_gcc_plain(row, c, i) && !is_harmless(row, s) &&
		    !(arg->is_value && strcmp(arg->option, "--param") == 0))
			return 0;
		if ((!arg->is_value && is_refused(s)) || defines_pragma(arg))
			return 0;
		*pedantic |= strstr(s, "pedantic") != NULL;
		value = strncmp(s, "-std=", 5) == 0 ? s + 5
		        : strncmp(s, "--std", 5) == 0 ? "" : NULL;
		if (value && !has_line_comments(value))
			return 0;
		*standard |= value != NULL;
	}
	return 1;
}

int comment_options_allow(const struct tool_row *row, const struct cmdline *c)
{
	const unsigned refused = CMD_PREPROCESS | CMD_LINK | CMD_PCH | CMD_PCH_TIMES | CMD_DUMP |
	                         CMD_COVERAGE | CMD_LTO | CMD_STDIN | CMD_NESTS;
	/* not what others have made of them, nor other languages */
	static const char compilers[] =
		"c++\0" "cc\0" "clang\0" "clang++\0" "g++\0" "gcc\0";
	int gcc = row->family == FAMILY_GCC, pedantic = 0, standard = 0;

	if (!list_has(compilers, row->name) || c->flags & refused ||
	    !all_allowed(row, c, &pedantic, &standard))
		return 0;
	/* gcc before 5 compiles C90 if no standard is given. */
	if (pedantic && !standard && !strstr(row->name, "++"))
		return 0;
	return !(c->flags & CMD_DEBUG) || (gcc && !(row->flags & TOOL_EITHER));
}

int comment_options_text(const char *path)
{
	static const char endings[] =
		"C\0" "H\0" "HPP\0" "c\0" "c++\0" "cc\0" "cp\0" "cpp\0" "cxx\0" "def\0" "h\0"
		"h++\0" "hh\0" "hp\0" "hpp\0" "hxx\0" "inc\0" "inl\0" "ipp\0" "tcc\0" "tpp\0"
		"txx\0";
	const char *base = path_base(path), *dot = strrchr(base, '.');

	/* <vector> has no ending */
	return dot ? list_has(endings, dot + 1) : strstr(path, "include") != NULL;
}

int comment_options_program(const char *base)
{
	const struct tool_row *row = tool_find(base, NULL);

	return row && (row->family == FAMILY_GCC || row->family == FAMILY_CLANG ||
	               row->family == FAMILY_CC1 || row->family == FAMILY_AS);
}

int comment_options_places(const struct tool_row *row)
{
	return row->family != FAMILY_CLANG;
}
