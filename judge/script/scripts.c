/* judge/script/scripts.c - reads the scripts between a tool and its compiler. */
#include "judge/script/scripts.h"

#include <string.h>

#include "judge/input/input.h"
#include "judge/script/variables.h"
#include "judge/start.h"
#include "shim/kernel/sys.h"
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
#define BASH_OTHERS "POSIXLY_CORRECT\0EXECIGNORE\0GLOBIGNORE\0" \
	"LANG\0LANGUAGE\0LC_ALL\0LC_CTYPE\0LC_MESSAGES\0"
#define BASH_FUNCTION "BASH_FUNC_"
#define BASH_OWN "BASH*"
/* bash calls this function where it finds no program. */
#define BASH_NOT_FOUND "command_not_found_handle"

struct scripts {
	struct collect *k;
	const char **name;      /* of variables */
	size_t names, name_cap;
	const char **pattern;   /* specs of judge/script/variables.h */
	size_t patterns, pattern_cap;
	const char *where;      /* the script that is read */
	int bash;               /* it is one of bash */
	int most;               /* a script may use any variable */
	int binds;              /* a script may look at the names in its arguments */
	int cwd;                /* ... or at the working directory's */
};

static void add_text(struct scripts *f, const char ***list, size_t *count, size_t *cap,
                     const char *text)
{
	struct arena *a = &f->k->start->arena;
	const char **v;

	for (size_t i = 0; i < *count; i++)
		if (strcmp((*list)[i], text) == 0)
			return;
	v = arena_grow(a, *list, *count, cap, sizeof *v, 16);
	text = arena_strdup(a, text);
	if (!v || !text) {
		f->k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	*list = v;
	v[(*count)++] = text;
}

static void add_name(struct scripts *f, const char *name)
{
	add_text(f, &f->name, &f->names, &f->name_cap, name);
}

static void add_pattern(void *ctx, const char *pattern)
{
	struct scripts *f = ctx;

	if (strchr(pattern, '*') || strcmp(pattern, VARIABLES_MOST) == 0)
		add_text(f, &f->pattern, &f->patterns, &f->pattern_cap, pattern);
	else
		add_name(f, pattern);
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
		add_name(f, copy);
	else
		f->k->reason = REASON_UNSTORED_INPUTS_MANY;
}

static int is_function(const char *name, const char *what, size_t n)
{
	return strncmp(name, what, n) == 0 && strchr("%=(", name[n]);
}

/* A function that the environment brings replaces a command of bash. */
static void use_command(void *ctx, const char *command, size_t n)
{
	struct scripts *f = ctx;

	for (char *const *e = f->k->start->call.envp; f->bash && *e; e++) {
		const char *name = *e + sizeof BASH_FUNCTION - 1;

		if (strncmp(*e, BASH_FUNCTION, sizeof BASH_FUNCTION - 1) == 0 &&
		    (is_function(name, command, n) || memchr(name, '/', strcspn(name, "%=(")) ||
		     is_function(name, BASH_NOT_FOUND, sizeof BASH_NOT_FOUND - 1)))
			refuse(f, "a function of bash has the name of a command");
	}
}

static void use_bash(struct scripts *f)
{
	for (const char *name = BASH_MORE; *name; name += strlen(name) + 1) {
		const char *value = invocation_env(&f->k->start->call, name);

		add_name(f, name);
		if (value && *value)
			refuse(f, arena_cat(&f->k->start->arena, name, " is set: unset it", NULL));
	}
	for (const char *name = BASH_OTHERS; *name; name += strlen(name) + 1)
		add_name(f, name);
	add_pattern(f, BASH_OWN);
}

static void examine(struct scripts *f, const struct tree_script *v, const char *text, size_t n)
{
	struct shell_found found = {use_variable, use_command, f, 0, 0};
	const char *why;

	if (!proof_on(&f->k->start->set, PROOF_SCRIPTS)) {
		f->k->reason = REASON_UNSTORED_SCRIPT;
		start_detail(f->k->start, "%s: the proof %s is off", path_base(f->where),
		             proof_name(PROOF_SCRIPTS));
		return;
	}
	proof_always(&f->k->start->proofs, PROOF_SCRIPTS);
	f->bash = v->language == SCRIPT_BASH;
	if (f->bash)
		use_bash(f);
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
	if (!found.passes && v->form == SCRIPT_FILE)
		f->binds = f->cwd = 1;
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
		f->most = f->binds = f->cwd = 1;
	if (!file || file->flags & TREE_MADE) {
		refuse(f, file ? "was made by the run"
		          : declared ? "is declared, but the run did not read it"
		          : "cannot be read as a script");
		return;
	}
	text = script_read(f->k, file->path, &n);
	if (!text)
		return;
	if (!declared) {
		examine(f, v, text, n);
		file->flags &= ~(unsigned)TREE_BY_SHELL;
	} else if (!memchr(text, 0, n)) {
		varying_named(text, add_pattern, f);
	}
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
		if (strcmp(v->what, VARIABLES_NONE) == 0)
			f->binds = 1;
		else if (strcmp(v->what, VARIABLES_MOST) == 0)
			f->most = f->binds = f->cwd = 1;
		else
			add_pattern(f, v->what);
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
	if (file->flags & TREE_BY_SHELL && !(file->flags & TREE_MADE))
		script_refuse(f->k, file->path, "is sourced by a shell script");
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
		k->start->verdict.names_exact = k->start->verdict.scripts_see_names = 1;
	if (f->binds || f->cwd)
		k->bound = 1;
	return f;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void add_environment(struct collect *k, const char *spec)
{
	struct input *in = collect_input(k, INPUT_VARIABLES);
	struct variables v;

	if (!in)
		return;
	if (judge_variables(k->start, spec, &v) < 0) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	in->spec = spec;
	in->spec_len = strlen(spec);
	in->value = v.digest;
	in->names = v.name;
	in->name_count = v.count;
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
	struct arena *a = &k->start->arena;
	const char **names, **patterns;

	if (!found)
		return;
	names = sort_stable(a, found->name, found->names, sizeof *names, by_text);
	patterns = sort_stable(a, found->pattern, found->patterns, sizeof *patterns, by_text);
	if ((!names && found->names) || (!patterns && found->patterns)) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	for (size_t i = 0; i < found->names && k->reason == REASON_NONE; i++)
		if (strcmp(names[i], "PWD") != 0 &&
		    !held_by_environment(found, &k->start->call, names[i]))
			collect_variable(k, names[i]);
	if (found->cwd && k->reason == REASON_NONE)
		collect_pwd(k);
	for (size_t i = 0; i < found->patterns && k->reason == REASON_NONE; i++)
		add_environment(k, patterns[i]);
	if (found->most && k->reason == REASON_NONE)
		add_environment(k, VARIABLES_MOST);
	if (found->binds && k->reason == REASON_NONE)
		add_environment(k, VARIABLES_NONE);
}
