/* tools/python_tokens.c - splits a text as Python does, or refuses it. */
#include "tools/python_tokens.h"

#include <string.h>

#include "shim/banned.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS "0123456789"
/* Fields of fields. */
#define FORMATS_MAX 3

/* A text is read in several passes; a wrapper has some hundreds. */
#define TOKENS_MAX 50000

struct lexer {
	struct python_tokens *t;
	struct arena *a;
	const char *p;
	int brackets; /* inside these a line's end is nothing */
	int formats;
};

static void refuse(struct lexer *l, const char *why)
{
	if (!l->t->refused)
		l->t->refused = why;
}

static struct python_token *add(struct lexer *l, enum python_token_type type, const char *s,
                                size_t n)
{
	struct python_token *v = arena_grow(l->a, l->t->v, l->t->count, &l->t->cap, sizeof *v, 512);

	if (l->t->count == TOKENS_MAX)
		refuse(l, "a long text");
	if (!v) {
		refuse(l, "memory");
		return NULL;
	}
	l->t->v = v;
	v += l->t->count++;
	*v = (struct python_token){type, s, n, 0};
	return v;
}

int python_is(const struct python_token *t, const char *word)
{
	return (t->type == PYTHON_NAME || t->type == PYTHON_OPERATOR) && strlen(word) == t->n &&
	       memcmp(t->s, word, t->n) == 0;
}

static int step(struct lexer *l, const char *stop);

/* One {field} of an f-string; l->p is behind its brace. A field of the format is not read. */
static void field(struct lexer *l)
{
	int outer = l->brackets;

	add(l, PYTHON_FIELD, l->p, 0);
	l->brackets = 1;
	while (!l->t->refused && step(l, "!:}="))
		;
	l->brackets = outer;
	/* `=` shows the field's own text, and != has two signs. */
	if (*l->p == '!' && l->p[1] && strchr("rsa", l->p[1]) && strchr(":}", l->p[2]))
		l->p += 2;
	if (*l->p == ':')
		l->p += strcspn(l->p, "{}\"'\\\n");
	if (*l->p != '}') {
		refuse(l, "a field of an f-string");
		return;
	}
	l->p++;
	add(l, PYTHON_FIELD_END, l->p, 0);
}

/* Behind the opening quote. */
static void formatted(struct lexer *l, const char *quote, size_t quotes, int raw)
{
	const char *from = l->p;

	if (++l->formats > FORMATS_MAX)
		refuse(l, "f-strings inside each other");
	add(l, PYTHON_FORMATTED, l->p, 0);
	while (!l->t->refused && strncmp(l->p, quote, quotes) != 0) {
		if (!*l->p || (*l->p == '\n' && quotes == 1)) {
			refuse(l, "a string without an end");
		} else if (*l->p == '\\') {
			/* \N{...} is no field, and is rare. */
			if (!l->p[1] || l->p[1] == 'N' || (raw && strchr("{}", l->p[1])))
				refuse(l, "a backslash in an f-string");
			else
				l->p += strchr("{}", l->p[1]) ? 1 : 2;
		} else if ((*l->p == '{' || *l->p == '}') && l->p[1] == *l->p) {
			l->p += 2;
		} else if (*l->p == '{') {
			add(l, PYTHON_STRING, from, (size_t)(l->p - from));
			l->p++;
			field(l);
			from = l->p;
		} else {
			l->p++;
		}
	}
	add(l, PYTHON_STRING, from, (size_t)(l->p - from));
	add(l, PYTHON_DONE, l->p, 0);
	l->p += l->t->refused ? 0 : quotes;
	l->formats--;
}

static void string(struct lexer *l, int is_formatted, int raw)
{
	char quote[4] = {*l->p, *l->p, *l->p, '\0'};
	size_t quotes = strncmp(l->p, quote, 3) == 0 ? 3 : 1;
	struct python_token *t;
	int escapes = 0;
	const char *from;

	l->p += quotes;
	if (is_formatted) {
		formatted(l, quote, quotes, raw);
		return;
	}
	from = l->p;
	while (strncmp(l->p, quote, quotes) != 0) {
		if (!*l->p || (*l->p == '\n' && quotes == 1)) {
			refuse(l, "a string without an end");
			return;
		}
		escapes |= *l->p == '\\';
		l->p += *l->p == '\\' && l->p[1] ? 2 : 1;
	}
	t = add(l, PYTHON_STRING, from, (size_t)(l->p - from));
	if (t)
		t->escapes = escapes;
	l->p += quotes;
}

