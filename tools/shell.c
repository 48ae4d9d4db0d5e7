/* tools/shell.c - a scan for `$`, `~` and a few builtins. It ignores quotes: an additional name
 * costs next to nothing. */
#include "tools/shell.h"

#include <string.h>

#include "shim/banned.h"

/* With its NUL. */
#define NAME_SIZE 128
#define BETWEEN_WORDS " \t\n;&|(){}<>`\"'"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS "0123456789"

/* Builtins that read more variables than their arguments show. */
static const char opaque[] = "eval\0source\0let\0alias\0compgen\0mapfile\0readarray\0";
/* These do so only where they have no argument, or one that asks for more than a name. */
static const char declares[] = "export\0readonly\0declare\0typeset\0local\0set\0";

/* An array's index is arithmetic, which names variables without `$`. */
static int is_plain_index(const char *s)
{
	size_t n = *s == '@' || *s == '*' ? 1 : strspn(s, DIGITS);

	return n && s[n] == ']';
}

/* Handles the text behind a `$`. */
static int expansion(const char *s, void (*each)(void *ctx, const char *name), void *ctx)
{
	char name[NAME_SIZE];
	int braces = *s == '{';
	size_t n;

	/* bash's ${!x} reads the variable that x names. */
	if (strncmp(s, "((", 2) == 0 || *s == '[' || strncmp(s, "{!", 2) == 0)
		return -1;
	s += braces;
	if (*s == '#')
		s++;
	n = strspn(s, LETTERS DIGITS);
	if (n >= sizeof name)
		return -1;
	/* bash's ${x@P} expands the value once more. */
	if (braces && n && (s[n] == '@' || (s[n] == '[' && !is_plain_index(s + n + 1))))
		return -1;
	if (n == 0 || (*s >= '0' && *s <= '9'))
		return 0;
	memcpy(name, s, n);
	name[n] = '\0';
	each(ctx, name);
	return 0;
}

static int is_word(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(s, word, n) == 0;
}

static int is_among(const char *s, size_t n, const char *list)
{
	for (; *list; list += strlen(list) + 1)
		if (is_word(s, n, list))
			return 1;
	return 0;
}

/* 1: what follows such a builtin is a name, with -r, -x, -a or -A before it. What follows `set` is
 * anything but the end of the command. */
static int declares_names(const char *s, int is_set)
{
	s += strspn(s, " \t");
	if (is_set)
		return *s && !strchr("\n;&|)}`\"'", *s);
	while (*s == '-') {
		size_t n = 1 + strspn(s + 1, "rxaA");

		if (n == 1 || (s[n] != ' ' && s[n] != '\t'))
			return 0;
		s += n + strspn(s + n, " \t");
	}
	return *s == '"' || *s == '$' || (*s && strchr(LETTERS, *s));
}

/* In bash's [[ ]] the operands of these are arithmetic. */
static int compares_numbers(const char *s)
{
	static const char operators[] = "-eq\0-ne\0-lt\0-le\0-gt\0-ge\0-v\0";
	const char *end = strstr(s, "]]");

	for (; end && s < end && *(s += strspn(s, BETWEEN_WORDS)); s += strcspn(s, BETWEEN_WORDS))
		if (is_among(s, strcspn(s, BETWEEN_WORDS), operators))
			return 1;
	return !end;
}

/* A declaration may stand behind any keyword, so each such word counts as one. */
static int builtins(const char *text, void (*each)(void *ctx, const char *name), void *ctx)
{
	for (const char *s = text; *(s += strspn(s, BETWEEN_WORDS));
	     s += strcspn(s, BETWEEN_WORDS)) {
		size_t n = strcspn(s, BETWEEN_WORDS);

		if (is_among(s, n, opaque) || (is_word(s, n, "[[") && compares_numbers(s + n)))
			return -1;
		if (is_among(s, n, declares) && !declares_names(s + n, is_word(s, n, "set")))
			return -1;
		if (is_word(s, n, "cd")) {
			each(ctx, "CDPATH");
			each(ctx, "HOME");
		} else if (is_word(s, n, "set")) {
			each(ctx, "PS4");
		} else if (is_word(s, n, "getopts")) {
			each(ctx, "OPTIND");
			each(ctx, "OPTERR");
		}
	}
	return 0;
}

int shell_variables(const char *text, void (*each)(void *ctx, const char *name), void *ctx)
{
	/* A joined line may be joined inside a name. Arithmetic may be a command, too. */
	if (strstr(text, "\\\n") || strstr(text, "(("))
		return -1;
	for (const char *s = text; (s = strchr(s, '$')); s++)
		if (expansion(s + 1, each, ctx) < 0)
			return -1;
	if (strchr(text, '~'))
		each(ctx, "HOME");
	return builtins(text, each, ctx);
}

/* Builtins that take words and start no program. */
static int is_builtin(const char *s, size_t n)
{
	static const char others[] = ".\0cd\0getopts\0trap\0command\0builtin\0shift\0unset\0";

	return is_among(s, n, opaque) || is_among(s, n, declares) || is_among(s, n, others);
}

static int is_plain_word(const char *s, size_t n)
{
	return *s != '-' && strspn(s, LETTERS DIGITS "./+:@%,-") >= n;
}

int shell_passes_arguments(const char *text)
{
	int words = 0, passed = 0;
	size_t n;

	for (const char *s = text; *(s += strspn(s, " \t\n;")); s += n) {
		n = strcspn(s, " \t\n;");
		if (passed)
			return 0;
		if (is_word(s, n, "exec") && !words)
			continue;
		passed = is_word(s, n, "\"$@\"") || is_word(s, n, "${1+\"$@\"}");
		if (!passed && (!is_plain_word(s, n) || is_builtin(s, n)))
			return 0;
		/* One line, one command. */
		if (!passed && s[n] != ' ' && s[n] != '\t')
			return 0;
		words++;
	}
	return passed && words > 1;
}
