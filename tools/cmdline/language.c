/* tools/cmdline/language.c - tells languages of C compilers by name and by ending. */
#include "tools/cmdline/language.h"

#include "shim/list.h"
#include "shim/path.h"

#include "shim/banned.h"

static const char compiled[] = "ast\0" "pcm\0";

enum language language_named(const char *name)
{
	static const char c[] =
		"c\0" "c++\0" "cpp-output\0" "c++-cpp-output\0" "objective-c\0" "objective-c++\0";
	size_t n = strlen(name);

	if (strcmp(name, "none") == 0)
		return LANGUAGE_BY_NAME;
	if (n > 7 && strcmp(name + n - 7, "-header") == 0)
		return LANGUAGE_HEADER;
	if (strcmp(name, "cuda") == 0)
		return LANGUAGE_CUDA;
	if (list_has(compiled, name))
		return LANGUAGE_COMPILED;
	return list_has(c, name) ? LANGUAGE_C : LANGUAGE_OTHER;
}

enum language language_of_file(const char *path)
{
	static const char c[] =
		"c\0" "i\0" "ii\0" "cc\0" "cp\0" "cxx\0" "cpp\0" "CPP\0" "c++\0" "C\0" "m\0" "mi\0"
		"mm\0" "M\0" "mii\0";
	static const char headers[] =
		"h\0" "H\0" "hh\0" "hp\0" "hpp\0" "HPP\0" "hxx\0" "h++\0" "tcc\0";
	const char *base = strrchr(path, '/'), *dot;

	dot = strrchr(base ? base : path, '.');
	if (!dot)
		return LANGUAGE_OTHER;
	if (list_has(headers, dot + 1))
		return LANGUAGE_HEADER;
	if (strcmp(dot, ".cu") == 0)
		return LANGUAGE_CUDA;
	if (list_has(compiled, dot + 1))
		return LANGUAGE_COMPILED;
	return list_has(c, dot + 1) ? LANGUAGE_C : LANGUAGE_OTHER;
}

/* Magic numbers, and words of linker scripts. */

/* --- computed files --- */

static const char *behind_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* 1: word, an #include or __has_include in text, names its file by neither a quote nor "<". */
static int computes_file(const char *text, const char *end, const char *word, size_t len)
{
	const char *before = word, *after = word + len;

	if (end - after >= 5 && memcmp(after, "_next", 5) == 0)
		after += 5;
	after = behind_blanks(after, end);
	if (word[0] == '_') { /* without "(" it only asks whether there is such a question */
		if (after == end || *after != '(')
			return 0;
		after = behind_blanks(after + 1, end);
	} else {
		while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
			before--;
		/* "#", "%:", "?\?=", or a comment behind one of these */
		if (before == text || !before[-1] || !strchr("#:=/", before[-1]))
			return 0;
	}
	return after < end && *after != '"' && *after != '<' && *after != '\n';
}

/* 1: an assembler's directive, at p, has a macro's argument in its line. */
static int computes_binary(const char *p, const char *end)
{
	const char *line = memchr(p, '\n', (size_t)(end - p));

	return memchr(p, '\\', (size_t)((line ? line : end) - p)) != NULL;
}

/* 1: behind a directive, at p, stands no complete name between quotes. In a string of C each quote
 * has a backslash. */
static int is_put_together(const char *p, const char *end)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                            "0123456789_./+-@=~ ";
	const char *name;
	int in_string;

	p = behind_blanks(p, end);
	in_string = p < end && *p == '\\';
	p += in_string;
	if (p == end || *p != '"')
		return 1;
	for (name = ++p; p < end && *p && strchr(plain, *p); p++)
		;
	return p == name || end - p <= in_string || (in_string && *p != '\\') ||
	       p[in_string] != '"';
}

/* --- public, in header order --- */

static const char *const words_of_assembler[] = {"incbin", ".include"};
#define WORDS_OF_ASSEMBLER (sizeof words_of_assembler / sizeof *words_of_assembler)

int assembler_directs(const char *text, size_t n)
{
	for (size_t w = 0; w < WORDS_OF_ASSEMBLER; w++)
		if (memmem(text, n, words_of_assembler[w], strlen(words_of_assembler[w])))
			return 1;
	return 0;
}

int assembled_files(const char *text, size_t n)
{
	const char *const *words = words_of_assembler;
	const char *end = text + n;

	for (size_t w = 0; w < WORDS_OF_ASSEMBLER; w++) {
		size_t len = strlen(words[w]);

		for (const char *p = text; (p = memmem(p, (size_t)(end - p), words[w], len));)
			if (is_put_together(p += len, end))
				return 1;
	}
	return 0;
}

int computed_files(const char *text, size_t n)
{
	static const char *const directives[] = {".incbin", ".include"};
	static const char *const words[] = {"include", "import", "embed"};
	const char *end = text + n;

	for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
		size_t len = strlen(words[w]);

		for (const char *p = text; (p = memmem(p, (size_t)(end - p), words[w], len));
		     p += len) {
			size_t has = p - text >= 6 && memcmp(p - 6, "__has_", 6) == 0 ? 6 : 0;

			if (computes_file(text, end, p - has, has + len))
				return 1;
		}
	}
	for (size_t d = 0; d < sizeof directives / sizeof *directives; d++)
		for (const char *p = text;
		     (p = memmem(p, (size_t)(end - p), directives[d], strlen(directives[d])));
		     p++)
			if (computes_binary(p, end))
				return 1;
	return 0;
}

enum text_kind text_kind(const char *head, size_t n)
{
	static const struct {
		char magic[TEXT_KIND_HEAD + 1];
		unsigned char len, kind;
	} rows[] = {
		{"CPCH", 4, TEXT_COMPILED},
		{"DXSB", 4, TEXT_COMPILED},
		{"gpch", 4, TEXT_PRECOMPILED},
		{"\177ELF", 4, TEXT_OBJECT},
		{"!<arch>\n", 8, TEXT_OBJECT},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		/* A file of at most seven bytes is no object. */
		size_t least = rows[i].kind == TEXT_OBJECT ? TEXT_KIND_HEAD : rows[i].len;

		if (n >= least && memcmp(head, rows[i].magic, rows[i].len) == 0)
			return (enum text_kind)rows[i].kind;
	}
	return TEXT_PLAIN;
}

static int is_script(const char *s, size_t n)
{
	for (const char *p = s, *end = s + n;
	     (p = memmem(p, (size_t)(end - p), "SECTIONS", 8)) != NULL;) {
		for (p += 8; p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'); p++)
			;
		if (p < end && *p == '{')
			return 1;
	}
	return memmem(s, n, "EXCLUDE_FILE", 12) != NULL;
}

int text_sees_names(const char *text, size_t n)
{
	return (n >= 8 && memcmp(text, "!<thin>\n", 8) == 0) || is_script(text, n);
}

int text_kind_holds_times(const char *path)
{
	return path_ends(path, ".pch") || path_ends(path, ".gch") || path_ends(path, ".pcm") ||
	       strstr(path, ".gch/");
}