/* 1: letters before a quote, of r, b, u and f; t makes an object. */
static int prefixed_string(struct lexer *l)
{
	size_t n = strspn(l->p, LETTERS);
	int is_formatted = 0, raw = 0;

	if (n > 2 || (l->p[n] != '"' && l->p[n] != '\''))
		return 0;
	for (size_t i = 0; i < n; i++) {
		char c = l->p[i] | 0x20;

		if (!strchr("rbuf", c))
			refuse(l, "a string of another kind");
		is_formatted |= c == 'f';
		raw |= c == 'r';
	}
	l->p += n;
	string(l, is_formatted, raw);
	return 1;
}

static void operator_(struct lexer *l)
{
	/* Longest first. */
	static const char *const operators[] = {
		"**=", "//=", ">>=", "<<=", "...", "!=", "==", "<=", ">=", "->", ":=", "+=", "-=",
		"*=", "/=", "%=", "&=", "|=", "^=", "@=", "**", "//", "<<", ">>", "(", ")", "[",
		"]", "{", "}", ",", ":", ".", ";", "@", "=", "+", "-", "*", "/", "%", "&", "|",
		"^", "~", "<", ">"};

	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
		size_t n = strlen(operators[i]);

		if (strncmp(l->p, operators[i], n) != 0)
			continue;
		add(l, PYTHON_OPERATOR, l->p, n);
		if (strchr("([{", *l->p))
			l->brackets++;
		if (strchr(")]}", *l->p))
			l->brackets--;
		l->p += n;
		return;
	}
	refuse(l, "a character that is not known");
}

static void newline(struct lexer *l)
{
	if (l->brackets <= 0)
		add(l, PYTHON_NEWLINE, l->p, 0);
	l->p++;
}

/* The bytes of a number, 0: another form than those of wrappers. 1..real is an attribute. */
static size_t number(const char *s)
{
	size_t n;

	if (s[0] == '0' && s[1] && strchr("xXoObB", s[1]))
		n = 2 + strspn(s + 2, DIGITS "abcdefABCDEF");
	else
		n = strspn(s, DIGITS);
	if (s[n] == '.')
		n += 1 + strspn(s + n + 1, DIGITS);
	return s[n] && strchr(LETTERS DIGITS ".", s[n]) ? 0 : n;
}

/* One token. stop: characters that end a field outside of its brackets. 0: the end. */
static int step(struct lexer *l, const char *stop)
{
	size_t n;

	l->p += strspn(l->p, " \t\f");
	if (!*l->p)
		return 0;
	if (stop && l->brackets == 1 && strchr(stop, *l->p) &&
	    !((*l->p == '!' || *l->p == '=') && l->p[1] == '='))
		return 0;
	if (*l->p == '\\' && l->p[1] == '\n') {
		l->p += 2;
	} else if (*l->p == '#') {
		if (stop)
			refuse(l, "a comment in an f-string");
		l->p += strcspn(l->p, "\n");
	} else if (*l->p == '\n') {
		newline(l);
	} else if (*l->p == '"' || *l->p == '\'') {
		string(l, 0, 0);
	} else if (strchr(LETTERS, *l->p)) {
		if (prefixed_string(l))
			return 1;
		n = strspn(l->p, LETTERS DIGITS);
		add(l, PYTHON_NAME, l->p, n);
		l->p += n;
	} else if (strchr(DIGITS, *l->p) || (*l->p == '.' && l->p[1] && strchr(DIGITS, l->p[1]))) {
		n = number(l->p);
		if (!n)
			refuse(l, "a number of another form");
		add(l, PYTHON_NUMBER, l->p, n);
		l->p += n;
	} else {
		operator_(l);
	}
	return 1;
}

/* 1: a first line may give the text an encoding in which its bytes mean something else. */
static int has_encoding(const char *text)
{
	const char *line = text;

	for (int i = 0; i < 2 && *line; i++) {
		size_t n = strcspn(line, "\n");
		const char *at = memmem(line, n, "coding", 6);

		if (at && at[6] && strchr(":=", at[6])) {
			at += 7 + strspn(at + 7, " \t");
			if (strncmp(at, "utf-8", 5) != 0 && strncmp(at, "UTF-8", 5) != 0 &&
			    strncmp(at, "utf8", 4) != 0 && strncmp(at, "ascii", 5) != 0)
				return 1;
		}
		line += n + (line[n] == '\n');
	}
	return 0;
}

void python_tokens(struct python_tokens *t, const char *text, struct arena *a)
{
	struct lexer l = {.t = t, .a = a, .p = text};

	*t = (struct python_tokens){.count = 0};
	/* Both end a line, also one of a comment. */
	if (strchr(text, '\r') || strstr(text, "\xef\xbb\xbf"))
		refuse(&l, "another form of text");
	if (has_encoding(text))
		refuse(&l, "an encoding");
	while (!t->refused && step(&l, NULL))
		;
	add(&l, PYTHON_NEWLINE, l.p, 0);
	add(&l, PYTHON_END, l.p, 0);
	/* The reader looks one token ahead. */
	add(&l, PYTHON_END, l.p, 0);
}
