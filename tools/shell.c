/* tools/shell.c - reads a shell's text by a small grammar (recursive descent). */
#include "tools/shell.h"

#include <string.h>

#include "tools/list.h"
#include "tools/tool.h"

#include "shim/banned.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
#define NAME LETTERS CAPITALS DIGITS "_"
/* They stand for themselves outside quotes, in dash and bash. */
#define PLAIN NAME "./+:@%,=-"
#define DEPTH 24

/* Variables that a shell or Reprise sets or uses itself, and the beginnings of others. */
static const char shells_own[] =
	"CDPATH\0COLUMNS\0COPROC\0DIRSTACK\0ENV\0EUID\0EXECIGNORE\0FCEDIT\0FIGNORE\0FUNCNAME\0"
	"FUNCNEST\0GLOBIGNORE\0GLOBSORT\0GROUPS\0HOME\0HOSTFILE\0HOSTNAME\0HOSTTYPE\0IFS\0"
	"IGNOREEOF\0INPUTRC\0INSIDE_EMACS\0LANG\0LANGUAGE\0LINENO\0LINES\0MACHTYPE\0MAIL\0"
	"MAILCHECK\0MAILPATH\0MAPFILE\0OLDPWD\0OPTARG\0OPTERR\0OPTIND\0OSTYPE\0PATH\0"
	"PIPESTATUS\0POSIXLY_CORRECT\0PPID\0PROMPT_COMMAND\0PROMPT_DIRTRIM\0PWD\0RANDOM\0"
	"REPLY\0SECONDS\0SHELL\0SHELLOPTS\0SHLVL\0SRANDOM\0TERM\0TIMEFORMAT\0TMOUT\0TMPDIR\0"
	"UID\0auto_resume\0histchars\0";
static const char shells_prefixes[] =
	"BASH\0CHILD_MAX\0COMP\0EMACS\0EPOCH\0HIST\0LC_\0LD_PRELOAD\0PS0\0PS1\0PS2\0PS3\0PS4\0"
	"READLINE\0REPRISE_\0_\0";

struct reader {
	const char *p, *end;
	const char *begin;
	struct shell_found *found;
	const char *why; /* the text is not of the grammar */
	int depth, commands, passing;
};
/* A word. */
struct word {
	const char *s;
	size_t n;
	int literal; /* letters outside quotes, and nothing else */
	int whole;   /* no part is split: it is one word */
	int arguments;/* "$@" */
	int count;   /* $# */
};

static void list(struct reader *r);

static int fail(struct reader *r, const char *why)
{
	if (!r->why) {
		r->why = why;
		for (const char *p = r->begin; p < r->p; p++)
			r->found->line += *p == '\n';
	}
	r->p = r->end;
	return 0;
}

static void skip_blanks(struct reader *r)
{
	while (*r->p == ' ' || *r->p == '\t')
		r->p++;
}

/* Behind a command: blanks, comments and ends of commands. */
static void skip_ends(struct reader *r)
{
	for (;; r->p++) {
		skip_blanks(r);
		if (*r->p == '#')
			r->p += strcspn(r->p, "\n");
		if (*r->p != '\n' && (*r->p != ';' || r->p[1] == ';'))
			return;
	}
}

static int begins_so(const char *name, size_t n)
{
	for (const char *p = shells_prefixes; *p; p = LIST_NEXT(p))
		if (strlen(p) <= n && memcmp(name, p, strlen(p)) == 0)
			return 1;
	return 0;
}

static int use_variable(struct reader *r, const char *name, size_t n, int splits)
{
	if (!n || strchr(DIGITS, *name) || list_has_n(shells_own, name, n) || begins_so(name, n))
		return fail(r, "a variable of the shell's own");
	/* Small letters may be a variable of the text, which holds any argument. */
	if (splits && strcspn(name, LETTERS) < n)
		return fail(r, "a variable outside quotes");
	r->found->variable(r->found->ctx, name, n, splits);
	return 1;
}

/* ${...} at r->p, behind the brace. */
static void braces(struct reader *r, int quoted)
{
	const char *name = r->p;
	size_t n;

	if (quoted && strncmp(name, "0%/*}", 5) == 0) {
		r->p += 5;
		return;
	}
	n = strspn(name, NAME);
	r->p += n;
	if (n == 1 && *name >= '1' && *name <= '9') {
		if (!quoted)
			fail(r, "an argument outside quotes");
	} else {
		use_variable(r, name, n, !quoted);
	}
	if (*r->p == ':' && (r->p[1] == '-' || r->p[1] == '+'))
		r->p++;
	if (*r->p == '-' || *r->p == '+')
		r->p += 1 + strspn(r->p + 1, quoted ? PLAIN " " : PLAIN);
	if (*r->p != '}')
		fail(r, "an expansion");
	else
		r->p++;
}

