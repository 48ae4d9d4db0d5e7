/* judge/script/scripts.c - reads the scripts between a tool and its compiler. */
#include "judge/script/scripts.h"

#include <string.h>

#include "judge/input/input.h"
#include "judge/script/variables.h"
#include "judge/start.h"
#include "shim/kernel/sys.h"
#include "shim/list.h"
#include "tools/script/script.h"
#include "trace/files.h"

#include "shim/banned.h"

/* No wrapper is larger. */
#define SCRIPT_MAX (1u << 20)
/* bash takes these when it starts. With one of the first three it does more than its script says.
 * A variable of BASH_FUNCTION is a function. Of other values of BASH_OWN bash says that they are
 * wrong. */
#define BASH_MORE "BASH_ENV\0SHELLOPTS\0BASHOPTS\0"
#define BASH_OTHERS "SHELLOPTS\0POSIXLY_CORRECT\0EXECIGNORE\0GLOBIGNORE\0" \
	"LANG\0LANGUAGE\0LC_ALL\0LC_CTYPE\0LC_MESSAGES\0"
#define BASH_FUNCTION "BASH_FUNC_"
#define BASH_OWN "BASH*"
/* bash calls this function where it finds no program. */
#define BASH_NOT_FOUND "command_not_found_handle"

/* where, what: for people. */
static void refuse(struct collect *k, const char *where, const char *what)
{
	if (k->reason != REASON_NONE)
		return;
	k->reason = REASON_UNSTORED_SCRIPT;
	start_detail(k->start, "%s: %s", where, what);
}

/* The text of a file, as the run read it, with a NUL behind its *n bytes. NULL: refused. */
static char *script_read(struct collect *k, const char *path, size_t *n)
{
	struct start *s = k->start;
	struct digest is, was;
	struct statx st;
	char *text;

	if (probe_file(&s->prober, path, &was, &st) < 0 || st.stx_size > SCRIPT_MAX) {
		refuse(k, path, "cannot be read as a script");
		return NULL;
	}
	text = arena_file(&s->arena, path, SCRIPT_MAX, n, NULL);
	digest_of(&is, text, text ? *n : 0);
	if (!text || !digest_equal(&is, &was)) {
		collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, path);
		return NULL;
	}
	return text;
}

static int is_known(const struct candidate *c, unsigned kind, const char *spec)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].kind == kind && c->v[i].spec_len == strlen(spec) &&
		    memcmp(c->v[i].spec, spec, c->v[i].spec_len) == 0)
			return 1;
	return 0;
}

/* what: a variable, or a spec of judge/script/variables.h. Each is one input, however many scripts
 * use it. */
static void use(void *ctx, const char *what)
{
	struct collect *k = ctx;
	int many = strchr(what, '*') || strcmp(what, VARIABLES_MOST) == 0 ||
	           strcmp(what, VARIABLES_NONE) == 0;

	if (!is_known(k->c, many ? INPUT_VARIABLES : INPUT_ENV, what))
		(many ? collect_variables : collect_variable)(k, what);
}

static void use_variable(void *ctx, const char *name, size_t n)
{
	struct collect *k = ctx;
	const char *copy = arena_memdup(&k->start->arena, name, n);

	if (copy)
		use(k, copy);
	else
		k->reason = REASON_UNSTORED_INPUTS_MANY;
}

/* A script that may look at the names in its arguments, and the directory's. */
static void bind(struct collect *k)
{
	if (k->start->verdict.scripts_see_names)
		return;
	k->start->verdict.names_exact = k->start->verdict.scripts_see_names = k->bound = 1;
	use(k, VARIABLES_NONE);
	collect_pwd(k);
}

/* A script that may also use any variable. */
static void use_all(struct collect *k)
{
	use(k, VARIABLES_MOST);
	bind(k);
}

/* The kernel starts the program that the first line names, by a link or not. The trace has only the
 * file that this leads to. */
static void add_interpreter(struct collect *k, const char *where, const char *text)
{
	char path[PATH_SIZE];
	size_t n;
	struct tree_file *file;

	if (strncmp(text, "#!", 2) != 0)
		return;
	text += 2 + strspn(text + 2, " \t");
	n = strcspn(text, " \t\r\n");
	if (n && *text != '/') {
		refuse(k, where, "its first line names no absolute path");
		return;
	}
	if (n == 0 || n >= sizeof path)
		return;
	memcpy(path, text, n);
	path[n] = '\0';
	if (sys_access(path, X_OK) < 0) /* the script was started by another program */
		return;
	file = tree_file_of(k->t, path, n, 0);
	if (file && !(file->flags & TREE_MADE))
		file->flags |= TREE_READ | TREE_RUN;
}

/* A function that the environment brings replaces a command of bash. */
static int has_function(const struct invocation *call, const char *text)
{
	for (char *const *e = call->envp; *e; e++) {
		const char *name = *e + sizeof BASH_FUNCTION - 1;
		size_t n;

		if (strncmp(*e, BASH_FUNCTION, sizeof BASH_FUNCTION - 1) != 0)
			continue;
		n = strcspn(name, "%=(");
		if (memchr(name, '/', n) || memmem(text, strlen(text), name, n) ||
		    strncmp(name, BASH_NOT_FOUND, sizeof BASH_NOT_FOUND - 1) == 0)
			return 1;
	}
	return 0;
}

