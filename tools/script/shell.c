/* tools/script/shell.c - reads a shell's text by a small grammar (recursive descent). */
#include "tools/script/script.h"

#include <string.h>

#include "shim/ascii.h"
#include "shim/list.h"
#include "tools/tool.h"

#include "shim/banned.h"

#define DEPTH 24
/* They end a word. So does a text's end: strchr() finds its NUL. */
#define ENDING " \t\n;&|()<>"
#define ARGUMENTS "\"$@\""

/* Tokens; others are the characters themselves. "\n" also stands for a semicolon. */
#define END 0
#define CASE_END ';' /* two semicolons */
#define WORD 'w'

struct word {
	const char *s;
	size_t n;
	int literal;   /* letters outside quotes, and nothing else */
	int argument;  /* it holds one of the arguments, or all */
	int arguments; /* "$@" */
	int archiver;  /* the name of ar, by a compiler */
};
struct shell {
	const char *text, *p;
	struct shell_found *found;
	const char *why;   /* the text is not of the grammar */
	char token;        /* the next one, up to p */
	struct word word;  /* of WORD */
	int depth, commands, passing, redirected;
};

/* Keeps the first reason and its line, and ends the reading. */
static void fail(struct shell *r, const char *why)
{
	if (!r->why) {
		r->why = why;
		for (const char *p = r->text; p < r->word.s; p++)
			r->found->line += *p == '\n';
	}
	r->token = END;
}

/* It stands for itself outside quotes, in dash and bash. */
static int is_plain(char c)
{
	return c && (ascii_alnum(c) || strchr("_./+:@%,=-", c));
}

/* Length of a variable's name that neither a shell nor the loader uses. These have an underscore
 * only behind certain beginnings. 0: it may be another one. */
static size_t name_length(const char *s)
{
	static const char used[] = "BASH\0CHILD_\0COMP_\0LC_\0LD_\0POSIXLY_\0PROMPT_\0READLINE_\0"
		"REPRISE_\0_\0";
	size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

	return !list_begins(used, s) && memchr(s, '_', n) && !ascii_alnum(s[n]) ? n : 0;
}

/* `$` inside quotes. */
static void expansion(struct shell *r)
{
	size_t n = name_length(++r->p);

	if (n)
		r->found->variable(r->found->ctx, r->p, n);
	else if (*r->p < '1' || *r->p > '9')
		fail(r, "a variable or a substitution");
	r->word.argument |= !n;
	r->p += n ? n : 1;
}

/* A text in quotes. */
static void quotes(struct shell *r)
{
	const char quote = *r->p++;

	r->word.literal = 0;
	while (!r->why && *r->p >= ' ' && *r->p <= '~' && *r->p != quote) {
		if (quote == '\'' || !strchr("$`\\", *r->p))
			r->p++;
		else if (*r->p == '$')
			expansion(r);
		else if (*r->p == '\\' && r->p[1] && strchr("\"\\$", r->p[1]))
			r->p += 2;
		else
			fail(r, "a special character inside quotes");
	}
	if (!r->why && *r->p++ != quote)
		fail(r, "quotes that Reprise does not read");
}

/* A path is no builtin and no function. */
static int is_path(const struct word *w)
{
	return memchr(w->s, '/', w->n) && !w->argument;
}

/* Nor is the name of a compiler a builtin. */
static int is_compiler(const struct word *w)
{
	char name[64];

	if (!w->literal || w->n >= sizeof name)
		return 0;
	memcpy(name, w->s, w->n);
	name[w->n] = '\0';
	return tool_known(name) != NULL;
}

/* nvcc -lib asks the host's compiler for ar. 1: the word is read. */
static int archiver(struct shell *r)
{
	static const char end[] = " -print-prog-name=ar`\"";
	struct word of = {.s = r->p + 2, .literal = 1};

	if (strncmp(r->p, "\"`", 2) != 0)
		return 0;
	while (is_plain(of.s[of.n]))
		of.n++;
	if (strncmp(of.s + of.n, end, sizeof end - 1) != 0 || !(is_path(&of) || is_compiler(&of)))
		return 0;
	r->p += 2 + of.n + sizeof end - 1;
	r->word.literal = 0;
	return r->word.archiver = 1;
}

