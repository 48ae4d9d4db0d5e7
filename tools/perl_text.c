/* tools/perl_text.c - reads a text in Perl token by token. */
#include "tools/perl_text.h"

#include <string.h>

#include "tools/list.h"
#include "tools/perl_reader.h"

#include "shim/banned.h"

#define BLANKS " \t\n"

/* Words before a condition, or before the parts of a loop. */
static const char conditions[] = "if\0elsif\0unless\0while\0until\0for\0foreach\0";
/* Operators that are words. Those of the second list look at letters. */
static const char operators[] = "and\0or\0xor\0eq\0ne\0";
static const char letter_operators[] = "lt\0gt\0le\0ge\0cmp\0x\0";
/* Functions with an argument. Those of the second list look at letters. */
static const char functions[] =
	"chomp\0defined\0delete\0die\0exec\0exists\0grep\0join\0map\0my\0not\0push\0scalar\0"
	"system\0unshift\0warn\0";
static const char letter_functions[] =
	"chop\0index\0lc\0lcfirst\0length\0reverse\0rindex\0sort\0split\0substr\0uc\0ucfirst\0";
/* Functions that may stand alone. */
static const char alone[] = "exit\0last\0next\0pop\0shift\0";
/* What may not stand in a block of map, grep or sort: it may free what is walked. */
static const char not_in_map[] =
	"chomp\0chop\0delete\0exit\0exec\0last\0my\0next\0pop\0push\0shift\0system\0unshift\0";
/* Behind these a slash begins a pattern. */
static const char before_pattern[] = "and\0grep\0if\0not\0or\0split\0unless\0until\0while\0";

static int has(const char *list, const char *s, size_t n)
{
	return list_has_n(list, s, n);
}

static int is(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(s, word, n) == 0;
}

/* The last token was this word. */
static int behind(const struct perl_reader *r, const char *word)
{
	return r->word && is(r->word, r->word_len, word);
}

static const char *skip(const char *p)
{
	return p + strspn(p, BLANKS);
}

static void ends_value(struct perl_reader *r)
{
	r->after = PERL_OPERATOR;
	r->word = NULL;
	r->begins = r->header = r->counted = r->leads = r->list = 0;
}

static void expects_value(struct perl_reader *r)
{
	r->after = PERL_TERM;
	r->word = NULL;
	r->begins = r->header = r->counted = r->leads = r->list = 0;
}

/* A value begins. */
static int value(struct perl_reader *r)
{
	if (r->after == PERL_OPERATOR)
		perl_refuse(r, "a value behind a value");
	/* Without it, perl -w complains of names in the order of a hash. */
	if (!r->strict)
		perl_refuse(r, "no use strict at its begin");
	return !r->why;
}

/* An operator of n letters between two values. */
static void operator(struct perl_reader *r, size_t n)
{
	if (!r->strict)
		perl_refuse(r, "no use strict at its begin");
	if (r->after == PERL_TERM)
		perl_refuse(r, "an operator without a value");
	r->p += n;
	expects_value(r);
}

static void push(struct perl_reader *r, char bracket)
{
	if (r->depth == PERL_DEPTH)
		perl_refuse(r, "many brackets");
	else
		r->bracket[r->depth++] = bracket;
	r->asked[r->depth] = 0;
	r->maps += bracket == 'M';
	r->walks += bracket == 'F';
}

static char top(const struct perl_reader *r)
{
	return r->depth ? r->bracket[r->depth - 1] : '\0';
}

/* What foreach walks, behind its parenthesis: one array, of which it keeps the value that it looks
 * at; or texts and variables, which the body cannot free. */
static void walked(struct perl_reader *r)
{
	const char *p = skip(r->p);
	size_t n = *p == '@' ? perl_name_len(p + 1) : 0;

	if (n && p[1] > '9' && p[1] != '_' && !perl_is_special(p + 1, n) &&
	    *skip(p + 1 + n) == ')') {
		r->p = skip(p + 1 + n) + 1;
		ends_value(r);
		r->header = 1;
		return;
	}
	push(r, 'F');
	expects_value(r);
}

/* Behind a function, Perl may take $x and a blank for the name of a file handle, if the next sign
 * can begin a value. */
