/* tools/shell.c - a scan for `$`, `~` and a few builtins. It ignores quotes: an additional name
 * costs next to nothing. */
#include "tools/shell.h"

#include <string.h>

#include "shim/banned.h"

/* With its NUL. */
#define NAME_SIZE 128
#define BETWEEN_UNQUOTED " \t\n;&|(){}<>`"
#define BETWEEN_WORDS BETWEEN_UNQUOTED "\"'"
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

/* bash's ${x:offset:length} is arithmetic, and ${x:-word} is not. s: behind the parameter. */
static int takes_arithmetic(const char *s)
{
	if (*s == '[')
		s = strchr(s, ']') ? strchr(s, ']') + 1 : s;
	if (*s != ':' || (s[1] && strchr("-=?+", s[1])))
		return 0;
	return s[strspn(s, ": -" DIGITS)] != '}';
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
	if (braces && *s && takes_arithmetic(s + (n ? n : 1)))
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

const char *shell_among(const char *s, size_t n, const char *list)
{
	for (; *list; list += strlen(list) + 1) {
		const char *word = list;
		size_t i;

		for (i = 0; i < n; i++) {
			if (s[i] == *word)
				word++;
			else if (!strchr("\\\"'", s[i]))
				break;
		}
		if (i == n && !*word)
			return list;
	}
	return NULL;
}

/* 1: a `[` that may begin the index of an array, as in `unset 'a[i]'`. A glob is taken for an
 * index behind a name. */
static int has_index(const char *text)
{
	for (const char *s = text; (s = strchr(s, '[')); s++)
		if (s > text && strchr(LETTERS DIGITS "}\"'=\\", s[-1]) && !is_plain_index(s + 1))
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

/* One of the words between s and end. NULL: no end, which holds any word. */
static int asks_among(const char *s, const char *end, const char *words)
{
	for (; end && s < end && *(s += strspn(s, BETWEEN_WORDS)); s += strcspn(s, BETWEEN_WORDS))
		if (shell_among(s, strcspn(s, BETWEEN_WORDS), words))
			return 1;
	return !end;
}

/* Behind `[[`, `[` or `test`. In bash's [[ ]] the operands of the comparisons are arithmetic. The
 * operands of -v and -R are names of variables. */
static int test_takes_names(const char *s, int brackets)
{
	static const char operators[] = "-v\0-R\0-eq\0-ne\0-lt\0-le\0-gt\0-ge\0";
	static const char names[] = "-v\0-R\0";

	return brackets ? asks_among(s, strstr(s, "]]"), operators)
	                : asks_among(s, s + strcspn(s, "\n;&|"), names);
}

int shell_each_word(const char *text, int (*f)(void *ctx, const char *s, size_t n), void *ctx)
{
	static const char *const between[] = {BETWEEN_WORDS, BETWEEN_UNQUOTED};
	size_t n;

	for (size_t pass = 0; pass < 2; pass++)
		for (const char *s = text; *(s += strspn(s, between[pass])); s += n) {
			int rc;

			n = strcspn(s, between[pass]);
			rc = f(ctx, s, n);
			if (rc)
				return rc;
		}
	return 0;
}

struct word {
	const char *s;
	size_t n;
};

static int equals(void *ctx, const char *s, size_t n)
{
	const struct word *w = ctx;
	char list[NAME_SIZE + 1];

	memcpy(list, w->s, w->n);
	list[w->n] = list[w->n + 1] = '\0';
	return shell_among(s, n, list) != NULL;
}

int shell_has_word(const char *text, const char *word, size_t n)
{
	return n >= NAME_SIZE || (n && shell_each_word(text, equals, &(struct word){word, n}));
}

struct names {
	void (*each)(void *ctx, const char *name);
	void *ctx;
};

/* A declaration may stand behind any keyword, so each such word counts as one. */
static int builtin(void *ctx, const char *s, size_t n)
{
	const struct names *names = ctx;
	int brackets = is_word(s, n, "[[");
	const char *name = shell_among(s, n, declares);

	if (shell_among(s, n, opaque))
		return -1;
	if ((brackets || shell_among(s, n, "[\0test\0")) && test_takes_names(s + n, brackets))
		return -1;
	if (name && !declares_names(s + n, strcmp(name, "set") == 0))
		return -1;
	if (shell_among(s, n, "cd\0pushd\0popd\0")) {
		names->each(names->ctx, "CDPATH");
		names->each(names->ctx, "HOME");
	} else if (name && strcmp(name, "set") == 0) {
		names->each(names->ctx, "PS4");
	} else if (shell_among(s, n, "getopts\0")) {
		names->each(names->ctx, "OPTIND");
		names->each(names->ctx, "OPTERR");
	}
	return 0;
}

int shell_variables(const char *text, void (*each)(void *ctx, const char *name), void *ctx)
{
	/* A joined line may be joined inside a name. Arithmetic may be a command, too. */
	if (strstr(text, "\\\n") || strstr(text, "((") || has_index(text))
		return -1;
	for (const char *s = text; (s = strchr(s, '$')); s++)
		if (expansion(s + 1, each, ctx) < 0)
			return -1;
	if (strchr(text, '~'))
		each(ctx, "HOME");
	return shell_each_word(text, builtin, &(struct names){each, ctx});
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
