/* judge/scripts.c - reads the scripts between a tool and its compiler. */
#include "judge/scripts.h"

#include <string.h>

#include "judge/environment.h"
#include "judge/generated.h"
#include "judge/pwd.h"
#include "judge/perl.h"
#include "judge/python.h"
#include "judge/script_file.h"
#include "judge/start.h"
#include "judge/tree_file.h"
#include "judge/variables.h"
#include "shim/sort.h"
#include "shim/sys.h"
#include "shim/trace.h"
#include "tools/script.h"
#include "tools/script_eval.h"
#include "tools/script_words.h"
#include "tools/shell.h"
#include "tools/shell_argument.h"
#include "tools/varying.h"

#include "shim/banned.h"

/* bash takes these when it starts. A variable of this form is a function. */
#define BASH_VARIABLES "BASH_ENV\0SHELLOPTS\0BASHOPTS\0POSIXLY_CORRECT\0BASH_COMPAT\0" \
	"BASH_XTRACEFD\0GLOBIGNORE\0EXECIGNORE\0FUNCNEST\0TMOUT\0"
#define BASH_FUNCTION "BASH_FUNC_"
#define BASH_FUNCTIONS BASH_FUNCTION "*"

struct scripts {
	struct collect *k;
	const char **name;      /* of variables */
	size_t names, name_cap;
	const char **pattern;   /* specs of judge/variables.h */
	size_t patterns, pattern_cap;
	const char **text;      /* without comments, all that was read */
	size_t texts, text_cap;
	const char **function;  /* bash's, by their variables, all that were examined */
	size_t functions, function_cap;
	struct python_scripts *python;
	int bash;               /* a text is one of bash */
	int most;               /* a script may use any variable */
	int binds;              /* a script may look at the names in its arguments */
	int cwd;                /* a script may look at the working directory's name */
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

static void add_name(void *ctx, const char *name)
{
	struct scripts *f = ctx;

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

static void use_all(struct scripts *f)
{
	f->most = 1;
	add_pattern(f, VARIABLES_ALL);
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
	if (n == 0 || n >= sizeof path || text[blank] != '/')
		return;
	memcpy(path, text + blank, n);
	path[n] = '\0';
	if (sys_access(path, X_OK) < 0) /* the script was started by another program */
		return;
	file = tree_file_of(f->k->t, path, n, 0);
	if (file && !(file->flags & TREE_MADE))
		file->flags |= TREE_READ | TREE_RUN;
}

static void add_bash(struct scripts *f)
{
	f->bash = 1;
	for (const char *name = BASH_VARIABLES; *name; name += strlen(name) + 1)
		add_name(f, name);
	add_pattern(f, BASH_FUNCTIONS);
}

static void keep_text(struct scripts *f, const char *text)
{
	const char **v = arena_grow(&f->k->start->arena, f->text, f->texts, &f->text_cap,
	                            sizeof *v, 16);

	if (!v) {
		f->k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	f->text = v;
	v[f->texts++] = text;
}

/* 1: eval may run a text of the environment that asks for what no trace shows. */
static int brings_words(const struct start *s)
{
	for (char *const *e = s->call.envp; *e; e++) {
		const char *value = strchr(*e, '=');

		/* No variable is called so; bash's functions are texts of their own. */
		if (value && !memchr(*e, '%', (size_t)(value - *e)) &&
		    (script_asks(value + 1) || script_races(value + 1, 0) ||
		     !script_eval_is_plain((const char *[]){value + 1}, 1)))
			return 1;
	}
	return 0;
}

static int ran(void *ctx, const char *program)
{
	const struct tree *t = ctx;

	for (size_t i = 0; i < t->process_count; i++)
		if (strcmp(t->process[i].program, program) == 0)
			return 1;
	return 0;
}

/* where: for people. */
static void examine(struct scripts *f, enum script_language l, const char *where, const char *text,
                    size_t n, int is_file)
{
	char *clean = arena_alloc(&f->k->start->arena, n + 1);
	const char *word;

	if (!clean || memchr(text, 0, n)) {
		script_refuse(f->k, where, "cannot be read as a script");
		return;
	}
	script_clean(text, n, clean);
	word = script_asks(clean);
	if (!word)
		word = script_races(clean, l == SCRIPT_BASH);
	if (!word && script_evaluates(clean) && brings_words(f->k->start))
		word = "eval";
	if (word) {
		script_refuse(f->k, where, word);
		return;
	}
	if (l == SCRIPT_BASH)
		add_bash(f);
	if (is_file && !shell_passes_arguments(clean)) {
		struct arena *a = &f->k->start->arena;

		f->binds = 1;
		word = judge_generates(f->k->t)
		               ? shell_looks_into_arguments(clean, ran, f->k->t, a) : NULL;
		if (word)
			script_refuse(f->k, where, arena_cat(a, word,
			              " may take letters of a generated name", NULL));
	}
	if (strstr(clean, "PWD") || strstr(clean, "pwd"))
		f->cwd = 1;
	if (shell_variables(clean, add_name, f) < 0)
		f->most = f->binds = f->cwd = 1;
	/* -x may be an option of the shell. */
	if (is_file)
		add_name(f, "PS4");
	keep_text(f, clean);
	if (script_lists_variables(clean) || script_composes(clean))
		use_all(f);
}

/* The functions that the environment brings, and that the text may call. */
static void examine_functions(struct scripts *f, const char *text)
{
	for (char *const *e = f->k->start->call.envp; *e; e++) {
		const char *name = *e + sizeof BASH_FUNCTION - 1, *body = strchr(*e, '=');
		size_t before = f->functions;

		if (strncmp(*e, BASH_FUNCTION, sizeof BASH_FUNCTION - 1) != 0 || !body ||
		    !shell_has_word(text, name, strcspn(name, "%=(")))
			continue;
		add_text(f, &f->function, &f->functions, &f->function_cap, *e);
		if (f->functions > before)
			examine(f, SCRIPT_BASH, "a function of bash", body + 1, strlen(body + 1),
			        1);
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

/* It may look at each of its arguments, as one in Python. */
static void examine_perl(struct scripts *f, struct tree_file *file, const char *text, size_t n)
{
	perl_main(f->k, file, text, n, add_pattern, f);
	f->binds = f->cwd = 1;
}

static void examine_script(struct scripts *f, const struct tree_script *v)
{
	struct tree_file *file;
	size_t n = 0;
	char *text;

	if (v->form == SCRIPT_TEXT) {
		examine(f, v->language, "a command", v->what, strlen(v->what), 0);
		return;
	}
	file = file_of(f, v->what);
	if (!file || file->flags & TREE_MADE) {
		script_refuse(f->k, v->what,
		              file ? "was made by the run" : "cannot be read as a script");
		return;
	}
	text = script_read(f->k, file->path, &n);
	if (!text)
		return;
	if (v->language == SCRIPT_PYTHON)
		python_main(f->python, file->path, text, n, v->program);
	else if (v->language == SCRIPT_PERL)
		examine_perl(f, file, text, n);
	else
		examine(f, v->language, file->path, text, n, 1);
	file->language = SCRIPT_NONE;
	add_interpreter(f, text);
}

/* What a step says of its own scripts, and what env prints. */
static void examine_event(struct scripts *f, const struct tree_script *v)
{
	switch (v->form) {
	case SCRIPT_TEXT:
	case SCRIPT_FILE:
		examine_script(f, v);
		break;
	case SCRIPT_SHOWS:
		use_all(f);
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

/* 1: a text that a shell took in: each file that it opened. */
static int is_source(const struct tree_file *file)
{
	return !(file->flags & TREE_MADE) && file->language != SCRIPT_NONE && file->opens > 0;
}

/* A script may use more of an answer than the type: a size, a mode. */
static void mark_looked(struct scripts *f, struct tree_file *file)
{
	unsigned type = 0;

	if (file->flags & (TREE_MADE | TREE_READ | TREE_UNLINKED | TREE_DENIED) ||
	    !(file->flags & TREE_PRESENT))
		return;
	if (probe_present(&f->k->start->prober, file->path, &type) == 0 && type == S_IFREG)
		file->flags |= TREE_READ | (sys_access(file->path, X_OK) == 0 ? TREE_RUN : 0);
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
	f->python = python_begin(k);
	if (!f->python)
		return NULL;
	for (size_t i = 0; i < t->script_count && k->reason == REASON_NONE; i++)
		examine_event(f, &t->script[i]);
	for (size_t i = 0; i < t->count && k->reason == REASON_NONE; i++) {
		struct tree_file *file = &t->file[i];
		size_t n = 0;
		char *text = is_source(file) ? script_read(f->k, file->path, &n) : NULL;

		if (text)
			examine(f, file->language, file->path, text, n, 1);
		if (file->flags & TREE_LOOKED)
			mark_looked(f, file);
	}
	if (python_end(f->python, add_pattern, f))
		f->binds = f->cwd = 1;
	perl_end(k);
	/* A function's text is one more. */
	for (size_t i = 0; i < f->texts && f->bash && k->reason == REASON_NONE; i++)
		examine_functions(f, f->text[i]);
	if (k->reason == REASON_NONE && !script_eval_is_plain(f->text, f->texts))
		script_refuse(k, "the scripts", "eval of what a program printed");
	/* Any of the texts may hold a name that another one expands. */
	for (size_t i = 0; i < f->texts && f->most; i++)
		varying_named(f->text[i], add_pattern, f);
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
static int held_by_environment(const struct scripts *f, struct start *s, const char *name)
{
	const char *value = invocation_env(&s->call, name);

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
		    !held_by_environment(found, k->start, names[i]))
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
