/* tools/script/shell.c - reads a shell's text by a small grammar (recursive descent). */
#include "tools/script/shell.h"

#include <string.h>

#include "tools/list.h"
#include "tools/script/shell_word.h"
#include "tools/tool.h"

#include "shim/banned.h"

#define DEPTH 24

static void list(struct shell_reader *r);

static int is(const struct shell_word *w, const char *text)
{
	return w->literal && w->n == strlen(text) && memcmp(w->s, text, w->n) == 0;
}

static int is_number(const struct shell_word *w)
{
	return w->literal && w->n < 5 && strspn(w->s, SHELL_DIGITS) >= w->n;
}

/* 1: the next word is this keyword, and is read. */
static int keyword(struct shell_reader *r, const char *text)
{
	size_t n = strlen(text);

	shell_skip_ends(r);
	if (strncmp(r->p, text, n) != 0 || (r->p[n] && !strchr(" \t\n;&|)", r->p[n])))
		return 0;
	r->p += n;
	return 1;
}

static void need(struct shell_reader *r, const char *text)
{
	if (!keyword(r, text))
		shell_fail(r, "a command that Reprise does not read");
}

/* The words of a program or of `set --`. */
static void words(struct shell_reader *r, const struct shell_word *program)
{
	int given = 0, others = 0;
	struct shell_word w;

	while (shell_word(r, &w)) {
		given += w.arguments;
		others += !w.arguments;
	}
	r->passing = program && program->literal && given == 1 && !others;
}

/* 1: whatever the variables hold, the word has a slash. */
static int has_slash(const struct shell_word *w)
{
	int within = 0;

	for (const char *p = w->s; p < w->s + w->n; p++)
		if (*p == '/' && !within)
			return 1;
		else
			within = *p == '}' ? 0 : within || (*p == '$' && p[1] == '{');
	return 0;
}

/* 1: sets a variable, or adds to it (bash), so the next word is the command. */
static int sets_variable(const struct shell_word *w)
{
	size_t n = strspn(w->s, SHELL_NAME);

	n += n < w->n && w->s[n] == '+';
	return n < w->n && w->s[n] == '=';
}

/* A path is no builtin and no function; nor is the name of a compiler a builtin. */
static int is_program(const struct shell_word *w)
{
	char name[64];

	if (sets_variable(w))
		return 0;
	if (has_slash(w) && w->whole)
		return w->literal || *w->s == '/' || *w->s == '"';
	if (!w->literal || w->n >= sizeof name)
		return 0;
	memcpy(name, w->s, w->n);
	name[w->n] = '\0';
	return tool_known(name) != NULL;
}

static void exec(struct shell_reader *r)
{
	struct shell_word w;

	if (!shell_word(r, &w) || w.arguments || (w.literal && *w.s == '-'))
		shell_fail(r, "exec without the name of a program");
	else
		words(r, &w);
}

static void set(struct shell_reader *r)
{
	static const char options[] = "-e\0-f\0-u\0-ef\0-eu\0-ue\0-euf\0-o\0-eo\0-euo\0-ueo\0";
	struct shell_word w;

	if (!shell_word(r, &w) || !w.literal)
		shell_fail(r, "a set that Reprise does not read");
	else if (is(&w, "--"))
		words(r, NULL);
	else if (!list_has_n(options, w.s, w.n) ||
	         (w.s[w.n - 1] == 'o' && (!shell_word(r, &w) || !is(&w, "pipefail"))))
		shell_fail(r, "an option of set but -e, -f, -u and pipefail");
}

/* shift, exit */
static void number(struct shell_reader *r)
{
	struct shell_word w;

	if (shell_word(r, &w) && !is_number(&w))
		shell_fail(r, "a number that is not written out");
}

