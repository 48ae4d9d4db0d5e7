/* judge/directory.c - exchanges the working directory in objects and assembly. */
#include "judge/directory.h"

#include <string.h>

#include "judge/outputs.h"
#include "judge/start.h"
#include "judge/texts.h"
#include "keying/names_bases.h"
#include "tools/driver.h"

#include "shim/banned.h"

static int is_directory(unsigned kind, unsigned index)
{
	return kind == NAME_KIND_BASE && index == NAMES_DIRECTORY;
}

/* 1: an argument spells the working directory. */
static int spells_directory(const struct start *s)
{
	for (int i = 1; i < s->call.argc; i++)
		if (strstr(s->call.argv[i], s->call.cwd))
			return 1;
	for (int i = 1; i < s->cmd.count; i++)
		if (strstr(s->cmd.v[i].text, s->call.cwd))
			return 1;
	return 0;
}

static int has_name(struct start *s, const char *path)
{
	struct buf spec = BUF_INIT(&s->arena);

	names_path(&s->names, path, &spec);
	return spec.failed || memchr(spec.data, NAMES_MARK, spec.len) != NULL;
}

/* 1: the order of the source's name and the directory follows from another name as well. */
static int orders_names(struct start *s)
{
	for (size_t i = 0; i < s->primaries.count; i++)
		if (has_name(s, s->primaries.v[i].path))
			return 1;
	return has_name(s, s->call.cwd);
}

void judge_directory_name(struct start *s)
{
	if (s->cmd.flags & CMD_CWD_FREE || s->names.base_used ||
	    !driver_moves_directory(s->row, &s->cmd) || spells_directory(s) ||
	    (s->names.count && orders_names(s)))
		return;
	names_directory(&s->names, s->call.cwd, s->call.cwd_len);
}

int judge_directory_moves(struct start *s, const struct candidate *c, const struct result *r)
{
	for (size_t i = 0; i < r->out_count; i++) {
		const struct result_output *o = &r->out[i];
		struct buf out = BUF_INIT(&s->arena);

		if (!judge_is_depfile(s, o, o->data) &&
		    driver_move_directory(s->row, &out, o->data, o->len, s->call.cwd,
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

int judge_directory_moved(struct start *s, const struct patch_name *from, size_t from_count,
                          const struct result_output *o, const void *data, struct buf *out)
{
	const char *was = NULL, *is = names_base(&s->names, NAMES_DIRECTORY);
	struct patch *others = arena_alloc(&s->arena, (o->patches.count + 1) * sizeof *others);
	size_t count = 0;
	void *named;

	for (size_t i = 0; i < from_count; i++)
		if (is_directory(from[i].kind, from[i].index))
			was = from[i].text;
	if (!was || !is || strcmp(was, is) == 0 || !o->patches.count)
		return 0;
	if (!others)
		return -1;
	for (size_t i = 0; i < o->patches.count; i++)
		if (!is_directory(o->patches.v[i].kind, o->patches.v[i].index))
			others[count++] = o->patches.v[i];
	if (count == o->patches.count)
		return 0;
	if (!count)
		return driver_move_directory(s->row, out, data, o->len, was, is) < 0 ? -1 : 1;
	/* Other names are exchanged first, at equal length: no offset moves. */
	named = arena_memdup(&s->arena, data, o->len);
	if (!named ||
	    patch_apply(named, o->len, others, count, from, from_count, s->all_names.v,
	                name_list_all(&s->all_names)) < 0)
		return -1;
	return driver_move_directory(s->row, out, named, o->len, was, is) < 0 ? -1 : 1;
}
