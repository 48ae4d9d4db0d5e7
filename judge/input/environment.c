/* judge/input/environment.c - the inputs of a result that are not files: variables, PATH, the
 * working directory. */
#include "judge/input/input.h"

#include <unistd.h>

#include "judge/script/variables.h"
#include "shim/trace.h"
#include "tools/chance.h"
#include "tools/cmdline/cmdline.h"
#include "tools/crates.h"
#include "tools/object/sections.h"

#include "shim/banned.h"

void collect_variable(struct collect *k, const char *name)
{
	struct start *s = k->start;
	const char *ours = invocation_env(&s->call, name);
	struct buf spec = BUF_INIT(&s->arena);
	struct input *in = collect_input(k, INPUT_ENV);

	if (!in)
		return;
	in->spec = name;
	in->spec_len = strlen(name);
	in->type = ours != NULL;
	if (!ours)
		return;
	names_env(&s->names, ours, tool_env_quotes(name), &spec);
	digest_of(&in->value, spec.data, spec.len);
	in->text_len = strlen(ours) < 256 ? strlen(ours) : 256;
	in->text = arena_memdup(&s->arena, ours, in->text_len);
}

static int runs_code(const struct collect *k, const struct tree_file *f)
{
	return f->flags & TREE_READ &&
	       crates_run(k->start->row, &k->start->cmd, k->start->call.cwd, f->path);
}

/* Code that is no part of the tool may take variables without a call. It may also walk a hash table
 * by numbers that another library has drawn. */
static void add_whole(struct collect *k)
{
	int runs = 0;

	for (size_t i = 0; i < k->t->count && (!runs || k->t->shared_seed); i++) {
		const char *path = k->t->file[i].path;

		if (!runs_code(k, &k->t->file[i]))
			continue;
		runs = 1;
		if (k->t->shared_seed && !chance_library_harmless(path, CHANCE_SEED)) {
			collect_refuse(k, REASON_UNSTORED_RANDOM, path);
			return;
		}
	}
	if (!runs)
		return;
	collect_pwd(k);
	collect_variables(k, VARIABLES_ALL);
}

void collect_environment(struct collect *k)
{
	struct start *s = k->start;

	for (size_t i = 0; i < k->t->env_count && k->reason == REASON_NONE; i++) {
		const struct tree_env *e = &k->t->env[i];
		const char *ours = invocation_env(&s->call, e->name);

		if (tool_env_ignored(s->row, e->name))
			continue;
		if (strcmp(e->name, "PWD") == 0) {
			if (!(s->cmd.flags & CMD_CWD_FREE))
				collect_pwd(k);
			continue;
		}
		/* The tree itself set this value: a consequence, not an input. */
		if ((ours == NULL) != (e->value == NULL) || (ours && strcmp(ours, e->value) != 0))
			continue;
		collect_variable(k, e->name);
	}
	if (k->reason == REASON_NONE)
		add_whole(k);
}

/* 1: an argument or a variable of the tool holds the path: as one to be searched, it may matter. */
static int is_spelled(const struct start *s, const char *path)
{
	if (cmdline_holds(&s->cmd, path))
		return 1;
	for (const char *name = s->row->env; *name; name += strlen(name) + 1) {
		const char *value = invocation_env(&s->call, name);

		if (value && strstr(value, path))
			return 1;
	}
	return 0;
}

/* 1: the tree used the directory for temporary files, and asked of it only whether it may. */
static int holds_temporary(struct start *s, struct tree *t, const char *path)
{
	const unsigned all = TRACE_ASKED(R_OK | W_OK | X_OK) | TRACE_GRANTED(R_OK | W_OK | X_OK);
	const unsigned more = TREE_LISTED | TREE_LINK | TREE_REAL | TREE_READ | TREE_MADE |
	                      TREE_UNLINKED;
	const struct tree_file *f = tree_find(t, path);

	if (!f || f->flags & more || f->permissions != all || is_spelled(s, path))
		return 0;
	for (size_t i = 0; i < t->env_count; i++)
		for (size_t v = 0; v < TEMPORARY_VARIABLES; v++)
			if (t->env[i].value && strcmp(t->env[i].value, path) == 0 &&
			    strcmp(t->env[i].name, temporary_variable(v)) == 0)
				return 1;
	return strcmp(path, "/tmp") == 0;
}

/* A job's own directory is gone in the next job. Where the names of its files reach nothing, any
 * other directory serves as well. */
