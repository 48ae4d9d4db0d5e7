/* judge/script/scripts.c - reads the scripts between a tool and its compiler. */
#include "judge/script/scripts.h"

#include <string.h>

#include "judge/input/input.h"
#include "judge/script/variables.h"
#include "judge/start.h"
#include "shim/kernel/sys.h"
#include "shim/list.h"
#include "shim/sort.h"
#include "tools/script/script.h"
#include "trace/files.h"

#include "shim/banned.h"

/* The text of a script, and the reason why it is not read. */

/* No wrapper is larger. */
#define SCRIPT_MAX (1u << 20)

/* Refuses the result. where: for people. */
static void script_refuse(struct collect *k, const char *where, const char *word)
{
	if (k->reason != REASON_NONE)
		return;
	k->reason = REASON_UNSTORED_SCRIPT;
	start_detail(k->start, "%s: %s", where, word);
}

/* The text of a file, as the run read it, with a NUL behind its *n bytes. NULL: refused. */
static char *script_read(struct collect *k, const char *path, size_t *n)
{
	struct start *s = k->start;
	struct digest is, was;
	struct statx st;
	char *text;

	if (probe_file(&s->prober, path, &was, &st) < 0 || st.stx_size > SCRIPT_MAX) {
		script_refuse(k, path, "cannot be read as a script");
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

struct scripts {
	struct collect *k;
	const char **used;      /* names of variables, and specs of judge/script/variables.h */
	size_t count, cap;
	const char *where;      /* the script that is read */
	int most;               /* a script may use any variable */
	int binds;              /* ... look at the names in its arguments, and the directory's */
};

static void add_use(void *ctx, const char *name)
{
	struct scripts *f = ctx;
	struct arena *a = &f->k->start->arena;
	const char **v;

	for (size_t i = 0; i < f->count; i++)
		if (strcmp(f->used[i], name) == 0)
			return;
	v = arena_grow(a, f->used, f->count, &f->cap, sizeof *v, 16);
	name = arena_strdup(a, name);
	if (!v || !name) {
		f->k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	f->used = v;
	v[f->count++] = name;
}

/* A script that may use any variable, and all letters of its arguments. */
static void add_all(struct scripts *f)
{
	f->most = f->binds = 1;
	add_use(f, VARIABLES_MOST);
	add_use(f, VARIABLES_NONE);
}

static void refuse(struct scripts *f, const char *what)
{
	script_refuse(f->k, f->where, what);
}

/* The kernel starts the program that the first line names, by a link or not. The trace has only the
 * file that this leads to. */
static void add_interpreter(struct scripts *f, const char *text)
{
	char path[PATH_SIZE];
	size_t blank, n;
	struct tree_file *file;

	if (strncmp(text, "#!", 2) != 0)
		return;
	text += 2;
	blank = strspn(text, " \t");
	n = strcspn(text + blank, " \t\r\n");
	if (n && text[blank] != '/') {
		refuse(f, "its first line names no absolute path");
		return;
	}
	if (n == 0 || n >= sizeof path)
		return;
	memcpy(path, text + blank, n);
	path[n] = '\0';
	if (sys_access(path, X_OK) < 0) /* the script was started by another program */
		return;
	file = tree_file_of(f->k->t, path, n, 0);
	if (file && !(file->flags & TREE_MADE))
		file->flags |= TREE_READ | TREE_RUN;
}

static void use_variable(void *ctx, const char *name, size_t n)
{
	struct scripts *f = ctx;
	const char *copy = arena_memdup(&f->k->start->arena, name, n);

	if (copy)
		add_use(f, copy);
	else
		f->k->reason = REASON_UNSTORED_INPUTS_MANY;
}

/* A function that the environment brings replaces a command of bash. */
static void check_functions(struct scripts *f, const char *text)
{
	for (char *const *e = f->k->start->call.envp; *e; e++) {
		const char *name = *e + sizeof BASH_FUNCTION - 1;
		size_t n;

		if (strncmp(*e, BASH_FUNCTION, sizeof BASH_FUNCTION - 1) != 0)
			continue;
		n = strcspn(name, "%=(");
		if (memchr(name, '/', n) || memmem(text, strlen(text), name, n) ||
		    strncmp(name, BASH_NOT_FOUND, sizeof BASH_NOT_FOUND - 1) == 0)
			refuse(f, "a function of bash may have the name of a command");
	}
}

static void use_bash(struct scripts *f, const char *text)
{
	for (const char *name = BASH_MORE; *name; name = LIST_NEXT(name)) {
		const char *value = invocation_env(&f->k->start->call, name);

		if (value && *value)
			refuse(f, arena_cat(&f->k->start->arena, name, " is set: unset it", NULL));
	}
	for (const char *name = BASH_OTHERS; *name; name = LIST_NEXT(name))
		add_use(f, name);
	add_use(f, BASH_OWN);
	check_functions(f, text);
}

static void examine(struct scripts *f, const struct tree_script *v, const char *text, size_t n)
{
	struct shell_found found = {use_variable, f, 0, 0};
	const char *why;

	if (!proof_on(&f->k->start->set, PROOF_SCRIPTS)) {
		f->k->reason = REASON_UNSTORED_SCRIPT;
		start_detail(f->k->start, "%s: the proof %s is off", path_base(f->where),
		             proof_name(PROOF_SCRIPTS));
		return;
	}
	proof_always(&f->k->start->proofs, PROOF_SCRIPTS);
	if (v->language == SCRIPT_BASH)
		use_bash(f, text);
	why = shell_read(text, n, &found);
	if (why && v->form == SCRIPT_TEXT)
		refuse(f, why);
	if (why && f->k->reason == REASON_NONE) {
		f->k->reason = REASON_UNSTORED_SCRIPT;
		start_detail(f->k->start, "%s: line %d: %s: set REPRISE_WRAPPERS=%s",
		             path_base(f->where), found.line, why, f->where);
	}
	/* bash spells the directory where it says that it finds no program. The text of an argument
	 * is the tool's own, and so are the names in it. */
	if (!found.passes && v->form == SCRIPT_FILE) {
		f->binds = 1;
		add_use(f, VARIABLES_NONE);
	}
}

static struct tree_file *file_of(struct scripts *f, const char *path)
{
	char *tidy = arena_strdup(&f->k->start->arena, path);

	if (!tidy)
		return NULL;
	path_tidy(tidy);
	return tree_find(f->k->t, tidy);
}

/* A declared one depends on what its owner says. A variable that differs between ranks counts if
 * its text names the variable. */
static void examine_file(struct scripts *f, const struct tree_script *v)
{
	int declared = v->form == SCRIPT_DECLARED;
	struct tree_file *file = file_of(f, v->what);
	size_t n = 0;
	char *text;

	f->where = v->what;
	if (declared)
		add_all(f);
	if (!file || file->flags & TREE_MADE) {
		refuse(f, file ? "was made by the run"
		          : declared ? "is declared, but the run did not read it"
		          : "cannot be read as a script");
		return;
	}
	text = script_read(f->k, file->path, &n);
	if (!text)
		return;
	if (!declared)
		examine(f, v, text, n);
	else if (!memchr(text, 0, n))
		varying_named(text, add_use, f);
	add_interpreter(f, text);
}

static void examine_event(struct scripts *f, const struct tree_script *v)
{
	f->where = "a command";
	switch (v->form) {
	case SCRIPT_TEXT:
		examine(f, v, v->what, strlen(v->what));
		break;
	case SCRIPT_FILE:
	case SCRIPT_DECLARED:
		examine_file(f, v);
		break;
	case SCRIPT_STEP:
		f->binds |= strcmp(v->what, VARIABLES_NONE) == 0;
		if (strcmp(v->what, VARIABLES_MOST) == 0)
			add_all(f);
		else
			add_use(f, v->what);
		break;
	case SCRIPT_READS_STDIN:
		/* A script's own pipe is another file. */
		if (v->identity && v->identity == f->k->start->streams.stdin_identity)
			script_refuse(f->k, v->what, "standard input");
		break;
	default:
		break;
	}
}

/* A wrapper may use more of an answer than the type: a size, a mode. */
static void mark_looked(struct scripts *f, struct tree_file *file)
{
	unsigned type = 0;

	if (file->flags & (TREE_MADE | TREE_READ | TREE_UNLINKED | TREE_DENIED) ||
	    !(file->flags & TREE_PRESENT))
		return;
	if (probe_present(&f->k->start->prober, file->path, &type) == 0 && type == S_IFREG)
		file->flags |= TREE_READ | (sys_access(file->path, X_OK) == 0 ? TREE_RUN : 0);
}

/* Files that no script's text shows. */
static void examine_others(struct scripts *f, struct tree_file *file)
{
	/* Its name is random, and it holds the time of a text. */
	if (file->flags & TREE_MADE && strstr(file->path, ".pyc"))
		script_refuse(f->k, file->path, "was made: set PYTHONDONTWRITEBYTECODE=1");
	if (file->flags & TREE_LOOKED)
		mark_looked(f, file);
}

struct scripts *judge_scripts_read(struct collect *k)
{
	struct tree *t = k->t;
	struct scripts *f;

	if (!t->script_count)
		return NULL;
	f = arena_alloc(&k->start->arena, sizeof *f);
	if (!f) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return NULL;
	}
	f->k = k;
	for (size_t i = 0; i < t->script_count && k->reason == REASON_NONE; i++)
		examine_event(f, &t->script[i]);
	for (size_t i = 0; i < t->count && k->reason == REASON_NONE; i++)
		examine_others(f, &t->file[i]);
	if (f->binds)
		k->start->verdict.names_exact = k->start->verdict.scripts_see_names = k->bound = 1;
	return f;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int is_spec(const char *use)
{
	return strchr(use, '*') || strcmp(use, VARIABLES_MOST) == 0 ||
	       strcmp(use, VARIABLES_NONE) == 0;
}

/* The environment as a whole holds every variable but these. */
static int held_by_environment(const struct scripts *f, const struct invocation *call,
                               const char *name)
{
	const char *value = invocation_env(call, name);

	return f->most && !varying(name, value ? value : "");
}

void collect_scripts(struct collect *k, const struct scripts *found)
{
	const char **used;

	if (!found)
		return;
	used = sort_stable(&k->start->arena, found->used, found->count, sizeof *used, by_text);
	if (!used && found->count)
		k->reason = REASON_UNSTORED_INPUTS_MANY;
	else if (found->binds)
		collect_pwd(k);
	for (size_t i = 0; i < found->count && k->reason == REASON_NONE; i++)
		if (is_spec(used[i]))
			collect_variables(k, used[i]);
		else if (strcmp(used[i], "PWD") != 0 &&
		         !held_by_environment(found, &k->start->call, used[i]))
			collect_variable(k, used[i]);
}