/* Behind `[` or `test`. */
static void test(struct shell_reader *r, int bracket)
{
	static const char counts[] = "-eq\0-ne\0-gt\0-lt\0-ge\0-le\0", equals[] = "=\0==\0";
	struct shell_word a, b, c, last;
	int ok;

	ok = shell_word(r, &a) && !a.arguments;
	if (ok && (is(&a, "-n") || is(&a, "-z"))) {
		ok = shell_word(r, &b) && b.whole && !b.arguments;
	} else if (ok) {
		shell_skip_blanks(r);
		if (strncmp(r->p, "!= ", 3) == 0) {
			r->p += 3;
			b = (struct shell_word){.s = equals, .n = 1, .literal = 1};
		} else {
			ok = shell_word(r, &b);
		}
		ok = ok && shell_word(r, &c) && !c.arguments && b.literal &&
		     (list_has_n(equals, b.s, b.n)
		              ? a.whole && c.whole && !(a.literal && *a.s == '-')
		              : list_has_n(counts, b.s, b.n) && a.count && a.n == 2 &&
		                        is_number(&c));
	}
	if (ok && bracket) {
		shell_skip_blanks(r);
		ok = *r->p == ']';
		r->p += ok;
	}
	if (!ok || shell_word(r, &last))
		shell_fail(r, "a test that Reprise does not read");
}

/* *, *.letters, -letters*, and what has no star. A generated name has neither form by chance. */
static int is_pattern(const char *s, size_t n)
{
	size_t plain = strspn(s, SHELL_PLAIN);

	if (plain >= n)
		return n > 0;
	if (*s == '*')
		return n == 1 ||
		       (s[1] == '.' && n > 2 && 2 + strspn(s + 2, SHELL_LETTERS "+") >= n);
	return *s == '-' && plain + 1 == n && s[plain] == '*' &&
	       strcspn(s, "/") >= n;
}

static void pattern_list(struct shell_reader *r)
{
	shell_skip_blanks(r);
	r->p += *r->p == '(';
	for (;; r->p++) {
		size_t n;

		shell_skip_blanks(r);
		if (*r->p == '"' || *r->p == '\'') {
			n = 1 + strspn(r->p + 1, SHELL_PLAIN " ");
			if (n < 2 || r->p[n] != *r->p) {
				shell_fail(r, "a pattern that Reprise does not read");
				return;
			}
			n++;
		} else {
			n = strcspn(r->p, "|) \t\n");
			if (!is_pattern(r->p, n)) {
				shell_fail(r, "a pattern that Reprise does not read");
				return;
			}
		}
		r->p += n;
		shell_skip_blanks(r);
		if (*r->p != '|')
			break;
	}
	if (*r->p != ')')
		shell_fail(r, "a pattern that Reprise does not read");
	else
		r->p++;
}

/* The subject of a case is not split. */
static int subject(struct shell_reader *r)
{
	struct shell_word w;

	shell_skip_blanks(r);
	if (*r->p == '$' && r->p[1] >= '1' && r->p[1] <= '9') {
		r->p += 2;
		return 1;
	}
	if (*r->p == '$' && r->p[1] && strchr(SHELL_LETTERS SHELL_CAPITALS, r->p[1])) {
		size_t n = strspn(r->p + 1, SHELL_NAME);

		shell_use_variable(r, r->p + 1, n, 0);
		r->p += r->why ? 0 : 1 + n;
		return !r->why;
	}
	return shell_word(r, &w) && !w.arguments;
}

static void choose(struct shell_reader *r)
{
	if (!subject(r)) {
		shell_fail(r, "a case that Reprise does not read");
		return;
	}
	need(r, "in");
	while (!r->why && !keyword(r, "esac")) {
		pattern_list(r);
		list(r);
		shell_skip_ends(r);
		if (strncmp(r->p, ";;", 2) == 0 && r->p[2] != '&')
			r->p += 2;
		else if (!r->why && strncmp(r->p, "esac", 4) != 0)
			shell_fail(r, "a case that Reprise does not read");
	}
}

static void branch(struct shell_reader *r)
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
	return n && strchr(SHELL_LETTERS, *s) && strspn(s, SHELL_LETTERS SHELL_DIGITS "_") >= n;
}

static void loop(struct shell_reader *r)
{
	struct shell_word w;

	if (!shell_word(r, &w) || !w.literal || !is_own_name(w.s, w.n) ||
	    !shell_use_variable(r, w.s, w.n, 0)) {
		shell_fail(r, "a for that Reprise does not read");
		return;
	}
	if (keyword(r, "in"))
		words(r, NULL);
	need(r, "do");
	list(r);
	need(r, "done");
}

