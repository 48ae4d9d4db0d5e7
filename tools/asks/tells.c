/* tools/asks/tells.c - functions that take the name of a source and are only declared. No object of
 * the unit holds their code, so all places where the name stands are known. */
#include "tools/asks/parts.h"

#include <string.h>

#include "shim/list.h"
#include "tools/asks/words.h"

#include "shim/banned.h"

/* Since glibc 2.41. */
#define FILE_MACRO "__ASSERT_FILE"
/* Functions of glibc, torch and fmt. */
#define TELLERS "__assert_fail\0" "__assert_perror_fail\0" "torchCheckFail\0" "assert_fail\0"

static const char file_macro[] = FILE_MACRO, tellers[] = TELLERS;
const char asks_tellers[] = FILE_MACRO "\0" TELLERS;

int asks_is_file(const char *word, size_t n)
{
	return asks_word_is(word, n, "__FILE__") || asks_word_is(word, n, file_macro);
}

static const char *skip_gap(const char *p, const char *end)
{
	while (p < end && (ascii_blank(*p) || *p == '\\' || *p == '\n'))
		p++;
	return p;
}

static int is_teller(const char *word, size_t n)
{
	return list_has_n(tellers, word, n);
}

/* Whether the word is a complete argument of a call of a function that is only declared. */
int asks_is_told(const char *s, const char *word, size_t n, const char *end)
{
	const char *p = word, *after = skip_gap(word + n, end);
	int depth = 0;

	while (p > s && (ascii_blank(p[-1]) || p[-1] == '\\' || p[-1] == '\n'))
		p--;
	if (p == s || (p[-1] != ',' && p[-1] != '(') || after == end ||
	    (*after != ',' && *after != ')'))
		return 0;
	while (p-- > s) {
		if (*p == '"' || *p == '\'' || *p == '/')
			return 0; /* the meaning of the parentheses is not clear */
		if (*p == ')')
			depth++;
		else if (*p == '(' && depth-- == 0)
			break;
	}
	if (p < s)
		return 0;
	for (after = p; p > s && ascii_blank(p[-1]); after = --p)
		;
	while (p > s && asks_is_word(p[-1]))
		p--;
	return is_teller(p, (size_t)(after - p));
}

/* True for a call or a declaration: a semicolon follows its parentheses before any body. */
static int is_declared(const char *p, const char *end)
{
	int depth = 0, parens = 0;

	for (; p < end; p++) {
		const char *behind = asks_skip_other(p, end);

		if (behind) {
			p = behind - 1;
		} else if (*p == '"' || *p == '\'') {
			return 0;
		} else if (*p == '(') {
			depth++;
			parens = 1;
		} else if (*p == ')' && --depth < 0) {
			return parens;
		} else if (*p == '{' && depth == 0) {
			return 0;
		} else if (*p == '=' && !parens) {
			return 0;
		} else if (*p == ';' && depth == 0) {
			return parens;
		}
	}
	return 0;
}

/* Most texts name no teller. Each teller's name holds one of these parts. */
static int names_teller(const struct asks_text *t)
{
	static const char parts[] = "assert_\0" "CheckFail\0";

	for (const char *part = parts; *part; part = LIST_NEXT(part))
		if (memmem(t->s, (size_t)(t->end - t->s), part, strlen(part)))
			return 1;
	return 0;
}

static int defines_teller(const struct asks *x, const struct asks_text *t)
{
	int fresh = 1;

	if (!names_teller(t))
		return 0;
	for (const char *p = t->s; p < t->end;) {
		const char *behind = asks_skip_other(p, t->end);
		size_t n;

		if (*p == '#' && fresh) {
			p = asks_body_end(p, t->end); /* a macro calls it */
		} else if (behind) {
			p = behind;
		} else if (asks_is_word(*p)) {
			n = asks_next_word(&p, t->end);
			if (is_teller(p, n) && !is_declared(p + n, t->end))
				return 1;
			p = asks_skip_word(x, p, n, t->end);
			if (!p)
				return 1;
			fresh = 0;
		} else {
			fresh = *p == '\n' || (fresh && ascii_blank(*p));
			p++;
		}
	}
	return 0;
}

/* `__FILE__` or `__builtin_FILE ()`, and nothing else. */
static int is_plain_file(const struct asks_body *body)
{
	const char *p = body->s, *end = body->end;
	size_t n = asks_next_word(&p, end);
	int takes_place = asks_word_is(p, n, "__builtin_FILE");

	for (const char *q = body->s; q < p; q++)
		if (!ascii_blank(*q))
			return 0;
	for (const char *q = p + n; q < end; q++)
		if (!ascii_blank(*q) && !(takes_place && (*q == '(' || *q == ')')))
			return 0;
	return takes_place || asks_word_is(p, n, "__FILE__");
}

static int file_macro_is_plain(struct asks *x)
{
	const struct asks_macro *m = asks_macro(x, file_macro, sizeof file_macro - 1, 0);

	for (unsigned b = m ? m->bodies : 0; b; b = ASKS_AT(x->bodies, asks_body, b - 1)->next)
		if (!is_plain_file(ASKS_AT(x->bodies, asks_body, b - 1)))
			return 0;
	return 1;
}

int asks_tell_defined(struct asks *x)
{
	if (!file_macro_is_plain(x))
		return 1;
	for (const char *name = tellers; *name; name = LIST_NEXT(name)) {
		const struct asks_macro *m = asks_macro(x, name, strlen(name), 0);

		if (m && m->defined)
			return 1;
	}
	for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text); i++)
		if (defines_teller(x, ASKS_AT(x->texts, asks_text, i)))
			return 1;
	return 0;
}