static int may_be_handle(const struct perl_reader *r)
{
	const char *next = skip(r->p);

	return r->word && !has(conditions, r->word, r->word_len) &&
	       !has(operators, r->word, r->word_len) && next > r->p && *next &&
	       strchr("<?+-", *next);
}

/* $x, $#x, @x, and what belongs to the name. */
static void variable(struct perl_reader *r, char sigil)
{
	const char *name = ++r->p;
	int in_head = behind(r, "for") || behind(r, "foreach") || behind(r, "my");
	int list = sigil == '@', leads = r->begins || r->leads;
	size_t n;

	if (!value(r))
		return;
	if (sigil == '$' && *name == '#') {
		name++;
		list = 1;
	}
	n = perl_variable_len(name);
	if (n == 0 && sigil == '$' && strchr("?!|", *name) && *name && !list) {
		r->p = name + 1;
		ends_value(r);
		r->counted = *name == '?';
		return;
	}
	r->p = name + n;
	if (n == 0 || (list && *name >= '0' && *name <= '9') || perl_is_special(name, n) ||
	    (is(name, n, "_") && (list || *skip(r->p) == '[')) ||
	    (r->walks && (list || is(name, n, "ENV") || *skip(r->p) == '[')) ||
	    (is(name, n, "ENV") && (list || *r->p != '{'))) {
		perl_refuse(r, "a variable of another form");
		return;
	}
	if (strncmp(r->p, "::", 2) == 0 || *r->p == '\'') {
		perl_refuse(r, "a name of another package");
		return;
	}
	if (is(name, n, "ENV")) {
		r->p++;
		perl_environment_key(r);
	} else if (*skip(r->p) == '[') {
		r->p = skip(r->p) + 1;
		push(r, '[');
		expects_value(r);
		return;
	} else if (*skip(r->p) == '{') {
		perl_refuse(r, "a hash");
		return;
	}
	if (sigil == '$' && may_be_handle(r)) {
		perl_refuse(r, "a variable that may be a file handle");
		return;
	}
	ends_value(r);
	r->counted = r->list = list;
	r->leads = leads && sigil == '@';
	if (in_head && sigil == '$' && *skip(r->p) == '(') {
		r->p = skip(r->p) + 1;
		walked(r);
	}
}

/* use strict; use warnings; */
static void module(struct perl_reader *r)
{
	const char *name = skip(r->p);
	size_t n = perl_name_len(name);

	if (!r->begins || !has("strict\0warnings\0", name, n) || *skip(name + n) != ';') {
		perl_refuse(r, "use of another module");
		return;
	}
	r->strict |= is(name, n, "strict") && !r->depth;
	r->p = skip(name + n);
	ends_value(r);
}

/* print STDERR: what goes to stdout waits in a buffer, and when it is written depends on what
 * stdout is. */
static void print(struct perl_reader *r)
{
	const char *name = skip(r->p);
	size_t n = perl_name_len(name);

	if (!value(r))
		return;
	if (!is(name, n, "STDERR") || skip(name + n) == name + n ||
	    !strchr("\"'$@", *skip(name + n)) || !*skip(name + n)) {
		perl_refuse(r, "print to another file than STDERR");
		return;
	}
	r->p = name + n;
	expects_value(r);
	r->word = name;
	r->word_len = n;
}

/* The delimiter of q, qw, m, s, tr, which begins right behind the word: the one that ends it. */
static char delimiter(const char *p, int words)
{
	if (*p == '(' && words)
		return ')';
	return *p && strchr("/|!,#", *p) && !words ? *p : '\0';
}

/* A word that quotes. 0: it is none. */
static int quotes(struct perl_reader *r, const char *word, size_t n)
{
	int words = has("q\0qq\0qw\0", word, n);
	char end;

	if (!words && !has("m\0s\0tr\0y\0qr\0qx\0", word, n))
		return 0;
	end = delimiter(r->p, words);
	if (!end || has("qr\0qx\0", word, n) || !value(r)) {
		perl_refuse(r, "a quote of another form");
		return 1;
	}
	r->p++;
	if (words)
		perl_string(r, end, is(word, n, "qq"));
	else
		perl_match(r, end, *word == 'm' ? 'm' : *word == 's' ? 's' : 't');
	ends_value(r);
	return 1;
}

