/* judge/python.c - reads scripts in Python and all that they import. */
#include "judge/python.h"

#include <limits.h>
#include <string.h>

#include "judge/generated.h"
#include "judge/script_file.h"
#include "judge/tree_file.h"
#include "shim/path.h"
#include "tools/python_argument.h"
#include "tools/python_start.h"
#include "tools/python_text.h"

#include "shim/banned.h"

/* More interpreters in one action are none of a wrapper's. */
#define PROGRAMS_MAX 8

struct list {
	const char **v;
	size_t count, cap;
};

struct python_scripts {
	struct collect *k;
	const char *program[PROGRAMS_MAX];
	size_t programs;
	struct list main;     /* paths */
	struct list helper;   /* names of modules that texts import */
	struct list read;     /* such names whose texts were read */
	struct list module;   /* paths of these texts */
	struct list variable;
};

static int has(const struct list *l, const char *text)
{
	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->v[i], text) == 0)
			return 1;
	return 0;
}

static void add(struct python_scripts *p, struct list *l, const char *text)
{
	struct arena *a = &p->k->start->arena;
	const char **v;

	if (has(l, text))
		return;
	v = arena_grow(a, l->v, l->count, &l->cap, sizeof *v, 16);
	text = arena_strdup(a, text);
	if (!v || !text) {
		p->k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	l->v = v;
	v[l->count++] = text;
}

static void add_variable(void *ctx, const char *name)
{
	struct python_scripts *p = ctx;

	add(p, &p->variable, name);
}

static void add_helper(void *ctx, const char *name)
{
	struct python_scripts *p = ctx;

	add(p, &p->helper, name);
}

struct python_scripts *python_begin(struct collect *k)
{
	struct python_scripts *p = arena_alloc(&k->start->arena, sizeof *p);

	if (!p) {
		k->reason = REASON_UNSTORED_INPUTS_MANY;
		return NULL;
	}
	p->k = k;
	return p;
}

static void examine(struct python_scripts *p, const char *path, const char *text, size_t n,
                    int imported)
{
	struct python_found found = {add_variable, add_helper, p};
	const char *why = memchr(text, 0, n) ? "cannot be read as a script"
	                                     : python_text(text, imported, &found,
	                                                   &p->k->start->arena);

	if (!why && judge_generates(p->k->t)) {
		struct python_tokens t = {0};

		python_tokens(&t, text, &p->k->start->arena);
		if (python_looks_into_arguments(&t, imported, &p->k->start->arena))
			why = "may take letters of a generated name in its arguments";
	}
	if (why)
		script_refuse(p->k, path, why);
}

void python_main(struct python_scripts *p, const char *path, const char *text, size_t n,
                 const char *program)
{
	size_t i = 0;

	while (i < p->programs && strcmp(p->program[i], program) != 0)
		i++;
	if (i == PROGRAMS_MAX) {
		script_refuse(p->k, path, "many interpreters");
		return;
	}
	p->program[i] = program;
	p->programs += i == p->programs;
	add(p, &p->main, path);
	examine(p, path, text, n, 0);
}

/* A file that site.py runs. For a compiled form, the text beside it is examined. */
static void examine_site(struct python_scripts *p, const char *path)
{
	char source[PATH_SIZE];
	const char *text = NULL;
	size_t n = 0;

	if (python_source(path, source, sizeof source) == 0)
		text = script_read(p->k, source, &n);
	if (!text || !python_site_known(text, n))
		script_refuse(p->k, path, "runs at each start of Python, and is not known");
}

static void examine_paths(struct python_scripts *p, const char *path)
{
	size_t n = 0, len = 0;
	const char *text = script_read(p->k, path, &n);

	if (text && (memchr(text, 0, n) || python_paths_run(text, &len)))
		script_refuse(p->k, path, "a line of it is a program that is not known");
}

static void examine_module(struct python_scripts *p, const char *path, int last)
{
	const char *base = path_base(path);
	char name[NAME_MAX + 1];
	size_t n = strlen(base) - sizeof ".py" + 1;
	const char *text;

	memcpy(name, base, n);
	name[n] = '\0';
	if (has(&p->module, path))
		return;
	if (!has(&p->helper, name)) {
		if (last)
			script_refuse(p->k, path, "is imported, and no script names it");
		return;
	}
	add(p, &p->module, path);
	add(p, &p->read, name);
	text = script_read(p->k, path, &n);
	if (text)
		examine(p, path, text, n, 1);
}

/* 1: `import x` may have loaded the file. */
static int is_helper(const struct python_scripts *p, const char *path)
{
	const char *base = path_base(path);

	for (size_t i = 0; i < p->helper.count; i++) {
		size_t n = strlen(p->helper.v[i]);

		if (strncmp(base, p->helper.v[i], n) == 0 && base[n] == '.')
			return 1;
	}
	return 0;
}

static void examine_data(struct python_scripts *p, const char *path)
{
	size_t n = 0;
	const char *text = script_read(p->k, path, &n);
	if (text && python_archive(text, n))
		script_refuse(p->k, path, "may be an archive of modules");
}

/* What kind a file is for all interpreters: its library is one's alone. */
static enum python_file kind_of(const struct python_scripts *p, const char *path)
{
	enum python_file kind = PYTHON_FILE_DATA;

	for (size_t i = 0; i < p->programs; i++) {
		kind = python_file(p->program[i], path);
		if (kind == PYTHON_FILE_LIBRARY || kind == PYTHON_FILE_SITE)
			break;
	}
	return kind;
}

static void examine_file(struct python_scripts *p, const struct tree_file *f, int last)
{
	enum python_file kind = kind_of(p, f->path);
	int made = f->flags & TREE_MADE;

	/* A module may be called as a library of machine code is. No trace shows that it is loaded
	 * where the script becomes another program, but that the interpreter looked for it. */
	if (kind == PYTHON_FILE_DATA && is_helper(p, f->path) && strstr(path_base(f->path), ".so"))
		kind = PYTHON_FILE_OBJECT;
	if (kind == PYTHON_FILE_OBJECT && f->flags & TREE_LOOKED && f->flags & TREE_PRESENT &&
	    !made) {
		script_refuse(p->k, f->path, "may be a module of machine code");
		return;
	}
	/* Its name is random, and it holds the time of the text. */
	if (made && strstr(f->path, ".pyc")) {
		script_refuse(p->k, f->path, "was made: PYTHONDONTWRITEBYTECODE=1 prevents it");
		return;
	}
	if (!(f->flags & TREE_PYTHON) || (kind == PYTHON_FILE_DATA && (!f->opens || made)) ||
	    (has(&p->main, f->path) && !is_helper(p, f->path)))
		return;
	if (made && kind != PYTHON_FILE_LIBRARY) {
		script_refuse(p->k, f->path, "was made by the run");
		return;
	}
	if (!last && kind != PYTHON_FILE_SOURCE)
		return;
	switch (kind) {
	case PYTHON_FILE_SITE:
	case PYTHON_FILE_HACK: examine_site(p, f->path); break;
	case PYTHON_FILE_PATHS: examine_paths(p, f->path); break;
	case PYTHON_FILE_SOURCE: examine_module(p, f->path, last); break;
	case PYTHON_FILE_COMPILED:
		script_refuse(p->k, f->path, "only the compiled form was read: remove it");
		break;
	case PYTHON_FILE_OBJECT:
		script_refuse(p->k, f->path, "a module of machine code");
		break;
	case PYTHON_FILE_DATA: examine_data(p, f->path); break;
	default: break;
	}
}

/* A text may import further ones. */
static void examine_files(struct python_scripts *p)
{
	size_t before;
	int last = 0;

	do {
		before = p->module.count;
		for (size_t i = 0; i < p->k->t->count && p->k->reason == REASON_NONE; i++)
			examine_file(p, &p->k->t->file[i], last);
		last = before == p->module.count && !last;
	} while (p->k->reason == REASON_NONE && (before != p->module.count || last));
}

int python_end(struct python_scripts *p, void (*variable)(void *ctx, const char *name), void *ctx)
{
	if (!p->main.count)
		return 0;
	examine_files(p);
	for (size_t i = 0; i < p->helper.count; i++)
		if (!has(&p->read, p->helper.v[i]))
			script_refuse(p->k, p->helper.v[i],
			              "is imported, and its text was not read");
	for (const char *name = python_variables; *name; name += strlen(name) + 1)
		variable(ctx, name);
	for (size_t i = 0; i < p->variable.count; i++)
		variable(ctx, p->variable.v[i]);
	return 1;
}