/* At `$`. */
static void expansion(struct reader *r, struct word *w, int quoted)
{
	const char *name = ++r->p;
	size_t n = strspn(name, NAME);

	w->whole &= quoted;
	if (*name == '#') {
		w->count = !quoted;
		r->p++;
	} else if (*name == '{') {
		r->p++;
		braces(r, quoted);
	} else if (quoted && *name >= '0' && *name <= '9') {
		r->p++;
	} else if (*name >= '0' && *name <= '9') {
		fail(r, "an argument outside quotes");
	} else if (n) {
		r->p += n;
		use_variable(r, name, n, !quoted);
	} else {
		fail(r, "an expansion");
	}
}

/* Inside quotes. In some character sets a backslash is the second byte of a letter. */
static int is_text(const char *p)
{
	unsigned char c = (unsigned char)*p;

	return (c >= ' ' && c <= '~') || (c >= 0x80 && p[1] != '\\');
}

static void quotes(struct reader *r, struct word *w)
{
	if (strncmp(r->p, "\"$@\"", 4) == 0) {
		w->arguments = 1;
		r->p += 4;
		return;
	}
	for (r->p++; r->p < r->end && *r->p != '"';) {
		char c = *r->p;

		if (c == '$')
			expansion(r, w, 1);
		else if (c == '\\' && r->p[1] && strchr("\"\\$", r->p[1]))
			r->p += 2;
		else if (c == '`' || c == '\\' || !is_text(r->p))
			fail(r, "a character inside quotes");
		else
			r->p++;
	}
	if (*r->p != '"')
		fail(r, "quotes without an end");
	else
		r->p++;
}

static void single_quotes(struct reader *r)
{
	for (r->p++; is_text(r->p) && *r->p != '\'';)
		r->p++;
	if (*r->p != '\'')
		fail(r, "a character inside quotes");
	else
		r->p++;
}

/* 1: a word begins here, and is read. */
static int word(struct reader *r, struct word *w)
{
	static const char given[] = "${1+\"$@\"}";

	skip_blanks(r);
	while (*r->p == '\\' && r->p[1] == '\n') {
		r->p += 2;
		skip_blanks(r);
	}
	*w = (struct word){.s = r->p, .literal = 1, .whole = 1};
	if (*r->p == '#')
		return 0;
	if (strncmp(r->p, given, sizeof given - 1) == 0) {
		w->arguments = 1;
		r->p += sizeof given - 1;
	}
	while (r->p < r->end && !strchr(" \t\n;&|()<>", *r->p)) {
		size_t n = strspn(r->p, PLAIN);

		w->literal &= n > 0;
		r->p += n;
		if (n)
			continue;
		if (*r->p == '"')
			quotes(r, w);
		else if (*r->p == '\'')
			single_quotes(r);
		else if (*r->p == '$')
			expansion(r, w, 0);
		else
			fail(r, "a character outside quotes");
	}
	if (r->why)
		return 0;
	w->n = (size_t)(r->p - w->s);
	if (w->arguments && w->n != 4 && w->n != sizeof given - 1)
		return fail(r, "arguments within a word");
	w->literal &= w->n > 0;
	return w->n > 0;
}

static int is(const struct word *w, const char *text)
{
	return w->literal && w->n == strlen(text) && memcmp(w->s, text, w->n) == 0;
}

static int is_number(const struct word *w)
{
	return w->literal && w->n < 5 && strspn(w->s, DIGITS) >= w->n;
}

/* 1: the next word is this keyword, and is read. */
static int keyword(struct reader *r, const char *text)
{
	size_t n = strlen(text);

	skip_ends(r);
	if (strncmp(r->p, text, n) != 0 || (r->p[n] && !strchr(" \t\n;&|)", r->p[n])))
		return 0;
	r->p += n;
	return 1;
}

static void need(struct reader *r, const char *text)
{
	if (!keyword(r, text))
		fail(r, "a command of another form");
}

/* The words of a program or of `set --`. */
static void words(struct reader *r, const struct word *program)
{
	int given = 0, others = 0;
	struct word w;

	while (word(r, &w)) {
		given += w.arguments;
		others += !w.arguments;
	}
	r->passing = program && program->literal && given == 1 && !others;
}

/* 1: whatever the variables hold, the word has a slash. */
static int has_slash(const struct word *w)
{
	int within = 0;

	for (const char *p = w->s; p < w->s + w->n; p++)
		if (*p == '/' && !within)
			return 1;
		else
			within = *p == '}' ? 0 : within || (*p == '$' && p[1] == '{');
	return 0;
}

