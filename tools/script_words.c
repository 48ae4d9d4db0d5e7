/* tools/script_words.c - what the texts of shell scripts ask for. Words count wherever they stand:
 * a script that is refused without need runs for real. */
#include <string.h>

#include "tools/script.h"
#include "tools/script_words.h"
#include "tools/shell.h"
#include "tools/varying.h"

#include "shim/banned.h"

static int in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static const char *find_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p++)
		if ((!in_word(*word) || p == text || !in_word(p[-1])) &&
		    (!in_word(word[n - 1]) || !in_word(p[n])))
			return p;
	return NULL;
}

/* The first word of the list (each with its NUL, then an empty one) that the text holds. */
static const char *any_word(const char *text, const char *list)
{
	for (; *list; list += strlen(list) + 1)
		if (find_word(text, list))
			return list;
	return NULL;
}

/* Kernel files that a tool's trace ignores tell a script of its host. */
static const char everywhere[] = "/proc/\0/sys/\0/dev/tty\0/dev/stdin\0/dev/fd/0\0";

/* /data/proc/ is another path. */
static int spells(const char *text, const char *path)
{
	for (const char *p = text; (p = strstr(p, path)); p++)
		if (p == text || (!in_word(p[-1]) && !strchr("./-+~*@%}", p[-1])))
			return 1;
	return 0;
}

/* Variables that the shell itself sets, builtins that ask the process or the session, and standard
 * input. `%(` is the time in bash's printf. */
static const char shell_words[] =
	"${$}\0$!\0${!}\0$_\0${_}\0RANDOM\0SRANDOM\0SECONDS\0EPOCHSECONDS\0EPOCHREALTIME\0"
	"BASHPID\0PPID\0UID\0EUID\0GROUPS\0HOSTNAME\0COLUMNS\0"
	"LINES\0DIRSTACK\0BASH_EXECUTION_STRING\0"
	"%(\0<&0\0";
static const char shell_builtins[] =
	"umask\0ulimit\0times\0jobs\0mapfile\0readarray\0select\0coproc\0enable\0"
	"time\0kill\0";
/* Questions of `test` about more than a file's type, content and permissions. */
static const char shell_tests[] = "-t\0-nt\0-ot\0-ef\0-O\0-G\0-N\0-u\0-g\0-k\0";

/* A loop that reads has its input from a file, a pipe or the text. */
static const char *shell_reads(const char *text)
{
	if (!find_word(text, "read") || strstr(text, "done <") || strstr(text, "done<") ||
	    strstr(text, "<<") || strstr(text, "| while") || strstr(text, "|while"))
		return NULL;
	return "read";
}

#define BETWEEN " \t\n;&|(){}<>`"
#define QUOTES "\"'"

static int is_token(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(s, word, n) == 0;
}

/* A builtin of the list above, or a question between `[` and its end. between: what ends a word. */
static const char *shell_tokens(const char *text, const char *between)
{
	enum { OUTSIDE, TEST, BRACKETS } where = OUTSIDE;
	const char *found = NULL;
	size_t n;

	for (const char *s = text; !found; s += n) {
		size_t gap = strspn(s, between);

		/* Inside [[ ]] these characters join questions. */
		if (where == TEST && strcspn(s, "\n;&|") < gap)
			where = OUTSIDE;
		s += gap;
		if (!*s)
			break;
		n = strcspn(s, between);
		if (is_token(s, n, "[") || is_token(s, n, "test"))
			where = TEST;
		else if (is_token(s, n, "[["))
			where = BRACKETS;
		else if (is_token(s, n, "]") || is_token(s, n, "]]"))
			where = OUTSIDE;
		else
			found = shell_among(s, n, where == OUTSIDE ? shell_builtins : shell_tests);
	}
	return found;
}

/* The process id, also as eval sees it: `$$` and `\$\$`, but not `\$$name`, which eval expands to
 * the variable that is named so. */
static const char *shell_pid(const char *text)
{
	static const char pid[] = "$$";

	for (const char *p = text; (p = strchr(p, '$')); p++) {
		int escaped = p > text && p[-1] == '\\';

		if (p[1] == '\\' && p[2] == '$')
			return pid;
		if (p[1] == '$' && (!escaped || (!in_word(p[2]) && p[2] != '{')))
			return pid;
	}
	return NULL;
}

/* The home of another user. */
static const char *shell_home(const char *text)
{
	for (const char *p = text; (p = strchr(p, '~')); p++)
		if ((p == text || strchr(" \t\n;=:\"'(", p[-1])) && in_word(p[1]))
			return "~";
	return NULL;
}

int script_is_eval(const char *s, size_t n)
{
	const char *value = memchr(s, '=', n);

	return shell_among(s, n, "eval\0") ||
	       (value && shell_among(value + 1, n - (size_t)(value + 1 - s), "eval\0"));
}

static int evaluates(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	return script_is_eval(s, n);
}

int script_evaluates(const char *text)
{
	return shell_each_word(text, evaluates, NULL);
}

/* Where the text is inside quotes and substitutions; each level one letter. */
struct nest {
	char level[32];
	int depth;
};

static int push(struct nest *n, char what)
{
	if (n->depth == (int)sizeof n->level)
		return -1;
	n->level[n->depth++] = what;
	return 0;
}

static char top(const struct nest *n)
{
	return n->depth ? n->level[n->depth - 1] : '\0';
}

