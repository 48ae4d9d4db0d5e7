/* tools/script/shell.c - reads a shell's text by a small grammar (recursive descent). */
#include "tools/script/script.h"

#include <string.h>

#include "shim/list.h"
#include "tools/tool.h"

#include "shim/banned.h"

#define DEPTH 24
#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
/* They stand for themselves outside quotes, in dash and bash. */
#define PLAIN LETTERS CAPITALS DIGITS "_./+:@%,=-"
#define ARGUMENTS "\"$@\""

struct shell {
	const char *p, *end;
	const char *begin;
	struct shell_found *found;
	const char *why; /* the text is not of the grammar */
	int depth, commands, passing;
};
struct word {
	const char *s;
	size_t n;
	int literal;   /* letters outside quotes, and nothing else */
	int whole;     /* it holds none of the arguments */
	int arguments; /* "$@" */
};

static void list(struct shell *r);

/* The text is not of the grammar: keeps the first reason and its line, and ends the reading. 0. */
static int fail(struct shell *r, const char *why)
{
	if (!r->why) {
		r->why = why;
		for (const char *p = r->begin; p < r->p; p++)
			r->found->line += *p == '\n';
	}
	r->p = r->end;
	return 0;
}

static void skip_blanks(struct shell *r)
{
	for (;;) {
		r->p += strspn(r->p, " \t");
		if (r->p[0] != '\\' || r->p[1] != '\n')
			return;
		r->p += 2;
	}
}

/* Behind a command: blanks, comments and ends of commands. */
static void skip_ends(struct shell *r)
{
	for (;; r->p++) {
		skip_blanks(r);
		if (*r->p == '#')
			r->p += strcspn(r->p, "\n");
		if (*r->p != '\n' && (*r->p != ';' || r->p[1] == ';'))
			return;
	}
}

/* Length of a variable's name that neither a shell nor the loader uses. These have an underscore
 * only behind certain beginnings. 0: it may be another one. */
static size_t name_length(const char *s)
{
	static const char used[] = "BASH\0CHILD_\0COMP_\0LC_\0LD_\0POSIXLY_\0PROMPT_\0READLINE_\0"
		"REPRISE_\0_\0";
	size_t n = strspn(s, CAPITALS "_");

	return !list_begins(used, s) && memchr(s, '_', n) && !strspn(s + n, LETTERS DIGITS) ? n
	                                                                                  : 0;
}

/* `$` inside quotes. */
static int expansion(struct shell *r, struct word *w)
{
	size_t n = name_length(++r->p);

	if (n)
		r->found->variable(r->found->ctx, r->p, n);
	else if (*r->p < '1' || *r->p > '9')
		return fail(r, "a variable or a substitution");
	else
		w->whole = 0;
	r->p += n ? n : 1;
	return 1;
}

/* The rest of a text in quotes. */
static void quotes(struct shell *r, struct word *w)
{
	const char quote = *r->p++;

	while (*r->p >= ' ' && *r->p <= '~' && *r->p != quote) {
		if (quote == '\'' || !strchr("$`\\", *r->p))
			r->p++;
		else if (*r->p == '\\' && r->p[1] && strchr("\"\\$", r->p[1]))
			r->p += 2;
		else if (*r->p != '$')
			fail(r, "a special character inside quotes");
		else if (!expansion(r, w))
			return;
	}
	if (*r->p != quote)
		fail(r, "quotes that Reprise does not read");
	else
		r->p++;
}

/* 1: all arguments. */
static int all_arguments(struct shell *r, struct word *w)
{
	if (strncmp(r->p, ARGUMENTS, sizeof ARGUMENTS - 1) != 0)
		return 0;
	r->p += sizeof ARGUMENTS - 1;
	w->arguments = 1;
	w->literal = w->whole = 0;
	return 1;
}

/* 1: a word begins here, and is read. */
static int word(struct shell *r, struct word *w)
{
	skip_blanks(r);
	*w = (struct word){.s = r->p, .literal = 1, .whole = 1};
	if (*r->p == '#')
		return 0;
	if (!all_arguments(r, w))
		while (r->p < r->end && !strchr(" \t\n;&|()<>", *r->p)) {
			size_t n = strspn(r->p, PLAIN);

			r->p += n;
			w->literal &= n > 0;
			if (!n && (*r->p == '"' || *r->p == '\''))
				quotes(r, w);
			else if (!n)
				fail(r, "a special character outside quotes");
		}
	else if (r->p < r->end && !strchr(" \t\n;&|)", *r->p))
		fail(r, "\"$@\" inside a word");
	w->n = (size_t)(r->p - w->s);
	return !r->why && w->n > 0;
}

static int is(const struct word *w, const char *text)
{
	return w->literal && w->n == strlen(text) && memcmp(w->s, text, w->n) == 0;
}

/* 1: the next word is this keyword, and is read. */
static int keyword(struct shell *r, const char *text)
{
	size_t n = strlen(text);

	skip_ends(r);
	if (strncmp(r->p, text, n) != 0 || (r->p[n] && !strchr(" \t\n;&|)", r->p[n])))
		return 0;
	r->p += n;
	return 1;
}

static void need(struct shell *r, const char *text)
{
	if (!keyword(r, text))
		fail(r, "a command that Reprise does not read");
}

/* The words of a program. */
static void words(struct shell *r, const struct word *program)
{
	int given = 0, others = 0;
	struct word w;

	while (word(r, &w)) {
		given += w.arguments;
		others += !w.arguments;
	}
	r->passing = program->literal && given == 1 && !others;
}

