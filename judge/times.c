/* judge/times.c - sizes and times of files that a tool enters into its output or compares. */
#include "judge/times.h"

#include <string.h>

#include "judge/tree_file.h"
#include "tools/driver.h"
#include "tools/text_kind.h"

#include "shim/banned.h"

void collect_times(struct collect *k, const char *path, int relative, const struct statx *st)
{
	struct input *in = collect_input(k, INPUT_STAT);

	if (!in)
		return;
	in->size = st->stx_size;
	in->mtime_ns = times_ns(&st->stx_mtime);
	collect_spec(k, in, path, relative);
}

/* clang's precompiled headers and modules hold and check the times of their inputs. ar's archives
 * hold the times of their members. */
int times_matter(const struct collect *k)
{
	if (k->start->cmd.flags & CMD_AR_TIMES)
		return 1;
	if (!(k->start->cmd.flags & CMD_PCH_TIMES))
		return 0;
	if (k->start->cmd.flags & CMD_PCH)
		return 1;
	/* The option counts, not the name of its file. */
	if (driver_names_compiled(&k->start->cmd))
		return 1;
	for (size_t i = 0; i < k->t->count; i++)
		if (k->t->file[i].flags & (TREE_READ | TREE_MADE) &&
		    text_kind_holds_times(k->t->file[i].path))
			return 1;
	return 0;
}

void collect_primary_times(struct collect *k)
{
	const struct primaries *p = &k->start->primaries;

	for (size_t i = 0; i < p->count && k->times; i++)
		collect_times(k, p->v[i].path, p->v[i].path[0] != '/', &p->v[i].st);
}