static void word(struct shell *r)
{
	struct word *w = &r->word;

	r->token = WORD;
	w->arguments = strncmp(r->p, ARGUMENTS, sizeof ARGUMENTS - 1) == 0;
	w->argument = w->arguments;
	w->literal = !w->arguments;
	w->archiver = 0;
	if (w->arguments)
		r->p += sizeof ARGUMENTS - 1;
	else if (memchr("[]", *r->p, 2) && strchr(ENDING, r->p[1]))
		r->p++;
	while (!r->why && !strchr(ENDING, *r->p))
		if (w->arguments || w->archiver)
			fail(r, "\"$@\" or a substitution inside a word");
		else if (r->p == w->s && archiver(r))
			continue;
		else if (is_plain(*r->p))
			r->p++;
		else if (*r->p == '"' || *r->p == '\'')
			quotes(r);
		else
			fail(r, "a special character outside quotes");
	w->n = (size_t)(r->p - w->s);
}

/* Blanks, joined lines and a comment. */
static void skip(struct shell *r)
{
	while (*r->p == ' ' || *r->p == '\t' || strncmp(r->p, "\\\n", 2) == 0)
		r->p += *r->p == '\\' ? 2 : 1;
	if (*r->p == '#')
		r->p += strcspn(r->p, "\n");
}

/* Output of nvcc's threads goes to files: ">" or "2>" and a path, which is read. */
static int redirection(struct shell *r)
{
	const char *to = r->p + (*r->p == '1' || *r->p == '2');

	if (*to != '>' || strchr(">&|", to[1]) ||
	    (to == r->p && to > r->text && ascii_digit(to[-1])))
		return 0;
	r->p = to + 1;
	skip(r);
	r->word.s = r->p;
	word(r);
	if (!r->why && (!r->word.literal || !r->word.n))
		fail(r, "a redirection to a file that is not written out");
	r->redirected = 1;
	return 1;
}

static void next(struct shell *r)
{
	do {
		if (r->why)
			return;
		skip(r);
		r->word.s = r->p;
	} while (redirection(r));
	if (strncmp(r->p, ";;", 2) == 0 && r->p[2] != '&')
		r->token = CASE_END, r->p += 2;
	else if (strchr("\n;|()", *r->p) || (*r->p == '*' && strchr(ENDING, r->p[1])))
		r->token = *r->p == ';' ? '\n' : *r->p, r->p += *r->p != '\0';
	else if (strchr(ENDING, *r->p))
		fail(r, "a redirection, && or ||");
	else
		word(r);
}

/* The next token is this word, without quotes. */
static int is(const struct shell *r, const char *text)
{
	return r->token == WORD && r->word.literal && r->word.n == strlen(text) &&
	       memcmp(r->word.s, text, r->word.n) == 0;
}

static void skip_lines(struct shell *r)
{
	while (r->token == '\n')
		next(r);
}

static int takes(struct shell *r, const char *text)
{
	int found = is(r, text);

	if (found)
		next(r);
	return found;
}

static void need(struct shell *r, const char *text)
{
	skip_lines(r);
	if (!takes(r, text))
		fail(r, "a command that Reprise does not read");
}

/* A word that is not "$@". */
static void need_word(struct shell *r, const char *why)
{
	if (r->token == WORD && !r->word.arguments)
		next(r);
	else
		fail(r, why);
}

/* A program and its arguments. */
static void program(struct shell *r, int sets)
{
	int given = 0, others = 0, literal = r->word.literal;

	for (next(r); r->token == WORD; next(r)) {
		given += r->word.arguments;
		others += !r->word.arguments;
	}
	/* A variable may be an option: NVCC_APPEND_FLAGS, CCC_OVERRIDE_OPTIONS. */
	r->passing = literal && given == 1 && !others && !sets;
}

/* The text decides the value. */
static int is_assignment(const struct shell *r)
{
	size_t n = r->token == WORD && r->word.literal ? name_length(r->word.s) : 0;

	return n && r->word.s[n] == '=' && r->word.n > n + 1;
}