/* split: its pattern as a pattern. last and next: no label. my: not where a colon is awaited, since
 * that would begin an attribute. */
static int stands_well(const struct perl_reader *r, const char *word, size_t n)
{
	const char *next = skip(r->p);
	size_t len = perl_name_len(next);

	if (is(word, n, "split"))
		return *next == '/' || (*next == '(' && *skip(next + 1) == '/');
	if (is(word, n, "last") || is(word, n, "next"))
		return (*next && strchr(";}", *next)) || has("if\0unless\0", next, len);
	return !is(word, n, "my") || !r->asked[r->depth];
}

static void function(struct perl_reader *r, const char *word, size_t n)
{
	int leads = r->begins && is(word, n, "my");

	if (!value(r))
		return;
	if (!stands_well(r, word, n) || r->walks || (r->maps && has(not_in_map, word, n))) {
		perl_refuse(r, "a function in another form");
		return;
	}
	r->letters |= has(letter_functions, word, n);
	expects_value(r);
	r->counted = is(word, n, "scalar");
	r->leads = leads;
	r->word = word;
	r->word_len = n;
	if (has(alone, word, n))
		r->after = PERL_EITHER;
}

/* A word of Perl's grammar or a function of Perl's. 0: it is none. */
static int known_word(struct perl_reader *r, const char *word, size_t n)
{
	int is_condition = has(conditions, word, n);

	if (has(letter_operators, word, n) || has(operators, word, n)) {
		r->letters |= has(letter_operators, word, n);
		operator(r, 0);
		r->word = word;
		r->word_len = n;
		return 1;
	}
	if (is_condition || is(word, n, "else")) {
		expects_value(r);
		r->header = !is_condition;
		r->word = word;
		r->word_len = n;
		if (is_condition && *skip(r->p) == '(') {
			r->p = skip(r->p) + 1;
			if (*word == 'f') {
				walked(r);
				return 1;
			}
			push(r, 'H');
			expects_value(r);
		}
		return 1;
	}
	if (!has(functions, word, n) && !has(letter_functions, word, n) && !has(alone, word, n))
		return 0;
	function(r, word, n);
	return 1;
}

static void word(struct perl_reader *r)
{
	const char *name = r->p;
	size_t n = perl_name_len(name);
	const char *next = skip(name + n);

	r->p = name + n;
	if (*r->p == '\'' || strncmp(next, "::", 2) == 0 || strncmp(next, "=>", 2) == 0)
		perl_refuse(r, "a word of another form");
	else if (is(name, n, "use"))
		module(r);
	else if (is(name, n, "print"))
		print(r);
	else if (!quotes(r, name, n) && !known_word(r, name, n))
		perl_refuse(r, "a word that is not known");
}

static void close_bracket(struct perl_reader *r, char c)
{
	char bracket = top(r);
	const char *fit = c == ')' ? "(HSLF" : c == ']' ? "[" : "BM";

	if (!bracket || !strchr(fit, bracket)) {
		perl_refuse(r, "a bracket without its other");
		return;
	}
	r->p++;
	r->depth--;
	r->maps -= bracket == 'M';
	r->walks -= bracket == 'F';
	if (c == '}') {
		expects_value(r);
		/* grep { } @list: the list follows. */
		r->begins = bracket == 'B';
		return;
	}
	ends_value(r);
	r->header = bracket == 'H' || bracket == 'F';
	r->counted = bracket == 'S';
	r->leads = bracket == 'L';
	r->list = c == ')';
	if (c == ']' && (*skip(r->p) == '[' || *skip(r->p) == '{'))
		perl_refuse(r, "a reference");
}

/* A brace in any other place may begin a hash, whose text is an address. Behind map and its like it
 * begins a block if a variable or a parenthesis follows. */
static void open_brace(struct perl_reader *r)
{
	int list = behind(r, "map") || behind(r, "grep") || behind(r, "sort");

	r->p++;
	if (list ? !*skip(r->p) || !strchr("$(", *skip(r->p)) : !r->header) {
		perl_refuse(r, "a brace that may begin a hash");
		return;
	}
	push(r, list ? 'M' : 'B');
	expects_value(r);
	r->begins = !list;
}

