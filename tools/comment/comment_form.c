/* tools/comment/comment_form.c - a lexer that empties comments.
 *
 * It refuses a text in which it may take code for a comment:
 *   - control characters, trigraphs, digraphs of "#"; bytes outside ASCII in code;
 *   - raw strings, digit separators, and literals that do not end on their line (C and C++ differ);
 *   - joined lines, unless a blank or one of ";,(){}" stands before the backslash, outside comments
 *     and literals: so no joined line divides a token;
 *   - a comment that begins on the line of an #if, #include or #pragma and ends on another line;
 *   - directives that it does not list. */
#include "tools/comment/comment.h"

#include <string.h>

#include "shim/ascii.h"
#include "shim/list.h"
#include "shim/path.h"
#include "tools/options/options.h"

#include "shim/banned.h"

/* The options with which gcc and clang look at no words of comments, or
 * only at those that a comment-free form keeps.
 *
 * Examples of options that are not listed: -E and -C print comments; -save-temps, -fverbose-asm and
 * assembler listings write source lines; clang with -g writes the MD5 of sources; -std=c99 is the
 * first standard of C in which two slashes always begin a comment. */

/* Rows of tools/options/gcc_options.def, with any value. */
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
	const char *s = arg->text, *prefix;

	if (!arg->option)
		return *s == '@' || (*s != '-' && has_ending(s, sources));
	if ((prefix = list_begins(prefixes, s)) != NULL)
		return !strchr(s + strlen(prefix), ',');
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

struct lexer {
	const char *text, *p, *end;
	const char *line; /* beginning of the logical line; inside a comment of the physical one */
	const char *kept; /* behind the last byte that the form has */
	char *out;
	int begun;        /* the logical line has a token */
	int documented, refused;
};

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *line_end(const struct lexer *x, const char *p)
{
	const char *newline = memchr(p, '\n', (size_t)(x->end - p));

	return newline ? newline : x->end;
}

static int is_next(const struct lexer *x, char c)
{
	return x->p + 1 < x->end && x->p[1] == c;
}

static int is_odd(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (((unsigned char)text[i] < ' ' && text[i] != '\n' && text[i] != '\t') ||
		    text[i] == 0x7f || (text[i] == '?' && i + 1 < n && text[i + 1] == '?'))
			return 1;
	return 0;
}

/* Writes what the form has of the text, up to `to`. */
static void keep(struct lexer *x, const char *to)
{
	memcpy(x->out, x->kept, (size_t)(to - x->kept));
	x->out += to - x->kept;
	x->kept = to;
}

static const char *after_blanks(const char *p, const char *to)
{
	while (p < to && is_blank(*p))
		p++;
	return p;
}

static const char *before_blanks(const char *p, const char *from)
{
	while (p > from && is_blank(p[-1]))
		p--;
	return p;
}

/* The line that ends at `to` has a backslash at its end, in a comment that begins at x->p. */
static int is_joined(const struct lexer *x, const char *to)
{
	return before_blanks(to, x->p)[-1] == '\\';
}

/* The comment up to `to` keeps its words. */
static int has_words(const struct lexer *x, const char *to)
{
	const char *p = x->p + 2, *line = x->line;

	if (x->documented && p < to && memchr("*!/<", *p, 4))
		return 1;
	for (; p < to; p++) {
		if (*p == '\n') {
			const char *first = after_blanks(p + 1, to);

			if (p - line >= COMMENT_LONG || (first < to && *first == '#'))
				return 1;
			line = p + 1;
		} else if ((unsigned char)*p >= 0x80 ||
		           (to - p >= 2 && memcmp(p, "/*", 2) == 0) ||
		           (to - p >= 4 && strncasecmp(p, "fall", 4) == 0)) {
			return 1;
		}
	}
	return line_end(x, to) - line >= COMMENT_LONG;
}

static void line_comment(struct lexer *x)
{
	const char *to = line_end(x, x->p);

	x->refused |= is_joined(x, to);
	if (!has_words(x, to)) {
		keep(x, x->p + 2);
		x->kept = before_blanks(to, x->kept);
	}
	x->p = to;
}

/* The bytes up to `to` stand before a token, or at the end of a line. */
static void dots(struct lexer *x, const char *to, int columns)
{
	for (; columns && x->kept < to; x->kept++)
		*x->out++ = *x->kept == '\t' ? '\t' : '.';
	x->kept = to;
}

/* One line inside a comment, up to its newline. The first one begins with the comment. */
static void inner_line(struct lexer *x, const char *newline, int first)
{
	const char *to = before_blanks(newline, x->kept);

	if (!first) {
		keep(x, after_blanks(x->kept, to));
		for (int i = 0; i < 2 && i < to - x->kept; i++)
			*x->out++ = '.';
	}
	x->kept = to;
	keep(x, newline + 1);
}