static void use_bash(struct collect *k, const char *where, const char *text)
{
	for (const char *name = BASH_MORE; *name; name = LIST_NEXT(name)) {
		const char *value = invocation_env(&k->start->call, name);

		if (value && *value)
			refuse(k, where, arena_cat(&k->start->arena, name, " is set: unset it",
			                           NULL));
	}
	if (has_function(&k->start->call, text))
		refuse(k, where, "a function of bash may have the name of a command");
	for (const char *name = BASH_OTHERS; *name; name = LIST_NEXT(name))
		use(k, name);
	use(k, BASH_OWN);
}

/* bash spells the directory where it says that it finds no program. The text of an argument is the
 * tool's own, and so are the names in it. */
static void examine(struct collect *k, const struct tree_script *v, const char *text, size_t n)
{
	struct shell_found found = {use_variable, k, 0, 0};
	const char *why;

	if (!proof_on(&k->start->set, PROOF_SCRIPTS)) {
		why = arena_cat(&k->start->arena, "the proof ", proof_name(PROOF_SCRIPTS),
		                " is off", NULL);
		refuse(k, path_base(v->where), why);
		return;
	}
	proof_always(&k->start->proofs, PROOF_SCRIPTS);
	if (v->language == SCRIPT_BASH)
		use_bash(k, v->where, text);
	why = shell_read(text, n, &found);
	if (why && k->reason == REASON_NONE) {
		k->reason = REASON_UNSTORED_SCRIPT;
		start_detail(k->start, "%s: line %d: %s: set REPRISE_WRAPPERS=%s",
		             path_base(v->where), found.line, why, v->where);
	}
	if (!found.passes && v->form == SCRIPT_FILE)
		bind(k);
}

static struct tree_file *file_of(struct collect *k, const char *path)
{
	char *tidy = arena_strdup(&k->start->arena, path);

	if (!tidy)
		return NULL;
	path_tidy(tidy);
	return tree_find(k->t, tidy);
}

/* A declared one depends on what its owner says. A variable that differs between ranks counts if
 * its text names the variable. */
static void examine_file(struct collect *k, const struct tree_script *v)
{
	int declared = v->form == SCRIPT_DECLARED;
	struct tree_file *file = file_of(k, v->what);
	size_t n = 0;
	char *text;

	if (declared)
		use_all(k);
	if (!file || file->flags & TREE_MADE) {
		refuse(k, v->what, file ? "was made by the run"
		                   : declared ? "is declared, but the run did not read it"
		                              : "cannot be read as a script");
		return;
	}
	text = script_read(k, file->path, &n);
	if (!text)
		return;
	if (!declared)
		examine(k, v, text, n);
	else if (!memchr(text, 0, n))
		varying_named(text, use, k);
	add_interpreter(k, v->what, text);
}

/* A step's input about its environment. */
static void examine_step(struct collect *k, const char *spec)
{
	if (strcmp(spec, VARIABLES_MOST) == 0)
		use_all(k);
	else if (strcmp(spec, VARIABLES_NONE) == 0)
		bind(k);
	else
		use(k, spec);
}

static void examine_event(struct collect *k, const struct tree_script *v)
{
	if (v->form == SCRIPT_TEXT)
		examine(k, v, v->what, strlen(v->what));
	else if (v->form == SCRIPT_FILE || v->form == SCRIPT_DECLARED)
		examine_file(k, v);
	else if (v->form == SCRIPT_STEP)
		examine_step(k, v->what);
}

/* A wrapper may use more of an answer than the type: a size, a mode. */
static void mark_looked(struct collect *k, struct tree_file *file)
{
	unsigned type = 0;

	if (file->flags & (TREE_MADE | TREE_READ | TREE_UNLINKED | TREE_DENIED) ||
	    !(file->flags & TREE_PRESENT))
		return;
	if (probe_present(&k->start->prober, file->path, &type) == 0 && type == S_IFREG)
		file->flags |= TREE_READ | (sys_access(file->path, X_OK) == 0 ? TREE_RUN : 0);
}

/* Files that no script's text shows. */
static void examine_others(struct collect *k, struct tree_file *file)
{
	/* Its name is random, and it holds the time of a text. */
	if (file->flags & TREE_MADE && strstr(file->path, ".pyc"))
		refuse(k, file->path, "was made: set PYTHONDONTWRITEBYTECODE=1");
	if (file->flags & TREE_LOOKED)
		mark_looked(k, file);
}

void collect_scripts(struct collect *k)
{
	struct tree *t = k->t;

	for (size_t i = 0; i < t->script_count && k->reason == REASON_NONE; i++)
		examine_event(k, &t->script[i]);
	for (size_t i = 0; t->script_count && i < t->count && k->reason == REASON_NONE; i++)
		examine_others(k, &t->file[i]);
}