/* A comparison by number: of a number of values it does not hang on letters. */
static void compares(struct perl_reader *r, size_t n)
{
	/* Behind shift it may begin a list of files: shift < 5; 'a' > 1. */
	if (r->after != PERL_OPERATOR && *r->p == '<')
		perl_refuse(r, "a sign that may begin a list of files");
	r->letters |= !r->counted;
	operator(r, n);
}

/* An assignment by n letters. That to a list frees what the list held, so it is the whole
 * statement. */
static void assigns(struct perl_reader *r, size_t n)
{
	if (r->maps || (r->list && (!r->leads || n > 1)))
		perl_refuse(r, "an assignment within a list");
	operator(r, n);
}

static void minus(struct perl_reader *r)
{
	const char *p = r->p;

	if (r->after == PERL_EITHER || p[1] == '>') {
		perl_refuse(r, "a minus of another form");
	} else if (r->after == PERL_OPERATOR) {
		if (perl_is_name(p[1]) && (p[1] < '0' || p[1] > '9')) {
			perl_refuse(r, "a minus of another form");
		} else {
			r->letters |= !r->counted;
			if (p[1] == '=')
				assigns(r, 2);
			else
				operator(r, 1);
		}
	} else if (p[1] >= '0' && p[1] <= '9') {
		r->p++;
	} else if (p[1] && strchr("edf", p[1]) && strchr(BLANKS, p[2]) && p[2] &&
	           *skip(p + 2) && strchr("$\"'", *skip(p + 2))) {
		r->p += 2;
		expects_value(r);
	} else {
		perl_refuse(r, "a minus of another form");
	}
}

static void number(struct perl_reader *r)
{
	static const char digits[] = "0123456789";

	if (!value(r))
		return;
	r->p += strspn(r->p, digits);
	if (perl_is_name(*r->p) || (*r->p == '.' && r->p[1] != '.'))
		perl_refuse(r, "a number of another form");
	ends_value(r);
}

static void slash(struct perl_reader *r)
{
	int begins = r->after == PERL_TERM &&
	             (!r->word || has(before_pattern, r->word, r->word_len));

	if (!begins) {
		perl_refuse(r, "a slash");
		return;
	}
	r->p++;
	perl_match(r, '/', 'm');
	ends_value(r);
}

static void quoted(struct perl_reader *r, char c)
{
	if (!value(r))
		return;
	r->p++;
	perl_string(r, c, c != '\'');
	ends_value(r);
}

/* =~ and !~, which take any value behind them for a pattern. */
static void matches(struct perl_reader *r)
{
	const char *next;

	operator(r, 2);
	next = skip(r->p);
	if (*next != '/' && !has("m\0s\0tr\0y\0", next, perl_name_len(next)))
		perl_refuse(r, "a pattern of another form");
}

/* Operators, the longest first. 0: none. */
static int sign(struct perl_reader *r)
{
	static const char plain[] = "&&\0||\0..\0";
	static const char numeric[] = "<=>\0==\0!=\0<=\0>=\0>>\0";
	static const char bad[] =
		"...\0&&=\0=>\0<<\0**\0//\0--\0->\0::\0<>\0>>=\0~~\0";
	const char *p = r->p;

	for (const char *s = bad; *s; s = LIST_NEXT(s))
		if (strncmp(p, s, strlen(s)) == 0)
			return 0;
	if (strncmp(p, "=~", 2) == 0 || strncmp(p, "!~", 2) == 0) {
		matches(r);
		return 1;
	}
	if (strncmp(p, "||=", 3) == 0 || strncmp(p, ".=", 2) == 0) {
		assigns(r, p[0] == '|' ? 3 : 2);
		return 1;
	}
	for (const char *s = numeric; *s; s = LIST_NEXT(s))
		if (strncmp(p, s, strlen(s)) == 0) {
			compares(r, strlen(s));
			return 1;
		}
	for (const char *s = plain; *s; s = LIST_NEXT(s))
		if (strncmp(p, s, strlen(s)) == 0) {
			operator(r, strlen(s));
			return 1;
		}
	return 0;
}

static void separator(struct perl_reader *r)
{
	char bracket = top(r);

	if (bracket != '\0' && bracket != 'B') {
		perl_refuse(r, "a semicolon in brackets");
		return;
	}
	r->p++;
	expects_value(r);
	r->begins = 1;
	r->asked[r->depth] = 0;
}