/* 1: bash adds to a variable. */
static int adds(const struct word *w)
{
	size_t n = strspn(w->s, NAME);

	return n + 1 < w->n && w->s[n] == '+' && w->s[n + 1] == '=';
}

/* A path is no builtin and no function; nor is the name of a compiler a builtin. */
static int is_program(const struct word *w)
{
	char name[64];

	if (adds(w))
		return 0;
	if (has_slash(w) && w->whole)
		return w->literal || *w->s == '/' || *w->s == '"';
	if (!w->literal || w->n >= sizeof name)
		return 0;
	memcpy(name, w->s, w->n);
	name[w->n] = '\0';
	return tool_known(name) != NULL;
}

static void exec(struct reader *r)
{
	struct word w;

	if (!word(r, &w) || w.arguments || (w.literal && *w.s == '-'))
		fail(r, "exec without a program");
	else
		words(r, &w);
}

static void set(struct reader *r)
{
	static const char options[] = "-e\0-f\0-u\0-ef\0-eu\0-ue\0-euf\0-o\0-eo\0-euo\0-ueo\0";
	struct word w;

	if (!word(r, &w) || !w.literal)
		fail(r, "set");
	else if (is(&w, "--"))
		words(r, NULL);
	else if (!list_has_n(options, w.s, w.n) ||
	         (w.s[w.n - 1] == 'o' && (!word(r, &w) || !is(&w, "pipefail"))))
		fail(r, "an option of set");
}

/* shift, exit */
static void number(struct reader *r)
{
	struct word w;

	if (word(r, &w) && !is_number(&w))
		fail(r, "a number that is no literal");
}

/* Behind `[` or `test`. */
static void test(struct reader *r, int bracket)
{
	static const char counts[] = "-eq\0-ne\0-gt\0-lt\0-ge\0-le\0", equals[] = "=\0==\0";
	struct word a, b, c, last;
	int ok;

	ok = word(r, &a) && !a.arguments;
	if (ok && (is(&a, "-n") || is(&a, "-z"))) {
		ok = word(r, &b) && b.whole && !b.arguments;
	} else if (ok) {
		skip_blanks(r);
		if (strncmp(r->p, "!= ", 3) == 0) {
			r->p += 3;
			b = (struct word){.s = equals, .n = 1, .literal = 1};
		} else {
			ok = word(r, &b);
		}
		ok = ok && word(r, &c) && !c.arguments && b.literal &&
		     (list_has_n(equals, b.s, b.n)
		              ? a.whole && c.whole && !(a.literal && *a.s == '-')
		              : list_has_n(counts, b.s, b.n) && a.count && a.n == 2 &&
		                        is_number(&c));
	}
	if (ok && bracket) {
		skip_blanks(r);
		ok = *r->p == ']';
		r->p += ok;
	}
	if (!ok || word(r, &last))
		fail(r, "a test of another form");
}

/* *, *.letters, -letters*, and what has no star. A generated name has neither form by chance. */
static int is_pattern(const char *s, size_t n)
{
	size_t plain = strspn(s, PLAIN);

	if (plain >= n)
		return n > 0;
	if (*s == '*')
		return n == 1 || (s[1] == '.' && n > 2 && 2 + strspn(s + 2, LETTERS "+") >= n);
	return *s == '-' && plain + 1 == n && s[plain] == '*' &&
	       strcspn(s, "/") >= n;
}

static void pattern_list(struct reader *r)
{
	skip_blanks(r);
	r->p += *r->p == '(';
	for (;; r->p++) {
		size_t n;

		skip_blanks(r);
		if (*r->p == '"' || *r->p == '\'') {
			n = 1 + strspn(r->p + 1, PLAIN " ");
			if (n < 2 || r->p[n] != *r->p) {
				fail(r, "a pattern");
				return;
			}
			n++;
		} else {
			n = strcspn(r->p, "|) \t\n");
			if (!is_pattern(r->p, n)) {
				fail(r, "a pattern");
				return;
			}
		}
		r->p += n;
		skip_blanks(r);
		if (*r->p != '|')
			break;
	}
	if (*r->p != ')')
		fail(r, "a pattern");
	else
		r->p++;
}

/* The subject of a case is not split. */
static int subject(struct reader *r)
{
	struct word w;

	skip_blanks(r);
	if (*r->p == '$' && r->p[1] >= '1' && r->p[1] <= '9') {
		r->p += 2;
		return 1;
	}
	if (*r->p == '$' && r->p[1] && strchr(LETTERS CAPITALS, r->p[1])) {
		size_t n = strspn(r->p + 1, NAME);

		use_variable(r, r->p + 1, n, 0);
		r->p += r->why ? 0 : 1 + n;
		return !r->why;
	}
	return word(r, &w) && !w.arguments;
}

