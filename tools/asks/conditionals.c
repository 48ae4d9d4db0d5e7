/* tools/asks/conditionals.c - a part of the expressions of #if, with values that may be unsure.
 *
 * Which text comes first is not known here. So a value is sure in three cases: a number, a name
 * that nothing defines, and a macro that only the command line defines. `X && Y` is false where X
 * is, whatever Y is, but only if Y cannot change the order of operations. `#define Y 1 || 1` does.
 * So an expression counts only if each of its macros is a number in every definition. Anything else
 * leaves the complete expression unsure. */
#include "tools/asks/parts.h"

#include <string.h>

#include "shim/list.h"
#include "tools/asks/words.h"

#include "shim/banned.h"

#define NESTED_MOST 32
#define DIGITS_MOST 9

static const char own_macros[] = ASKS_OWN_MACROS;
/* Words that are operators or values without a definition. */
static const char operators[] =
	"and\0" "and_eq\0" "bitand\0" "bitor\0" "compl\0" "defined\0" "embed\0" "false\0" "not\0"
	"not_eq\0" "or\0" "or_eq\0" "true\0" "xor\0" "xor_eq\0";
/* Compilers' own macros that are numbers. */
static const char numbers[] =
	"_MSC_VER\0" "_WIN32\0" "_WIN64\0" "__APPLE__\0" "__AVX2__\0" "__AVX512F__\0" "__AVX__\0"
	"__CUDACC_VER_MAJOR__\0" "__CUDACC_VER_MINOR__\0" "__CUDA_ARCH__\0" "__EXCEPTIONS\0"
	"__GNUC_MINOR__\0" "__GNUC_PATCHLEVEL__\0" "__GNUC__\0" "__GXX_RTTI\0"
	"__INTEL_COMPILER\0" "__OPTIMIZE__\0" "__SIZEOF_INT128__\0" "__SIZEOF_LONG__\0"
	"__SIZEOF_POINTER__\0" "__SSE2__\0" "__STDC_HOSTED__\0" "__STDC_VERSION__\0"
	"__aarch64__\0" "__clang__\0" "__clang_major__\0" "__clang_minor__\0" "__cplusplus\0"
	"__i386__\0" "__linux__\0" "__x86_64__\0";

struct value {
	int sure;
	long number;
};
struct parser {
	struct asks *x;
	const char *p, *end;
	int depth, failed;
	int mark; /* the answer is used: the names that it depends on are noted */
};

static int digit_value(char c)
{
	int letter = c | 32;

	return ascii_digit(c) ? c - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 99;
}

/* A number of few digits; not sure: anything else that begins with a digit. */
static struct value number(const char *s, size_t n)
{
	struct value v = {1, 0};
	size_t i = 0;
	int base = 10;

	if (n > 1 && *s == '0') {
		base = (s[1] | 32) == 'x' ? 16 : 8;
		i = base == 16 ? 2 : 1;
	}
	if (n > DIGITS_MOST || (base == 16 && (n < 3 || digit_value(s[2]) > 15)))
		return (struct value){0, 0};
	for (; i < n && digit_value(s[i]) < base; i++)
		v.number = v.number * base + digit_value(s[i]);
	for (; i < n && (s[i] | 32) == 'l'; i++)
		;
	v.sure = i == n;
	return v;
}

void asks_define_value(struct asks_macro *m, const char *s, const char *end)
{
	int is_function = s < end && *s == '(';
	const char *word, *p = is_function ? memchr(s, ')', (size_t)(end - s)) : s;
	struct value v;

	p = word = p ? asks_skip_blanks(p + is_function, end) : end;
	while (p < end && asks_is_word(*p))
		p++;
	v = number(word, (size_t)(p - word));
	m->wild |= word == p || !ascii_digit(*word) || asks_skip_gap(p, end) != end;
	m->number = v.number;
	m->has_number = !m->defined && !m->wild && !is_function && v.sure;
}

/* NVRTC defines macros of all spellings, and no text of theirs is read: NULL, CUDART_VERSION. clang
 * defines TARGET_OS_MAC and its like. */
static int is_others(const struct asks *x, const char *name, size_t n)
{
	return x->words & ASKS_NVRTC || !n || *name == '_' || ascii_digit(*name) ||
	       (n > 7 && memcmp(name, "TARGET_", 7) == 0) || list_has_n(own_macros, name, n);
}

/* Defined in front of all texts, and never undefined. */
static int is_given(const struct asks_macro *m)
{
	return m->given && !m->undone;
}

static int is_defined(struct asks *x, const char *name, size_t n, int mark)
{
	struct asks_macro *m = is_others(x, name, n) ? NULL : asks_macro(x, name, n, 1);

	if (!m || (m->defined && !is_given(m)))
		return ASKS_UNSURE;
	m->tested |= mark;
	return m->defined ? ASKS_TRUE : ASKS_FALSE;
}

int asks_is_macro(struct asks *x, const char *name, size_t n)
{
	return is_defined(x, name, n, 1);
}