/* A path is no builtin and no function; nor is the name of a compiler a builtin. */
static int is_program(const struct word *w)
{
	char name[64];

	if (!w->whole || memchr(w->s, '=', w->n))
		return 0;
	if (memchr(w->s, '/', w->n))
		return 1;
	if (!w->literal || w->n >= sizeof name)
		return 0;
	memcpy(name, w->s, w->n);
	name[w->n] = '\0';
	return tool_known(name) != NULL;
}

static void exec(struct shell *r)
{
	struct word w;

	if (!word(r, &w) || !w.whole || *w.s == '-' || !(w.literal || memchr(w.s, '/', w.n)))
		fail(r, "exec without the name of a program");
	else
		words(r, &w);
}

static void set(struct shell *r)
{
	static const char options[] = "-e\0-u\0-eu\0-f\0";
	struct word w;

	if (!word(r, &w) || !w.literal || !list_has_n(options, w.s, w.n) || word(r, &w))
		fail(r, "an option of set but -e, -f and -u");
}

/* The end of a command, which is not read. */
static int is_end(struct shell *r)
{
	skip_blanks(r);
	return r->p >= r->end || strchr("\n;#", *r->p);
}

/* Behind `if`. */
static void test(struct shell *r)
{
	struct word a, b;
	int ok = keyword(r, "[") && word(r, &a) && !a.arguments && !(a.literal && *a.s == '-');

	skip_blanks(r);
	ok = ok && strncmp(r->p, "= ", 2) == 0;
	r->p += ok;
	ok = ok && word(r, &b) && !b.arguments;
	skip_blanks(r);
	ok = ok && *r->p == ']';
	r->p += ok;
	if (!ok || !is_end(r))
		fail(r, "a test that Reprise does not read");
}

/* 1: *, or a word without an argument. */
static int pattern(struct shell *r)
{
	struct word w;

	skip_blanks(r);
	if (*r->p != '*')
		return word(r, &w) && w.whole;
	r->p++;
	return 1;
}

static void pattern_list(struct shell *r)
{
	int more, ok;

	skip_blanks(r);
	r->p += *r->p == '(';
	do {
		ok = pattern(r);
		skip_blanks(r);
		more = ok && *r->p == '|';
		r->p += more;
	} while (more);
	if (!ok || *r->p != ')')
		fail(r, "a pattern that Reprise does not read");
	else
		r->p++;
}

static void choose(struct shell *r)
{
	struct word w;

	if (!word(r, &w) || w.arguments)
		fail(r, "a case that Reprise does not read");
	need(r, "in");
	while (!r->why && !keyword(r, "esac")) {
		pattern_list(r);
		list(r);
		skip_ends(r);
		if (strncmp(r->p, ";;", 2) == 0 && r->p[2] != '&')
			r->p += 2;
		else if (!r->why && strncmp(r->p, "esac", 4) != 0)
			fail(r, "a case that Reprise does not read");
	}
}

static void branch(struct shell *r)
{
	do {
		test(r);
		need(r, "then");
		list(r);
	} while (!r->why && keyword(r, "elif"));
	if (!r->why && keyword(r, "else"))
		list(r);
	need(r, "fi");
}

/* NAME=VALUE PROGRAM: the program alone gets the variable, and the text decides its value. 1: r->p
 * is at the program. */
static int sets_for_program(struct shell *r)
{
	size_t n = name_length(r->p), value = n + (n && r->p[n] == '=');
	size_t end = value + strspn(r->p + value, PLAIN);

	if (value == n || end == value || !strchr(" \t", r->p[end]))
		return 0;
	r->p += end;
	return 1;
}

static void simple(struct shell *r)
{
	int sets = sets_for_program(r);
	struct word w;

	if (!word(r, &w))
		fail(r, "a command that Reprise does not read");
	else if (is_program(&w) && (!sets || memchr(w.s, '/', w.n)))
		words(r, &w);
	else if (sets)
		fail(r, "a variable set for one command");
	else if (is(&w, "exec"))
		exec(r);
	else if (is(&w, "set"))
		set(r);
	else
		fail(r, "a command that Reprise does not know");
	/* A variable may be an option: NVCC_APPEND_FLAGS, CCC_OVERRIDE_OPTIONS. */
	r->passing &= !sets;
}

static void command(struct shell *r)
{
	r->commands++;
	if (keyword(r, "if"))
		branch(r);
	else if (keyword(r, "case"))
		choose(r);
	else
		simple(r);
}

/* The list ends before one of these. */
static int ends(struct shell *r)
{
	static const char *const closing[] = {"then", "elif", "else", "fi", "esac"};
	const char *from;

	skip_ends(r);
	from = r->p;
	for (size_t i = 0; i < sizeof closing / sizeof *closing; i++)
		if (keyword(r, closing[i])) {
			r->p = from;
			return 1;
		}
	return r->p >= r->end || *r->p == ')' || strncmp(r->p, ";;", 2) == 0;
}

static void list(struct shell *r)
{
	if (++r->depth > DEPTH)
		fail(r, "commands nested too deep");
	while (!r->why && !ends(r)) {
		command(r);
		if (!is_end(r))
			fail(r, "a pipe, redirection, function, && or ||");
	}
	r->depth--;
}

const char *shell_read(const char *text, size_t n, struct shell_found *found)
{
	struct shell r = {.p = text, .end = text + n, .begin = text, .found = found};

	found->line = 1;
	found->passes = 0;
	if (memchr(text, 0, n))
		return "a zero byte";
	list(&r);
	if (!r.why && r.p < r.end)
		fail(&r, "a command that Reprise does not read");
	found->passes = !r.why && r.commands == 1 && r.passing;
	return r.why;
}