/* One step of a shell's text at p. Returns the bytes that it takes, or -1. */
static int shell_step(struct nest *n, const char *p)
{
	char in = top(n);

	if (in == '\'') {
		n->depth -= *p == '\'';
		return 1;
	}
	if (*p == '\\')
		return p[1] ? 2 : 1;
	if (*p == '$' && p[1] == '(')
		return push(n, '(') < 0 ? -1 : 2;
	if (*p == '"') {
		if (in == '"')
			n->depth--;
		else if (push(n, '"') < 0)
			return -1;
		return 1;
	}
	if (in == '"')
		return 1;
	if (*p == '\'')
		return push(n, '\'') < 0 ? -1 : 1;
	/* The text of a here-document is no code, and may hold any quote. */
	if (*p == '<' && p[1] == '<')
		return -1;
	if (in == '(' && *p == '(')
		return push(n, '(') < 0 ? -1 : 1;
	if (in == '(' && *p == ')')
		n->depth--;
	return 1;
}

/* p: an operator. before: the character in front of it that belongs to it, or NUL. */
static int starts_background(const char *p, char before, int is_bash)
{
	if (*p == '>')
		return p[1] == '(';
	return *p == '&' && !(before && strchr("&><|;", before)) && p[1] != '&' &&
	       !(is_bash && p[1] == '>');
}

static int quotes_commands(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	return shell_among(s, n, "eval\0trap\0") != NULL;
}

const char *script_races(const char *text, int is_bash)
{
	struct nest nest = {.depth = 0};
	/* A text inside quotes may be run. */
	int all = strchr(text, '`') || shell_each_word(text, quotes_commands, NULL), step;

	for (const char *p = text; *p; p += step) {
		char before = p > text && !(p > text + 1 && p[-2] == '\\') ? p[-1] : '\0';
		int quoted = !all && (top(&nest) == '"' || top(&nest) == '\'');

		step = all ? 1 : shell_step(&nest, p);
		if (step < 0)
			all = step = 1;
		if (!quoted && starts_background(p, before, is_bash))
			return *p == '&' ? "&" : ">(";
	}
	return NULL;
}

static const char *shell_asks(const char *text)
{
	const char *word = any_word(text, shell_words);

	if (!word)
		word = shell_pid(text);
	if (!word)
		word = shell_home(text);
	if (!word)
		word = shell_tokens(text, BETWEEN QUOTES);
	if (!word)
		word = shell_tokens(text, BETWEEN);
	return word ? word : shell_reads(text);
}

const char *script_asks(const char *text)
{
	for (const char *path = everywhere; *path; path += strlen(path) + 1)
		if (spells(text, path))
			return path;
	return shell_asks(text);
}

/* The length of an expansion ($x, ${x}) or of letters at s, 0: neither. */
static size_t piece(const char *s, int *expands)
{
	int braces = s[0] == '$' && s[1] == '{';
	size_t n = *s == '$' ? 1 + (size_t)braces : 0;

	*expands |= n > 0;
	while (in_word(s[n]))
		n++;
	return n + (braces && s[n] == '}');
}

/* s: behind a `$` that eval will see. 1: the name that follows has several pieces, and may be one
 * that differs between ranks. */
static int is_composed(const char *s)
{
	int expands = 0, pieces = 0;

	s += strspn(s, "{\"'");
	if (in_word(*s) && !varying_begins(s, piece(s, &expands)))
		return 0;
	for (; *s == '$' || in_word(*s); pieces++) {
		s += piece(s, &expands);
		s += strspn(s, "\"'");
	}
	return expands && pieces > 1;
}

int script_composes(const char *text)
{
	if (!script_evaluates(text))
		return 0;
	for (const char *s = text; (s = strchr(s, '$')); s++)
		if (s > text && strchr("\\'", s[-1]) && is_composed(s + 1))
			return 1;
	return 0;
}

/* Without an argument these print variables. */
static int lists(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	return shell_among(s, n, "set\0export\0declare\0typeset\0readonly\0local\0") &&
	       strchr("\n;&|)<>`", s[n + strspn(s + n, " \t\"'")]);
}

int script_lists_variables(const char *text)
{
	static const char words[] = "compgen\0declare -p\0declare -x\0export -p\0readonly -p\0"
				    "typeset -p\0${!\0";

	return any_word(text, words) || shell_each_word(text, lists, NULL);
}

static int clean_shell(const char *text, size_t n, char *out)
{
	struct nest nest = {.depth = 0};
	const char *joined = NULL; /* behind a joined line */
	char *to = out;

	for (const char *p = text; p < text + n;) {
		int step;

		if (*p == '#' && p != joined && top(&nest) != '"' && top(&nest) != '\'' &&
		    (p == text || strchr(" \t\n;", p[-1]))) {
			while (p < text + n && *p != '\n')
				p++;
			continue;
		}
		step = shell_step(&nest, p);
		if (step < 0)
			return -1;
		if (*p == '\\' && step == 2)
			joined = p + 2;
		for (; step && p < text + n; step--)
			*to++ = *p++;
	}
	*to = '\0';
	return nest.depth ? -1 : 0;
}

void script_clean(const char *text, size_t n, char *out)
{
	if (clean_shell(text, n, out) < 0) {
		memcpy(out, text, n);
		out[n] = '\0';
	}
}
