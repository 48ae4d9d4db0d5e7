/* judge/times.c - sizes and times of files, where a tool enters them into its output or compares
 * them. */
#include "judge/times.h"

#include <string.h>

#include "judge/tree_file.h"
#include "shim/path.h"

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

/* clang's precompiled headers and modules hold and check the times of their inputs; ar's archives
 * those of their members. */
int times_matter(const struct collect *k)
{
	static const char *const holders[] = {".pch", ".gch", ".pcm"};

	if (k->a->cmd.flags & CMD_AR_TIMES)
		return 1;
	if (!(k->a->cmd.flags & CMD_PCH_TIMES))
		return 0;
	if (k->a->cmd.flags & CMD_PCH)
		return 1;
	/* Whatever its file is called. */
	for (int i = 1; i < k->a->cmd.count; i++)
		if (strncmp(k->a->cmd.v[i].text, "-include-pch", 12) == 0 ||
		    strncmp(k->a->cmd.v[i].text, "-fmodule-file=", 14) == 0)
			return 1;
	for (size_t i = 0; i < k->t->count; i++)
		for (size_t h = 0; h < 3; h++)
			if (k->t->file[i].flags & (TREE_READ | TREE_MADE) &&
			    (path_ends(k->t->file[i].path, holders[h]) ||
			     strstr(k->t->file[i].path, ".gch/")))
				return 1;
	return 0;
}

void collect_primary_times(struct collect *k)
{
	for (size_t i = 0; i < k->a->primary_count && k->times; i++)
		collect_times(k, k->a->primary[i].path, k->a->primary[i].path[0] != '/',
		          &k->a->primary[i].st);
}
