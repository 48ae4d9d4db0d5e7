/* judge/aliases.c - compares outputs that have several names, or are links, with the start's other
 * files, and outputs with each other. */
#include "judge/aliases.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "judge/place.h"
#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

/* 1: the file at the path may have another name. *st: of the file itself; 0 in *there: a link that
 * leads to no file. */
static int has_names(const char *path, struct statx *st, int *there)
{
	*there = 1;
	if (sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, st) < 0)
		return 0;
	if (!S_ISLNK(st->stx_mode))
		return st->stx_nlink > 1;
	*there = sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, st) == 0;
	return 1;
}

static int meets_output(const char *const *output, size_t count, size_t i, const struct statx *st)
{
	struct statx other;

	for (size_t k = 0; k < count; k++)
		if (k != i &&
		    sys_statx(AT_FDCWD, output[k], 0, STATX_BASIC_STATS, &other) == 0 &&
		    sys_same_file(&other, st))
			return 1;
	return 0;
}

static int meets_input(struct start *s, const struct candidate *c, const struct statx *st)
{
	struct statx other;

	if (primaries_have_file(&s->primaries, st))
		return 1;
	for (size_t i = 0; c && i < c->count; i++) {
		const struct input *in = &c->v[i];
		const char *path;

		if (!input_is_content(in->kind) && in->kind != INPUT_PROGRAM)
			continue;
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		if (path && probe_stat(&s->prober, path, &other) == 0 && sys_same_file(&other, st))
			return 1;
	}
	return 0;
}

int aliases_other(struct start *s, const char *const *output, size_t count, size_t i,
                  const struct candidate *c)
{
	struct statx st;
	int there;

	if (!has_names(output[i], &st, &there))
		return 0;
	/* Where a link leads that leads to no file is not compared with other outputs. */
	if (there ? !meets_output(output, count, i, &st) && !meets_input(s, c, &st) : count < 2)
		return 0;
	start_detail(s, "%s is a link to another file of the command", output[i]);
	return 1;
}

int aliases_twice(struct start *s, const char *const *output, size_t count, size_t i)
{
	struct place own, other;

	if (count < 2 || place_of(&s->arena, output[i], &own) < 0)
		return 0;
	for (size_t k = 0; k < count; k++)
		if (k != i && strcmp(path_base(output[k]), own.base) == 0 &&
		    place_of(&s->arena, output[k], &other) == 0 && place_same(&own, &other)) {
			start_detail(s, "%s is another output as well", output[i]);
			return 1;
		}
	return 0;
}