static void block_comment(struct lexer *x)
{
	const char *to = memmem(x->p + 2, (size_t)(x->end - x->p) - 2, "*/", 2), *line = x->line;
	int columns, lines = 0;

	if (!to) {
		x->refused = 1;
		return;
	}
	for (const char *p = x->p; (p = memchr(p, '\n', (size_t)(to - p))) != NULL; lines++) {
		x->refused |= is_joined(x, p);
		line = ++p;
	}
	if (!has_words(x, to + 2)) {
		keep(x, x->p + 2);
		for (int i = 0; i < lines; i++)
			inner_line(x, line_end(x, x->kept), i == 0);
		if (lines)
			keep(x, after_blanks(x->kept, to));
		columns = after_blanks(to + 2, x->end) < line_end(x, to);
		dots(x, to, columns);
	}
	x->line = line;
	x->p = to + 2;
}

static void literal(struct lexer *x)
{
	const char quote = *x->p, before = x->p > x->text ? x->p[-1] : ' ';

	x->refused |= quote == '"' ? before == 'R' : ascii_word(before);
	while (++x->p < x->end && *x->p != quote && *x->p != '\n')
		if (*x->p == '\\') {
			x->refused |= is_next(x, '\n');
			x->p++;
		}
	x->refused |= x->p >= x->end || *x->p != quote;
	x->p++;
}

/* A backslash outside comments and literals. */
static void join(struct lexer *x)
{
	if (x->p == x->text || !memchr(" \t;,(){}", x->p[-1], 8) || !is_next(x, '\n') ||
	    x->p + 2 == x->end)
		x->refused = 1;
	x->p += 2;
}

/* The rest of a logical line that may hold the name of a header, or that a compiler may take as it
 * is. All its bytes stay. */
static void whole_line(struct lexer *x)
{
	const char *from = x->p, *last;

	while (x->p < x->end && *x->p != '\n')
		if (*x->p == '\\' && before_blanks(line_end(x, x->p), x->p) == x->p + 1)
			join(x);
		else
			x->p++;
	if (x->p > x->end)
		x->p = x->end;
	for (last = x->p - 1; last > from && strncmp(last - 1, "/*", 2) != 0; last--)
		;
	x->refused |= (last > from && !memmem(last + 1, (size_t)(x->p - last) - 1, "*/", 2)) ||
	              memmem(from, (size_t)(x->p - from), "R\"", 2);
}

/* A "#" at the beginning of a logical line. */
static void directive(struct lexer *x)
{
	static const char code[] = "define\0" "elifdef\0" "elifndef\0" "else\0" "endif\0"
		"ifdef\0" "ifndef\0" "undef\0";
	static const char whole[] = "elif\0" "error\0" "ident\0" "if\0" "include\0"
		"include_next\0" "pragma\0" "warning\0";
	const char *name = after_blanks(x->p + 1, x->end), *p = name;

	while (p < x->end && ascii_word(*p))
		p++;
	x->p = p;
	if (list_has_n(whole, name, (size_t)(p - name)))
		whole_line(x);
	else
		x->refused |= !list_has_n(code, name, (size_t)(p - name));
}

static void token(struct lexer *x)
{
	const int first = !x->begun;

	x->begun = 1;
	if (*x->p == '#' && first) {
		directive(x);
	} else if (*x->p == '"' || *x->p == '\'') {
		literal(x);
	} else {
		x->refused |= (unsigned char)*x->p >= 0x80 || (*x->p == '%' && is_next(x, ':'));
		while (++x->p < x->end && ascii_word(*x->p))
			;
	}
}

static void step(struct lexer *x)
{
	if (*x->p == '\n') {
		x->line = ++x->p;
		x->begun = 0;
	} else if (is_blank(*x->p)) {
		x->p++;
	} else if (*x->p == '\\') {
		join(x);
	} else if (*x->p == '/' && (is_next(x, '/') || is_next(x, '*'))) {
		(x->p[1] == '/' ? line_comment : block_comment)(x);
	} else {
		token(x);
	}
}

int comment_free_form(const char *text, size_t n, int documented, char *out, size_t *len)
{
	struct lexer x = {.text = text, .p = text, .end = text + n, .line = text, .kept = text,
	                  .out = out, .documented = documented, .refused = is_odd(text, n)};

	while (x.p < x.end && !x.refused)
		step(&x);
	if (x.refused)
		return 0;
	keep(&x, x.end);
	*len = (size_t)(x.out - out);
	return 1;
}

/* gcc (4.3 to 14) numbers 128 places a line, or a power of two above the longest line so far. A
 * token behind column 127 needs its column and 50 more. Joined lines are one. */
uint64_t comment_free_places(const char *text, size_t n)
{
	const char *end = text + n;
	uint64_t lines = 4; /* a file's beginning and end take places, too */
	size_t longest = 0, before = 0;
	unsigned bits = 7;

	for (const char *p = text, *newline; p < end; p = newline + 1, lines++) {
		size_t len;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			newline = end;
		len = (size_t)(newline - p) + before;
		before = newline > p && newline[-1] == '\\' ? len : 0;
		longest = len > longest ? len : longest;
	}
	longest += longest < COMMENT_LONG ? 0 : 64;
	while (longest >= (size_t)1 << bits)
		bits++;
	return lines << bits;
}
