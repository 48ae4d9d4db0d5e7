/* tools/script/shell_word.c - quotes and expansions that the grammar knows. */
#include "tools/script/shell_word.h"

#include <string.h>

#include "tools/list.h"

#include "shim/banned.h"

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

int shell_fail(struct shell_reader *r, const char *why)
{
	if (!r->why) {
		r->why = why;
		for (const char *p = r->begin; p < r->p; p++)
			r->found->line += *p == '\n';
	}
	r->p = r->end;
	return 0;
}

void shell_skip_blanks(struct shell_reader *r)
{
	while (*r->p == ' ' || *r->p == '\t')
		r->p++;
}

void shell_skip_ends(struct shell_reader *r)
{
	for (;; r->p++) {
		shell_skip_blanks(r);
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

int shell_may_set(const char *name, size_t n)
{
	static const char loader[] = "LD_";

	return n && !strchr(SHELL_DIGITS, *name) && !list_has_n(shells_own, name, n) &&
	       !begins_so(name, n) && strncmp(name, loader, sizeof loader - 1) != 0;
}

int shell_use_variable(struct shell_reader *r, const char *name, size_t n, int splits)
{
	if (!n || strchr(SHELL_DIGITS, *name) || list_has_n(shells_own, name, n) ||
	    begins_so(name, n))
		return shell_fail(r, "a variable that the shell sets itself");
	/* Small letters may be a variable of the text, which holds any argument. */
	if (splits && strcspn(name, SHELL_LETTERS) < n)
		return shell_fail(r, "a variable outside quotes");
	r->found->variable(r->found->ctx, name, n, splits);
	return 1;
}

/* ${...} at r->p, behind the brace. */
static void braces(struct shell_reader *r, int quoted)
{
	const char *name = r->p;
	size_t n;

	if (quoted && strncmp(name, "0%/*}", 5) == 0) {
		r->p += 5;
		return;
	}
	n = strspn(name, SHELL_NAME);
	r->p += n;
	if (n == 1 && *name >= '1' && *name <= '9') {
		if (!quoted)
			shell_fail(r, "an argument such as $1 outside quotes");
	} else {
		shell_use_variable(r, name, n, !quoted);
	}
	if (*r->p == ':' && (r->p[1] == '-' || r->p[1] == '+'))
		r->p++;
	if (*r->p == '-' || *r->p == '+')
		r->p += 1 + strspn(r->p + 1, quoted ? SHELL_PLAIN " " : SHELL_PLAIN);
	if (*r->p != '}')
		shell_fail(r, "an expansion that Reprise does not read");
	else
		r->p++;
}

/* At `$`. */
static void expansion(struct shell_reader *r, struct shell_word *w, int quoted)
{
	const char *name = ++r->p;
	size_t n = strspn(name, SHELL_NAME);

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
		shell_fail(r, "an argument such as $1 outside quotes");
	} else if (n) {
		r->p += n;
		shell_use_variable(r, name, n, !quoted);
	} else {
		shell_fail(r, "an expansion that Reprise does not read");
	}
}

/* Inside quotes. In some character sets a backslash is the second byte of a letter. */
static int is_text(const char *p)
{
	unsigned char c = (unsigned char)*p;

	return (c >= ' ' && c <= '~') || (c >= 0x80 && p[1] != '\\');
}

static void quotes(struct shell_reader *r, struct shell_word *w)
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
			shell_fail(r, "a special character inside quotes");
		else
			r->p++;
	}
	if (*r->p != '"')
		shell_fail(r, "quotes without an end");
	else
		r->p++;
}

static void single_quotes(struct shell_reader *r)
{
	for (r->p++; is_text(r->p) && *r->p != '\'';)
		r->p++;
	if (*r->p != '\'')
		shell_fail(r, "a special character inside quotes");
	else
		r->p++;
}

int shell_word(struct shell_reader *r, struct shell_word *w)
{
	static const char given[] = "${1+\"$@\"}";

	shell_skip_blanks(r);
	while (*r->p == '\\' && r->p[1] == '\n') {
		r->p += 2;
		shell_skip_blanks(r);
	}
	*w = (struct shell_word){.s = r->p, .literal = 1, .whole = 1};
	if (*r->p == '#')
		return 0;
	if (strncmp(r->p, given, sizeof given - 1) == 0) {
		w->arguments = 1;
		r->p += sizeof given - 1;
	}
	while (r->p < r->end && !strchr(" \t\n;&|()<>", *r->p)) {
		size_t n = strspn(r->p, SHELL_PLAIN);

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
			shell_fail(r, "a special character outside quotes");
	}
	if (r->why)
		return 0;
	w->n = (size_t)(r->p - w->s);
	if (w->arguments && w->n != 4 && w->n != sizeof given - 1)
		return shell_fail(r, "\"$@\" inside a word");
	w->literal &= w->n > 0;
	return w->n > 0;
}
