/* tools/asks/preprocessed.c - searches preprocessed text, and makes the command that gives it. */
#include "tools/asks/preprocessed.h"

#include <string.h>

#include "shim/arena.h"
#include "shim/list.h"
#include "tools/cmdline/cmdline.h"
#include "shim/list.h"

#include "shim/banned.h"

/* Options that choose what is made, and where it goes. */
static const char products[] =
	"--assemble\0" "--compile\0" "--output\0" "-MD\0" "-MF\0" "-MMD\0" "-MP\0" "-MQ\0" "-MT\0"
	"-S\0" "-c\0" "-o\0";
/* Words that the compiler itself replaces by a name. */
static const char *const askers[] = {
	"__FILE__", "__FILE_NAME__", "__BASE_FILE__", "__builtin_FILE", "__builtin_source_location",
	NULL};

/* gcc begins with a line marker of the source: # 0 "a.c", or # 1 "a.c" before version 11. */
int expanded_begins(const char *text, size_t n, const struct cmdline *c)
{
	const char *source = cmdline_operand(c);
	size_t len = source ? strlen(source) : 0;

	return len && n >= len + 7 && text[0] == '#' && text[1] == ' ' &&
	       (text[2] == '0' || text[2] == '1') && memcmp(text + 3, " \"", 2) == 0 &&
	       memcmp(text + 5, source, len) == 0 && memcmp(text + 5 + len, "\"\n", 2) == 0;
}

const char **expanded_command(const struct tool_row *row, const struct cmdline *c,
                              struct arena *arena)
{
	/* Debug information names directories whatever the text says, unless these are accepted. */
	const unsigned debug = c->flags & CMD_DEBUG_ANYWHERE ? 0 : CMD_DEBUG;
	const unsigned others = CMD_PREPROCESS | CMD_LINK | CMD_PCH | CMD_PCH_TIMES | CMD_STDIN |
	                        CMD_DUMP | CMD_COVERAGE | CMD_LTO | debug | CMD_NESTS;
	const char **argv;
	int n = 0;

	/* An assembler's text asks in other words. A file that is C or C++ makes the command free
	 * of its directory. */
	if (row->family != FAMILY_GCC || !(row->flags & TOOL_LIBCPP) || c->flags & others ||
	    !(c->flags & CMD_CWD_FREE) || !cmdline_operand(c))
		return NULL;
	argv = arena_alloc(arena, (size_t)(c->count + 3) * sizeof *argv);
	if (!argv)
		return NULL;
	for (int i = 0; i < c->count; i++) {
		const char *option = c->v[i].option;

		if (strncmp(c->v[i].text, "-Wp,", 4) == 0 ||
		    strncmp(c->v[i].text, "-X", 2) == 0 ||
		    strcmp(c->v[i].text, "-P") == 0 || c->v[i].text[0] == '@')
			return NULL;
		if (!option || !list_has(products, option))
			argv[n++] = c->v[i].text;
	}
	argv[n++] = "-E";
	/* -g adds a line with the directory, -g3 the definitions of macros. */
	if (c->flags & CMD_DEBUG)
		argv[n++] = "-g0";
	argv[n] = NULL;
	return argv;
}

static int is_file_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || c == '+' || c == '.';
}

int expanded_finds(const char *base)
{
	size_t n = 0;

	while (is_file_letter(base[n]))
		n++;
	return n && !base[n] && memchr(base, '.', n) != NULL;
}

/* # NUMBER "FILE" NUMBERS, and nothing else: a raw string's lines may begin like one. */
static int is_marker(const char *p, const char *end)
{
	if (end - p < 5 || p[0] != '#' || p[1] != ' ')
		return 0;
	for (p += 2; p < end && *p >= '0' && *p <= '9'; p++)
		;
	if (end - p < 3 || p[0] != ' ' || p[1] != '"')
		return 0;
	for (p += 2; p < end && *p != '"'; p++)
		if (*p == '\\')
			p++;
	if (p >= end)
		return 0;
	for (p++; p < end; p++)
		if (*p != ' ' && (*p < '0' || *p > '9'))
			return 0;
	return 1;
}

/* The next lines that are no line marker: from *s to the result; NULL: none is left. */
static const char *next_part(const char **s, const char *end)
{
	const char *p = *s, *from = NULL;

	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		eol = eol ? eol : end;
		if (*p == '#' && is_marker(p, eol)) {
			if (from) {
				*s = from;
				return p;
			}
		} else if (!from) {
			from = p;
		}
		p = eol < end ? eol + 1 : end;
	}
	*s = from ? from : end;
	return from ? end : NULL;
}

int expanded_holds(const char *text, size_t n, const char *name, size_t len)
{
	const char *s = text, *end = text + n, *to;

	while ((to = next_part(&s, end)) != NULL) {
		if (memmem(s, (size_t)(to - s), name, len))
			return 1;
		s = to;
	}
	return 0;
}

/* 1: a run of letters from s to `to` around a point is one of the files. */
static int names_file(const char *s, const char *to, const char *files)
{
	const char *p = s;

	while ((p = memchr(p, '.', (size_t)(to - p))) != NULL) {
		const char *first = p, *last = p;

		while (first > s && is_file_letter(first[-1]))
			first--;
		while (last < to && is_file_letter(*last))
			last++;
		if (list_has_n(files, first, (size_t)(last - first)))
			return 1;
		p = last;
	}
	return 0;
}

int expanded_is_silent(const char *text, size_t n, const char *files)
{
	const char *s = text, *end = text + n, *to;

	for (int i = 0; askers[i]; i++)
		if (expanded_holds(text, n, askers[i], strlen(askers[i])))
			return 0;
	while ((to = next_part(&s, end)) != NULL) {
		if (names_file(s, to, files))
			return 0;
		s = to;
	}
	return 1;
}
