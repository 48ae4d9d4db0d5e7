/* action/prefix_map.c - OLD of -ffile-prefix-map=OLD=NEW becomes a name. */
#include "action/prefix_map.h"

#include <string.h>

#include "keying/names_bases.h"
#include "shim/buf.h"
#include "tools/driver.h"
#include "tools/prefix_map.h"

#include "shim/banned.h"


/* The letters of the directory and, behind them, another component. A compiler maps such a name
 * too. */
static int is_beside(const char *path, const char *dir, size_t len)
{
	return strncmp(path, dir, len) == 0 && path[len] && path[len] != '/';
}

static size_t count_marks(const struct buf *spec)
{
	size_t count = 0;

	for (size_t i = 0; i + 2 < spec->len; i++)
		if (spec->data[i] == NAMES_MARK) {
			count += spec->data[i + 1] == NAME_KIND_BASE &&
			         spec->data[i + 2] == '0' + NAMES_MAPPED;
			i += spec->data[i + 1] == NAMES_MARK ? 1 : 2;
		}
	return count;
}

/* 1: each place of the directory in the argument is a name, and no path is spelled in a way that
 * hides it. */
static int argument_fits(struct start *s, const char *text)
{
	const struct name *dir = &s->names.mapped;
	struct buf spec = BUF_INIT(&s->arena);
	size_t count = 0;

	if (!strchr(text, '/'))
		return 1;
	if (strstr(text, "//") || strstr(text, "/./"))
		return 0;
	for (const char *p = text; (p = strstr(p, dir->text)) != NULL; p += dir->len)
		count++;
	if (!count)
		return 1;
	names_arg(&s->names, text, 0, &spec);
	return !spec.failed && count_marks(&spec) == count;
}

static int all_fit(struct start *s, const struct prefix_map *m)
{
	const char *pwd = invocation_env(&s->call, "PWD"), *dir = s->names.mapped.text;

	if (is_beside(s->call.cwd, dir, m->len) || (pwd && is_beside(pwd, dir, m->len)))
		return 0;
	if (m->below_only && strcmp(s->call.cwd, dir) == 0 &&
	    driver_reach(s->row, &s->cmd, ROLE_CWD) != 0)
		return 0;
	for (int i = 1; i < s->cmd.count; i++)
		if (!argument_fits(s, s->cmd.v[i].text))
			return 0;
	return 1;
}

void action_prefix_map(struct start *s)
{
	struct prefix_map m;

	if (!s->call.cwd[0] || !driver_of(s->row)->reach_mapped || !prefix_map_find(&m, &s->cmd) ||
	    names_map(&s->names, m.old, m.len) < 0)
		return;
	s->cmd.flags |= m.flags;
	if (all_fit(s, &m))
		return;
	s->cmd.flags &= ~m.flags;
	names_unmap(&s->names);
}