static void drop_temporary(struct start *s, struct tree *t, struct candidate *c)
{
	size_t kept = 0;

	/* A script may look at it as well. */
	if (t->script_count)
		return;
	for (size_t i = 0; i < c->count; i++) {
		const struct input *in = &c->v[i];
		const char *path = in->kind == INPUT_PRESENT
		                   ? names_resolve(&s->names, in->spec, in->spec_len, &s->arena)
		                   : NULL;

		if (!path || !holds_temporary(s, t, path))
			c->v[kept++] = *in;
	}
	c->count = kept;
}

enum reason judge_temporary(struct start *s, struct tree *t, struct candidate *c,
                            const struct result *r)
{
	struct collect k = {.start = s, .t = t, .c = c, .cap = c->count};
	struct temporary seen;

	if (!temporary_begin(&seen, s->row, &s->cmd)) {
		if (temporary_elsewhere(&seen))
			drop_temporary(s, t, c);
		return REASON_NONE;
	}
	for (size_t i = 0; i < t->env_count; i++)
		temporary_read(&seen, t->env[i].name, t->env[i].value);
	if (!temporary_possible(&seen))
		return REASON_NONE;
	for (size_t i = 0; i < r->out_count; i++)
		temporary_look(&seen, r->out[i].data, r->out[i].len, 0);
	for (size_t i = 0; i < r->chunk_count; i++)
		temporary_look(&seen, r->chunk[i].data, r->chunk[i].len, 1);
	for (size_t v = 0; v < TEMPORARY_VARIABLES; v++)
		if (seen.named && seen.read >> v & 1)
			collect_variable(&k, temporary_variable(v));
	if (seen.search)
		collect_variable(&k, "PATH");
	if (temporary_elsewhere(&seen))
		drop_temporary(s, t, c);
	return k.reason;
}

void collect_searches(struct collect *k)
{
	const char **names = arena_alloc(&k->start->arena, JUDGE_SEARCHES_MAX * sizeof *names);
	int count = names ? judge_searches(&k->start->call, k->t, names, &k->start->arena) : -1;

	if (count < 0)
		k->reason = REASON_UNSTORED_INPUTS_MANY;
	/* libc and shells search directories of their own then, which are no PATH's. */
	if (!invocation_env(&k->start->call, "PATH"))
		collect_variable(k, "PATH");
	for (int i = 0; i < count; i++) {
		const char *found = judge_search(&k->start->call, names[i], &k->start->arena);
		struct input *in = found ? collect_input(k, INPUT_SEARCH) : NULL;

		if (!in)
			return;
		in->spec = names[i];
		in->spec_len = strlen(names[i]);
		collect_text(k, in, found);
	}
}

void collect_cwd(struct collect *k)
{
	struct buf spec = BUF_INIT(&k->start->arena);
	struct input *in;

	if (!k->bound && k->start->cmd.flags & CMD_CWD_FREE &&
	    proof_on(&k->start->set, PROOF_NAMES))
		return;
	in = collect_input(k, INPUT_CWD);
	if (!in)
		return;
	names_path(&k->start->names, k->start->call.cwd, &spec);
	digest_of(&in->value, spec.data, spec.len);
	in->text_len = spec.len;
	buf_u8(&spec, 0);
	in->text = spec.failed ? "" : (const char *)spec.data;
}

/* 1: a string of the output ends with the directory. Assemblers enter the directory for a .loc in
 * assembler text, and no option shows that. */
static int holds_directory(const struct result_output *o, const char *dir)
{
	return memmem(o->data, o->len, dir, strlen(dir) + 1) != NULL;
}

static int has_cwd(const struct candidate *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].kind == INPUT_CWD)
			return 1;
	return 0;
}

enum reason judge_cwd(struct start *s, struct tree *t, struct candidate *c, const struct result *r)
{
	struct collect k = {.start = s, .t = t, .c = c, .cap = c->count};
	const char *pwd = judge_pwd(s);
	int holds = 0;

	/* A link of objects whose names are known assembles nothing. */
	if (!(s->cmd.flags & CMD_CWD_FREE) || s->cmd.flags & CMD_DEBUG_ANYWHERE ||
	    s->row->flags & TOOL_NAME_FREE || s->text)
		return REASON_NONE;
	for (size_t i = 0; i < r->out_count && !holds; i++)
		holds = holds_directory(&r->out[i], s->call.cwd) ||
		        (*pwd && holds_directory(&r->out[i], pwd)) ||
		        sections_hide_names(r->out[i].data, r->out[i].len);
	if (!holds)
		return REASON_NONE;
	/* With either spelling of the directory: the next start may use the other spelling. */
	collect_pwd(&k);
	k.bound = 1;
	if (!has_cwd(c))
		collect_cwd(&k);
	return k.reason;
}
