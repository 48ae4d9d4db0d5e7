/* tools/script_eval.c - follows the variables that eval expands. */
#include "tools/script_eval.h"

#include <string.h>

#include "tools/list.h"
#include "tools/script_words.h"
#include "tools/shell.h"

#include "shim/banned.h"

/* Variables that lead to each other; a longer chain is not plain. */
#define DEPTH 16
/* Nor is anything in texts that take more looks. */
#define LOOKS 2000

struct texts {
	const char *const *v;
	size_t count;
	struct name {
		const char *s;
		size_t n;
	} above[DEPTH]; /* whose values lead here */
	int depth, looks;
	const char *text; /* that is checked */
};

/* Builtins that assign to variables whose names they are told: a name may be put together. */
static const char assigns[] = "declare\0typeset\0local\0readonly\0export\0printf\0getopts\0read\0";

static int in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (in_name(s[n]))
		n++;
	return *s >= '0' && *s <= '9' ? 0 : n;
}

static const char *end_of_line(const char *s)
{
	return s + strcspn(s, "\n");
}

static int substitutes(const char *s, const char *end)
{
	return memchr(s, '`', (size_t)(end - s)) || memmem(s, (size_t)(end - s), "$(", 2) ||
	       memmem(s, (size_t)(end - s), "$\\(", 3);
}

/* Words before which a parenthesis may begin commands. */
#define RESERVED "case\0coproc\0do\0elif\0else\0for\0function\0if\0in\0select\0then\0time\0" \
	"until\0while\0"

/* At p a message quotes a call: \`depends_on("c")\` in Spack's wrapper. The end of it, or NULL.
 * The backslash keeps the shell from running it. Nor could an eval: behind a name, a parenthesis
 * with a word in it is an error. With nothing in it, it defines a function. */
static const char *quoted_call(const char *text, const char *p)
{
	const char *name = p + 1, *end;
	size_t n = name_length(name);

	if (p == text || p[-1] != '\\' || (p > text + 1 && p[-2] == '\\') || !n ||
	    name[n] != '(' || strchr(") \t", name[n + 1]) || list_has_n(RESERVED, name, n))
		return NULL;
	end = memchr(name, '`', (size_t)(end_of_line(name) - name));
	return end && end[-1] == '\\' && end[-2] == ')' && !substitutes(name, end) ? end : NULL;
}

static int any_substitutes(const char *text)
{
	const char *from = text, *end = text + strlen(text), *p;

	while ((p = strchr(from, '`')) != NULL) {
		const char *behind = quoted_call(text, p);

		if (!behind || substitutes(from, p))
			return 1;
		from = behind + 1;
	}
	return substitutes(from, end);
}

/* 1: all quotes that begin on the line end on it, and so does the command. */
static int is_whole(const char *s, const char *end)
{
	int quotes[2] = {0};

	for (const char *p = s; p < end; p++) {
		int escaped = p > s && p[-1] == '\\';

		quotes[0] ^= *p == '"' && !escaped;
		quotes[1] ^= *p == '\'' && !escaped;
	}
	return !quotes[0] && !quotes[1] && (end == s || end[-1] != '\\') &&
	       !memmem(s, (size_t)(end - s), "<<", 2);
}

static int is_plain(struct texts *t, const char *name, size_t n);

/* 1: the rest of a line substitutes nothing and expands plain variables alone. */
static int expands_plain(struct texts *t, const char *s)
{
	const char *end = end_of_line(s);

	if (substitutes(s, end) || !is_whole(s, end))
		return 0;
	for (const char *p = s; (p = memchr(p, '$', (size_t)(end - p))) != NULL; p++) {
		const char *name = p[1] == '{' ? p + 2 : p + 1;
		size_t n = name_length(name);

		if (!n || (p[1] == '{' && name[n] != '}') || !is_plain(t, name, n))
			return 0;
	}
	return 1;
}

/* One use of the name at p: 1 if it leaves the variable plain. */
static int is_plain_use(struct texts *t, const char *text, const char *p, size_t n)
{
	if (p > text && p[-1] == '$')
		return 1;
	if (p > text + 1 && p[-1] == '{' && p[-2] == '$')
		return p[n] == '}';
	n += p[n] == '+' && p[n + 1] == '=';
	return p[n] == '=' && expands_plain(t, p + n + 1);
}

static int is_plain(struct texts *t, const char *name, size_t n)
{
	int plain = 1;

	for (int i = 0; i < t->depth; i++)
		if (t->above[i].n == n && memcmp(t->above[i].s, name, n) == 0)
			return 1;
	if (t->depth == DEPTH || ++t->looks > LOOKS)
		return 0;
	t->above[t->depth++] = (struct name){name, n};
	for (size_t i = 0; i < t->count && plain; i++) {
		const char *text = t->v[i], *end = text + strlen(text);

		for (const char *p = text;
		     plain && (p = memmem(p, (size_t)(end - p), name, n)) != NULL; p += n)
			if ((p == text || !in_name(p[-1])) && !in_name(p[n]))
				plain = is_plain_use(t, text, p, n);
	}
	t->depth--;
	return plain;
}

/* 1: a command begins here: another word that ends in eval may be kept and run elsewhere. */
static int is_command(const struct texts *t, const char *s)
{
	static const char before[] = "then\0else\0do\0";
	const char *end = s, *from;

	while (end > t->text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	for (from = end; from > t->text && in_name(from[-1]); from--)
		;
	if (from < end)
		return shell_among(from, (size_t)(end - from), before) != NULL;
	return end == t->text || strchr("\n;&|({", end[-1]) != NULL;
}

static int check(void *ctx, const char *s, size_t n)
{
	struct texts *t = ctx;

	if (script_is_eval(s, n))
		return memchr(s, '=', n) || !is_command(t, s) || !expands_plain(t, s + n);
	/* Which name they assign to, an expansion may say. */
	if (shell_among(s, n, assigns))
		return memchr(s + n, '$', (size_t)(end_of_line(s + n) - (s + n))) != NULL;
	return 0;
}

int script_eval_is_plain(const char *const *texts, size_t count)
{
	struct texts t = {.v = texts, .count = count};
	int evaluates = 0, any = 0;

	for (size_t i = 0; i < count; i++) {
		evaluates |= script_evaluates(texts[i]);
		any |= any_substitutes(texts[i]);
	}
	for (size_t i = 0; i < count && evaluates && any; i++) {
		t.text = texts[i];
		if (shell_each_word(texts[i], check, &t))
			return 0;
	}
	return 1;
}