/* 1: w is NAME=VALUE. Its value is not split. */
static int assigns(struct shell_reader *r, const char *from)
{
	size_t n = strspn(from, SHELL_NAME);
	struct shell_word w;

	if (!n || from[n] != '=')
		return 0;
	if (!is_own_name(from, n))
		shell_fail(r, "an assignment to a name with capital letters");
	if (r->why)
		return 1;
	if (!shell_use_variable(r, from, n, 0))
		return 1;
	r->p = from + n + 1;
	/* A value outside quotes is not split, and may not be arguments. */
	if (*r->p && !strchr(" \t\n;&|", *r->p) && (!shell_word(r, &w) || w.arguments))
		shell_fail(r, "an assignment that Reprise does not read");
	if (shell_word(r, &w))
		shell_fail(r, "a variable set for one command");
	return 1;
}

/* NAME=VALUE PROGRAM: the program alone gets the variable, and the text decides its value. 1: r->p
 * is at the program. */
static int sets_for_program(struct shell_reader *r)
{
	size_t n = strspn(r->p, SHELL_NAME), end, next;

	if (!n || r->p[n] != '=' || !shell_may_set(r->p, n))
		return 0;
	end = n + 1 + strspn(r->p + n + 1, SHELL_PLAIN);
	next = end + strspn(r->p + end, " \t");
	if (end == n + 1 || next == end || !r->p[next] || strchr("\n;&|)#", r->p[next]))
		return 0;
	r->p += next;
	return 1;
}

static void simple(struct shell_reader *r)
{
	static const char nothing[] = ":\0true\0false\0";
	struct shell_word w;
	const char *from;
	int sets;

	shell_skip_blanks(r);
	from = r->p;
	sets = sets_for_program(r);
	if (!sets && assigns(r, from))
		return;
	/* `[` is no letter of a word. */
	if (!sets && r->p[0] == '[' && (r->p[1] == ' ' || r->p[1] == '\t')) {
		r->found->command(r->found->ctx, "[", 1);
		r->p++;
		test(r, 1);
		return;
	}
	if (!shell_word(r, &w)) {
		shell_fail(r, "a command that Reprise does not read");
		return;
	}
	r->found->command(r->found->ctx, w.s, w.n);
	if (sets && !(has_slash(&w) && is_program(&w)))
		shell_fail(r, "a variable set for one command");
	else if (is(&w, "exec"))
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
		shell_fail(r, "a command that Reprise does not know");
	/* A variable may be an option: NVCC_APPEND_FLAGS, CCC_OVERRIDE_OPTIONS. */
	r->passing &= !sets;
}

static void command(struct shell_reader *r)
{
	r->commands++;
	if (keyword(r, "!"))
		shell_skip_blanks(r);
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
static int ends(struct shell_reader *r)
{
	static const char *const closing[] = {"then", "elif", "else", "fi", "esac", "done", "do"};
	const char *from;

	shell_skip_ends(r);
	from = r->p;
	for (size_t i = 0; i < sizeof closing / sizeof *closing; i++)
		if (keyword(r, closing[i])) {
			r->p = from;
			return 1;
		}
	return r->p >= r->end || *r->p == ')' || strncmp(r->p, ";;", 2) == 0;
}

static void list(struct shell_reader *r)
{
	if (++r->depth > DEPTH)
		shell_fail(r, "commands nested too deep");
	while (!r->why && !ends(r)) {
		command(r);
		shell_skip_blanks(r);
		if (strncmp(r->p, "&&", 2) == 0 || strncmp(r->p, "||", 2) == 0)
			r->p += 2;
		else if (r->p < r->end && !strchr("\n;#", *r->p))
			shell_fail(r, "a pipe, redirection, function or subshell");
	}
	r->depth--;
}

const char *shell_read(const char *text, size_t n, struct shell_found *found)
{
	struct shell_reader r = {.p = text, .end = text + n, .begin = text, .found = found};
	const char *at;

	found->line = 1;
	found->passes = 0;
	if (memchr(text, 0, n))
		return "a zero byte";
	while (!r.why && r.p < r.end) {
		at = r.p;
		list(&r);
		if (!r.why && r.p < r.end)
			shell_fail(&r, "a command that Reprise does not read");
		if (!r.why && r.p == at)
			break;
	}
	found->passes = !r.why && r.commands == 1 && r.passing;
	return r.why;
}
