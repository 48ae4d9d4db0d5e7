/* judge/object/directory.c - exchanges the working directory in objects and assembly. */
#include "judge/object/directory.h"

#include <string.h>

#include "judge/output/output.h"
#include "judge/text/text.h"
#include "names/bases.h"
#include "tools/cmdline/cmdline.h"
#include "tools/driver.h"
#include "tools/object/debug_strings.h"

#include "shim/banned.h"

/* 1: an argument spells the working directory. */
static int spells_directory(const struct invocation *call, const struct cmdline *cmd)
{
	for (int i = 1; i < call->argc; i++)
		if (strstr(call->argv[i], call->cwd))
			return 1;
	return cmdline_holds(cmd, call->cwd);
}

static int has_name(struct names *names, struct arena *arena, const char *path)
{
	struct buf spec = BUF_INIT(arena);

	names_path(names, path, &spec);
	return spec.failed || memchr(spec.data, NAMES_MARK, spec.len) != NULL;
}

/* 1: the order of the source's name and the directory follows from another name as well. */
static int orders_names(struct start *s)
{
	for (size_t i = 0; i < s->primaries.count; i++)
		if (has_name(&s->names, &s->arena, s->primaries.v[i].path))
			return 1;
	return has_name(&s->names, &s->arena, s->call.cwd);
}

/* 1: only objects and assembly of the command's result hold the working directory, and
 * debug_strings_move() finds it there. */
static int can_move(const struct tool_row *row, const struct cmdline *cmd)
{
	return !(cmd->flags & (CMD_LINK | CMD_PREPROCESS)) && driver_of(row)->lines &&
	       driver_reach(row, cmd, ROLE_CWD) == REACH_LINES;
}

void judge_directory_name(struct start *s)
{
	if (s->cmd.flags & CMD_CWD_FREE || s->names.base_used ||
	    !can_move(s->row, &s->cmd) || spells_directory(&s->call, &s->cmd) ||
	    (s->names.count && orders_names(s)))
		return;
	names_set_base(&s->names, NAME_KIND_DIRECTORY, s->call.cwd, s->call.cwd_len);
}

int judge_directory_differs(const struct name_list *names, const struct candidate *c)
{
	for (size_t i = 0; i < c->name_count; i++) {
		const struct bound_name *was = &c->name[i];
		const struct patch_name *is;

		if (was->kind != NAME_KIND_DIRECTORY)
			continue;
		is = name_list_find(names, was->kind, was->index);
		return !is || is->len != was->len || memcmp(is->text, was->text, is->len) != 0;
	}
	return 0;
}

int judge_directory_moves(struct start *s, const struct candidate *c, const struct result *r)
{
	for (size_t i = 0; i < r->out_count; i++) {
		const struct result_output *o = &r->out[i];
		struct buf out = BUF_INIT(&s->arena);

		if (!judge_is_depfile(s, o, o->data) &&
		    debug_strings_move(s->row, &out, o->data, o->len, s->call.cwd,
		                       s->call.cwd) < 0)
			return 0;
	}
	return !judge_has_assembly(s, c);
}

int judge_has_assembly(struct start *s, const struct candidate *c)
{
	struct texts texts;
	int rc;

	for (size_t i = 0; i < s->primaries.count; i++) {
		const char *dot = strrchr(path_base(s->primaries.v[i].path), '.');

		if (dot && (strcmp(dot, ".s") == 0 || strcmp(dot, ".S") == 0))
			return 1;
	}
	rc = texts_read(&texts, s, c, TEXTS_ALL, 0);
	rc = rc < 0 || texts.assembles;
	texts_free(&texts);
	return rc;
}

enum exchange judge_directory_moved(struct start *s, const struct patch_name *from,
                                    size_t from_count, const struct result_output *o,
                                    const void *data, struct buf *out)
{
	const char *was = NULL, *is = names_base(&s->names, NAME_KIND_DIRECTORY);
	struct patch *others = arena_alloc(&s->arena, (o->patches.count + 1) * sizeof *others);
	size_t count = 0;
	void *named;

	for (size_t i = 0; i < from_count; i++)
		if (from[i].kind == NAME_KIND_DIRECTORY)
			was = from[i].text;
	if (!was || !is || strcmp(was, is) == 0 || !o->patches.count)
		return EXCHANGE_NOT;
	if (!others)
		return EXCHANGE_FAILED;
	for (size_t i = 0; i < o->patches.count; i++)
		if (o->patches.v[i].kind != NAME_KIND_DIRECTORY)
			others[count++] = o->patches.v[i];
	if (count == o->patches.count)
		return EXCHANGE_NOT;
	if (!count)
		return debug_strings_move(s->row, out, data, o->len, was, is) < 0
		               ? EXCHANGE_FAILED : EXCHANGE_OUT;
	/* Other names are exchanged first, at equal length: no offset moves. */
	named = arena_memdup(&s->arena, data, o->len);
	if (!named ||
	    patch_apply(named, o->len, others, count, from, from_count, s->all_names.v,
	                name_list_all(&s->all_names)) < 0)
		return EXCHANGE_FAILED;
	return debug_strings_move(s->row, out, named, o->len, was, is) < 0 ? EXCHANGE_FAILED
	                                                                    : EXCHANGE_OUT;
}