/* A comment that does not end here, and one to the line's end, leave the expression unsure. */
static void skip(struct parser *r)
{
	for (;;) {
		const char *p = r->p = asks_skip_blanks(r->p, r->end);

		if (r->end - p > 1 && p[0] == '/' && p[1] == '*') {
			p = asks_seek(p + 2, r->end, "*/");
			r->failed |= !p;
			r->p = p ? p + 2 : r->end;
		} else if (p < r->end && *p == '\\') {
			p = asks_skip_blanks(p + 1, r->end);
			r->failed |= p == r->end || *p != '\n';
			r->p = p == r->end ? p : p + 1;
		} else {
			return;
		}
	}
}

static int take(struct parser *r, const char *what)
{
	size_t n = strlen(what);

	skip(r);
	if ((size_t)(r->end - r->p) < n || memcmp(r->p, what, n) != 0)
		return 0;
	r->p += n;
	return 1;
}

static size_t take_word(struct parser *r, const char **word)
{
	skip(r);
	*word = r->p;
	while (r->p < r->end && asks_is_word(*r->p))
		r->p++;
	return (size_t)(r->p - *word);
}

static struct value defined(struct parser *r)
{
	int paren = take(r, "("), known;
	const char *name;
	size_t n = take_word(r, &name);

	r->failed |= !n || (paren && !take(r, ")"));
	known = r->failed ? ASKS_UNSURE : is_defined(r->x, name, n, r->mark);
	return (struct value){known != ASKS_UNSURE, known == ASKS_TRUE};
}

/* A name that is not behind `defined`. */
static struct value name(struct parser *r, const char *word, size_t n)
{
	struct asks_macro *m = asks_macro(r->x, word, n, 1);
	struct value v = {0, 0};

	/* Nothing is known of a compiler's other macros, and one with arguments is not read. */
	if (!m || list_has_n(operators, word, n) || (m->defined && m->wild) || take(r, "(") ||
	    (is_others(r->x, word, n) && !list_has_n(numbers, word, n))) {
		r->failed = 1;
		return v;
	}
	m->tested |= r->mark;
	if (!m->defined)
		v.sure = !is_others(r->x, word, n);
	else if (is_given(m) && m->has_number)
		v = (struct value){1, m->number};
	return v;
}

static struct value either(struct parser *r);

static struct value operand(struct parser *r)
{
	struct value v = {0, 0};
	const char *word;
	size_t n;

	if (++r->depth > NESTED_MOST) {
		r->failed = 1;
	} else if (take(r, "!")) {
		v = operand(r);
		v.number = !v.number;
	} else if (take(r, "(")) {
		v = either(r);
		r->failed |= !take(r, ")");
	} else if ((n = take_word(r, &word)) == 0) {
		r->failed = 1;
	} else if (asks_word_is(word, n, "defined")) {
		v = defined(r);
	} else if (ascii_digit(*word)) {
		v = number(word, n);
	} else {
		v = name(r, word, n);
	}
	r->depth--;
	return v;
}

/* The results of arithmetic are not computed. */
static struct value sum(struct parser *r)
{
	struct value v = operand(r);

	while (!r->failed && (take(r, "+") || take(r, "-") || take(r, "*") || take(r, "%"))) {
		operand(r);
		v.sure = 0;
	}
	return v;
}

static struct value order(struct parser *r)
{
	struct value a = sum(r);

	while (!r->failed) {
		int least = take(r, ">="), most = !least && take(r, "<=");
		int greater = !least && !most && take(r, ">");
		struct value b;

		if (!least && !most && !greater && !take(r, "<"))
			break;
		b = sum(r);
		a.sure &= b.sure;
		a.number = least ? a.number >= b.number : most ? a.number <= b.number :
		           greater ? a.number > b.number : a.number < b.number;
	}
	return a;
}

static struct value equality(struct parser *r)
{
	struct value a = order(r);

	while (!r->failed) {
		int equal = take(r, "==");
		struct value b;

		if (!equal && !take(r, "!="))
			break;
		b = order(r);
		a.sure &= b.sure;
		a.number = (a.number == b.number) == equal;
	}
	return a;
}

/* A side that settles the result does so whatever the other side is. */
static struct value joined(struct value a, struct value b, int settles)
{
	int settled = (a.sure && (a.number != 0) == settles) ||
	              (b.sure && (b.number != 0) == settles);

	return (struct value){settled || (a.sure && b.sure), settled ? settles : !settles};
}

static struct value both(struct parser *r)
{
	struct value v = equality(r);

	while (!r->failed && take(r, "&&"))
		v = joined(v, equality(r), 0);
	return v;
}

static struct value either(struct parser *r)
{
	struct value v = both(r);

	while (!r->failed && take(r, "||"))
		v = joined(v, both(r), 1);
	return v;
}

int asks_expression(struct asks *x, const char *p, const char *end)
{
	for (int mark = 0;; mark++) {
		struct parser r = {x, p, end, 0, 0, mark};
		struct value v = either(&r);
		int is_all = (skip(&r), r.p == end) || take(&r, "//");

		if (r.failed || !is_all || !v.sure)
			return ASKS_UNSURE;
		if (mark)
			return v.number ? ASKS_TRUE : ASKS_FALSE;
	}
}