static void exec(struct shell *r)
{
	const struct word *w = &r->word;

	if (r->token == WORD && *w->s != '-' && (w->literal || is_path(w)))
		program(r, 0);
	else
		fail(r, "exec without the name of a program");
}

static void set(struct shell *r)
{
	static const char options[] = "-e\0-u\0-eu\0-f\0";

	if (r->token == WORD && list_has_n(options, r->word.s, r->word.n))
		next(r);
	else
		fail(r, "an option of set but -e, -f and -u");
}

static void simple(struct shell *r)
{
	const char *name = NULL;
	int sets = 0;

	for (; is_assignment(r); sets++) {
		name = r->word.s;
		next(r);
	}
	/* Programs get the value if the environment has the variable. */
	if (sets == 1 && r->token != WORD)
		r->found->variable(r->found->ctx, name, name_length(name));
	else if (r->token != WORD)
		fail(r, "a command that Reprise does not read");
	else if (r->word.archiver ? !sets
	         : !memchr(r->word.s, '=', r->word.n) &&
	                   (is_path(&r->word) || (!sets && is_compiler(&r->word))))
		program(r, sets);
	else if (sets)
		fail(r, "a variable set for one command");
	else if (takes(r, "exec"))
		exec(r);
	else if (takes(r, "set"))
		set(r);
	else
		fail(r, "a command that Reprise does not know");
}

static void list(struct shell *r);

/* Behind `if`. */
static void branch(struct shell *r)
{
	static const char why[] = "a test that Reprise does not read";

	do {
		skip_lines(r);
		if (!takes(r, "["))
			fail(r, why);
		need_word(r, why);
		if (!takes(r, "="))
			fail(r, why);
		need_word(r, why);
		if (!takes(r, "]") || r->token != '\n')
			fail(r, why);
		need(r, "then");
		list(r);
	} while (takes(r, "elif"));
	if (takes(r, "else"))
		list(r);
	need(r, "fi");
}

/* Words without an argument, or stars, up to the parenthesis. */
static void patterns(struct shell *r)
{
	static const char why[] = "a pattern that Reprise does not read";

	if (r->token == '(')
		next(r);
	for (;; next(r)) {
		if (r->token != '*' && (r->token != WORD || r->word.argument))
			fail(r, why);
		next(r);
		if (r->token != '|')
			break;
	}
	if (r->token == ')')
		next(r);
	else
		fail(r, why);
}

/* Behind `case`. */
static void choose(struct shell *r)
{
	need_word(r, "a case that Reprise does not read");
	need(r, "in");
	for (skip_lines(r); !r->why && !takes(r, "esac"); skip_lines(r)) {
		patterns(r);
		list(r);
		if (r->token == CASE_END)
			next(r);
		else if (!is(r, "esac"))
			fail(r, "a case that Reprise does not read");
	}
}

/* Up to a word or token that ends it. */
static void list(struct shell *r)
{
	static const char closing[] = "elif\0else\0esac\0fi\0then\0";

	if (++r->depth > DEPTH)
		fail(r, "commands nested too deep");
	for (;;) {
		skip_lines(r);
		if (strchr(");", r->token) || (r->token == WORD && r->word.literal &&
		                                  list_has_n(closing, r->word.s, r->word.n)))
			break;
		r->commands++;
		(takes(r, "if") ? branch : takes(r, "case") ? choose : simple)(r);
		if (!strchr("\n;", r->token))
			fail(r, "a pipe, redirection, function, && or ||");
	}
	r->depth--;
}

const char *shell_read(const char *text, size_t n, struct shell_found *found)
{
	struct shell r = {.text = text, .p = text, .found = found};

	found->line = 1;
	found->passes = 0;
	if (memchr(text, 0, n))
		return "a zero byte";
	next(&r);
	list(&r);
	if (r.token != END)
		fail(&r, "a command that Reprise does not read");
	found->passes = !r.why && r.commands == 1 && r.passing && !r.redirected;
	return r.why;
}