static void choose(struct reader *r)
{
	if (!subject(r)) {
		fail(r, "case");
		return;
	}
	need(r, "in");
	while (!r->why && !keyword(r, "esac")) {
		pattern_list(r);
		list(r);
		skip_ends(r);
		if (strncmp(r->p, ";;", 2) == 0 && r->p[2] != '&')
			r->p += 2;
		else if (!r->why && strncmp(r->p, "esac", 4) != 0)
			fail(r, "case");
	}
}

static void branch(struct reader *r)
{
	do {
		list(r);
		need(r, "then");
		list(r);
	} while (!r->why && keyword(r, "elif"));
	if (!r->why && keyword(r, "else"))
		list(r);
	need(r, "fi");
}

static int is_own_name(const char *s, size_t n)
{
	return n && strchr(LETTERS, *s) && strspn(s, LETTERS DIGITS "_") >= n;
}

static void loop(struct reader *r)
{
	struct word w;

	if (!word(r, &w) || !w.literal || !is_own_name(w.s, w.n) ||
	    !use_variable(r, w.s, w.n, 0)) {
		fail(r, "for");
		return;
	}
	if (keyword(r, "in"))
		words(r, NULL);
	need(r, "do");
	list(r);
	need(r, "done");
}

/* 1: w is NAME=VALUE. Its value is not split. */
static int assigns(struct reader *r, const char *from)
{
	size_t n = strspn(from, NAME);
	struct word w;

	if (!n || from[n] != '=')
		return 0;
	if (!is_own_name(from, n))
		fail(r, "an assignment to a name with capital letters");
	if (r->why)
		return 1;
	if (!use_variable(r, from, n, 0))
		return 1;
	r->p = from + n + 1;
	/* A value outside quotes is not split, and may not be arguments. */
	if (*r->p && !strchr(" \t\n;&|", *r->p) && (!word(r, &w) || w.arguments))
		fail(r, "an assignment");
	if (word(r, &w))
		fail(r, "a variable for one command");
	return 1;
}

static void simple(struct reader *r)
{
	static const char nothing[] = ":\0true\0false\0";
	struct word w;
	const char *from;

	skip_blanks(r);
	from = r->p;
	if (assigns(r, from))
		return;
	/* `[` is no letter of a word. */
	if (r->p[0] == '[' && (r->p[1] == ' ' || r->p[1] == '\t')) {
		r->found->command(r->found->ctx, "[", 1);
		r->p++;
		test(r, 1);
		return;
	}
	if (!word(r, &w)) {
		fail(r, "a command of another form");
		return;
	}
	r->found->command(r->found->ctx, w.s, w.n);
	if (is(&w, "exec"))
		exec(r);
	else if (is(&w, "set"))
		set(r);
	else if (is(&w, "test"))
		test(r, 0);
	else if (is(&w, "shift") || is(&w, "exit"))
		number(r);
	else if (w.literal && list_has_n(nothing, w.s, w.n))
		number(r);
	else if (is_program(&w))
		words(r, &w);
	else
		fail(r, "a command that is not known");
}

static void command(struct reader *r)
{
	r->commands++;
	if (keyword(r, "!"))
		skip_blanks(r);
	if (keyword(r, "if"))
		branch(r);
	else if (keyword(r, "case"))
		choose(r);
	else if (keyword(r, "for"))
		loop(r);
	else
		simple(r);
}

/* The list ends before one of these. */
static int ends(struct reader *r)
{
	static const char *const closing[] = {"then", "elif", "else", "fi", "esac", "done", "do"};
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

static void list(struct reader *r)
{
	if (++r->depth > DEPTH)
		fail(r, "many commands within each other");
	while (!r->why && !ends(r)) {
		command(r);
		skip_blanks(r);
		if (strncmp(r->p, "&&", 2) == 0 || strncmp(r->p, "||", 2) == 0)
			r->p += 2;
		else if (r->p < r->end && !strchr("\n;#", *r->p))
			fail(r, "a command of another form");
	}
	r->depth--;
}

const char *shell_read(const char *text, size_t n, struct shell_found *found)
{
	struct reader r = {.p = text, .end = text + n, .begin = text, .found = found};
	const char *at;

	found->line = 1;
	found->passes = 0;
	if (memchr(text, 0, n))
		return "a byte of value zero";
	while (!r.why && r.p < r.end) {
		at = r.p;
		list(&r);
		if (!r.why && r.p < r.end)
			fail(&r, "a command of another form");
		if (!r.why && r.p == at)
			break;
	}
	found->passes = !r.why && r.commands == 1 && r.passing;
	return r.why;
}
