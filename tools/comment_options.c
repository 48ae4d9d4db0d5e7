/* tools/comment_options.c - the options with which gcc and clang look at no words of comments, or
 * only at those that a comment-free form keeps (tools/comment_free.h).
 *
 * Examples of options that are not listed: -E and -C print comments; -save-temps, -fverbose-asm and
 * assembler listings write source lines; clang with -g writes the MD5 of sources; -std=c99 is the
 * first standard of C in which two slashes always begin a comment. */
#include "tools/comment_options.h"

#include <string.h>

#include "shim/path.h"
#include "tools/list.h"
#include "tools/options_f.h"

#include "shim/banned.h"

/* Rows of tools/options_gcc.def, with any value. */
static const char rows[] =
	"--define-macro\0" "--include-directory\0" "--output\0" "--param\0" "--sysroot\0"
	"--target\0" "--undefine-macro\0" "-B\0" "-D\0" "-I\0" "-MD\0" "-MF\0" "-MMD\0" "-MP\0"
	"-MQ\0" "-MT\0" "-O\0" "-S\0" "-U\0" "-W\0" "-c\0" "-fdebug-prefix-map=\0"
	"-ffile-prefix-map=\0" "-fmacro-prefix-map=\0" "-g0\0" "-ggdb0\0" "-idirafter\0"
	"-imacros\0" "-include\0" "-iquote\0" "-isysroot\0" "-isystem\0" "-m\0" "-o\0"
	"-pedantic\0" "-pg\0" "-pipe\0" "-pthread\0" "-stdlib=\0" "-target\0" "-w\0";
static const char words[] =
	"-Wa,--64\0" "-Wa,--noexecstack\0" "-fno-lto\0" "-nostdinc\0" "-nostdinc++\0"
	"-std=c11\0" "-std=c17\0" "-std=c18\0" "-std=c1x\0" "-std=c23\0" "-std=c2x\0"
	"-std=c99\0" "-x\0" "-xc\0" "-xc++\0" "c\0" "c++\0";
/* Each with a value that has no comma. */
static const char prefixes[] =
	"-Wp,-D\0" "-Wp,-MD,\0" "-Wp,-MMD,\0" "-Wp,-U\0" "-fno-sanitize-recover\0"
	"-fno-sanitize=\0" "-fsanitize-recover\0" "-std=c++\0" "-std=gnu\0";
/* gcc alone: clang writes the MD5 of sources. */
static const char debug[] =
	"-g\0" "-g1\0" "-g2\0" "-g3\0" "-gdwarf\0" "-gdwarf-2\0" "-gdwarf-3\0" "-gdwarf-4\0"
	"-gdwarf-5\0" "-ggdb\0" "-ggdb1\0" "-ggdb2\0" "-ggdb3\0" "-gno-record-gcc-switches\0";
static const char sources[] =
	"C\0" "c\0" "c++\0" "cc\0" "cp\0" "cpp\0" "cxx\0";

static int has_ending(const char *path, const char *endings)
{
	const char *dot = strrchr(path_base(path), '.');

	return dot && list_has(endings, dot + 1);
}

/* Or it may be clang. */
static int is_clang(const struct tool_row *row)
{
	return row->family == FAMILY_CLANG || (row->flags & TOOL_EITHER) != 0;
}

static int is_allowed(const struct tool_row *row, const struct cmdline_arg *arg)
{
	const char *s = arg->text;

	if (!arg->option)
		return *s == '@' || (*s != '-' && has_ending(s, sources));
	for (const char *p = prefixes; *p; p = LIST_NEXT(p))
		if (strncmp(s, p, strlen(p)) == 0)
			return !strchr(s + strlen(p), ',');
	return list_has(rows, arg->option) || list_has(words, s) || options_f_known(s) ||
	       strncmp(s, "-fsanitize=", 11) == 0 ||
	       (!is_clang(row) && list_has(debug, s));
}

int comment_options_allow(const struct tool_row *row, const struct cmdline *c)
{
	/* not what others have made of them, nor other languages */
	static const char compilers[] =
		"c++\0" "cc\0" "clang\0" "clang++\0" "g++\0" "gcc\0";

	for (int i = 1; i < c->count; i++)
		if (!is_allowed(row, &c->v[i]))
			return 0;
	return list_has(compilers, row->name) && !(c->flags & (CMD_LINK | CMD_STDIN | CMD_NESTS));
}

int comment_options_text(const char *path)
{
	static const char endings[] =
		"H\0" "HPP\0" "def\0" "h\0" "h++\0" "hh\0" "hp\0" "hpp\0" "hxx\0" "inc\0" "inl\0"
		"ipp\0" "tcc\0" "tpp\0" "txx\0";

	/* <vector> has no ending */
	return has_ending(path, endings) || has_ending(path, sources) ||
	       (!strchr(path_base(path), '.') && strstr(path, "include"));
}

int comment_options_doxygen(const struct tool_row *row)
{
	return is_clang(row);
}

int comment_options_places(const struct tool_row *row)
{
	return row->family != FAMILY_CLANG;
}

int comment_options_program(const struct tool_row *row, const char *base)
{
	const struct tool_row *found = tool_find(base, NULL);

	return found && (found->family == FAMILY_GCC || found->family == FAMILY_CC1 ||
	                 found->family == FAMILY_AS ||
	                 (found->family == FAMILY_CLANG && is_clang(row)));
}
