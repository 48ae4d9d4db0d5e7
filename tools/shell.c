/* tools/shell.c - a scan for `$`, `~` and a few builtins. It ignores quotes: an additional name
 * costs next to nothing. */
#include "tools/shell.h"

#include <string.h>

#include "shim/banned.h"

/* With its NUL. */
#define NAME_SIZE 128
#define BETWEEN_WORDS " \t\n;&|(){}<>`\"'"

static int in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Handles the text behind a `$`. */
static int expansion(const char *s, void (*each)(void *ctx, const char *name), void *ctx)
{
	char name[NAME_SIZE];
	size_t n = 0;

	/* Arithmetic names variables without `$`. bash's ${!x} reads the variable that x names. */
	if (strncmp(s, "((", 2) == 0 || *s == '[' || strncmp(s, "{!", 2) == 0)
		return -1;
	if (*s == '{')
		s++;
	if (*s == '#')
		s++;
	if (*s >= '0' && *s <= '9')
		return 0;
	for (; in_name(s[n]); n++) {
		if (n == sizeof name - 1)
			return -1;
		name[n] = s[n];
	}
	name[n] = '\0';
	if (n)
		each(ctx, name);
	return 0;
}

static int is_word(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(s, word, n) == 0;
}

static int begins_command(const char *command, const char *s)
{
	while (s > command && (s[-1] == ' ' || s[-1] == '\t'))
		s--;
	return s == command || strchr("\n;&|({`!", s[-1]);
}

/* Builtins that read more variables than their arguments show. */
static int builtins(const char *command, void (*each)(void *ctx, const char *name), void *ctx)
{
	static const char *const opaque[] = {"eval", "set", "export", "readonly", "declare",
		"typeset", "source", "let"};

	for (const char *s = command; *(s += strspn(s, BETWEEN_WORDS));
	     s += strcspn(s, BETWEEN_WORDS)) {
		size_t n = strcspn(s, BETWEEN_WORDS);

		for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++)
			if (is_word(s, n, opaque[i]))
				return -1;
		if (is_word(s, n, ".") && begins_command(command, s))
			return -1;
		if (is_word(s, n, "cd")) {
			each(ctx, "CDPATH");
			each(ctx, "HOME");
		}
	}
	return 0;
}

int shell_variables(const char *command, void (*each)(void *ctx, const char *name), void *ctx)
{
	/* A joined line may be joined inside a name. */
	if (strstr(command, "\\\n"))
		return -1;
	for (const char *s = command; (s = strchr(s, '$')); s++)
		if (expansion(s + 1, each, ctx) < 0)
			return -1;
	if (strchr(command, '~'))
		each(ctx, "HOME");
	return builtins(command, each, ctx);
}