static void token(struct perl_reader *r)
{
	char c = *r->p;

	if (perl_is_name(c)) {
		if (c >= '0' && c <= '9')
			number(r);
		else
			word(r);
		return;
	}
	switch (c) {
	case '$':
	case '@': variable(r, c); return;
	case '\'':
	case '"':
	case '`': quoted(r, c); return;
	case ';': separator(r); return;
	case '{': open_brace(r); return;
	case ')':
	case ']':
	case '}': close_bracket(r, c); return;
	case '-': minus(r); return;
	case '/': slash(r); return;
	default: break;
	}
	if (sign(r))
		return;
	switch (c) {
	case '(':
		if (!value(r))
			return;
		r->p++;
		push(r, r->begins || r->leads ? 'L'
		        : behind(r, "system") || behind(r, "scalar") ? 'S' : '(');
		expects_value(r);
		return;
	case '[': /* (list)[0] */
		if (r->after != PERL_OPERATOR || r->p[-1] != ')') {
			perl_refuse(r, "a reference");
			return;
		}
		r->p++;
		push(r, '[');
		expects_value(r);
		return;
	case ',':
		if (top(r) == 'M')
			perl_refuse(r, "a comma in a block of map, grep or sort");
		r->p++;
		expects_value(r);
		return;
	case '!':
		if (value(r)) {
			r->p++;
			expects_value(r);
		}
		return;
	case '<':
	case '>': compares(r, 1); return;
	case '+':
		if (r->p[1] == '+') {
			if (r->after != PERL_OPERATOR || r->list || r->maps)
				break;
			r->p += 2;
			r->letters = 1;
			return;
		}
		r->letters |= !r->counted;
		if (r->p[1] == '=')
			assigns(r, 2);
		else
			operator(r, 1);
		return;
	case '.':
		if (r->p[1] >= '0' && r->p[1] <= '9')
			break;
		operator(r, 1);
		return;
	case '=': assigns(r, 1); return;
	case ':':
		if (!r->asked[r->depth])
			break;
		r->asked[r->depth]--;
		operator(r, 1);
		return;
	case '?':
		if (r->after != PERL_OPERATOR || r->asked[r->depth] == PERL_DEPTH)
			break;
		r->asked[r->depth]++;
		operator(r, 1);
		return;
	default: break;
	}
	perl_refuse(r, "a sign that is not known");
}

/* The first line, whose options Perl reads as well, and which may name another program. */
static const char *first_line(const char *text)
{
	size_t n = strcspn(text, "\n");
	const char *s = text + 2, *end = text + n, *base;

	if (strncmp(text, "#!", 2) != 0)
		return text;
	s += strspn(s, " \t");
	if (strncmp(s, "/usr/bin/env ", 13) == 0)
		s += 13;
	base = s;
	for (; s < end && *s != ' ' && *s != '\t'; s++)
		if (*s == '/')
			base = s + 1;
	if (strncmp(base, "perl", 4) != 0 ||
	    (s != end && !is(s, (size_t)(end - s), " -w") && !is(s, (size_t)(end - s), " --")))
		return NULL;
	for (base += 4; base < s; base++)
		if (*base != '.' && (*base < '0' || *base > '9'))
			return NULL;
	return end;
}

/* 1: the text ended here. Blanks and comments. */
static int is_end(struct perl_reader *r)
{
	for (;;) {
		r->p = skip(r->p);
		if (*r->p == '#')
			r->p += strcspn(r->p, "\n");
		else
			break;
	}
	return !*r->p;
}

const char *perl_text(const char *text, struct perl_found *found)
{
	struct perl_reader r = {.variable = found->variable,
	                        .ctx = found->ctx, .begins = 1};

	/* Documentation, which begins with = in the first column, may hold anything. */
	for (const char *p = text; (p = strstr(p, "\n=")); p++)
		if (perl_name_len(p + 2))
			return "documentation";
	r.p = first_line(text);
	if (!r.p || *text == '=' || strchr(text, '\r'))
		return "a first line or lines of another form";
	while (!r.why && !is_end(&r))
		token(&r);
	if (!r.why && r.depth)
		perl_refuse(&r, "a bracket without its other");
	found->letters |= r.letters;
	return r.why;
}
