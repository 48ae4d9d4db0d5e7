/* judge/output/in_place.c - what is in the place of an output before a replay writes it. */
#include "judge/output/in_place.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "judge/output/confine.h"
#include "judge/output/mode.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"

#include "shim/banned.h"

/* --- aliases --- */

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

#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000 /* Linux 5.8 */
#endif
/* By these attributes (chattr) the kernel refuses changes, to root as well. A file that is mounted
 * can be neither removed nor replaced. */
#define FIXED (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND | STATX_ATTR_MOUNT_ROOT)

/* newfstatat tells no attributes, and a filter of system calls may refuse statx. */
static int look(const char *path, int flags, struct statx *st)
{
	int rc = sys_statx(AT_FDCWD, path, flags, STATX_BASIC_STATS | STATX_BTIME, st);

	return rc == -ENOSYS || rc == -EPERM
	               ? sys_statx(AT_FDCWD, path, flags, STATX_BASIC_STATS, st) : rc;
}

static int may_be_made(struct arena *arena, const char *path)
{
	const char *dir = place_directory(arena, path);

	return dir && sys_access(dir, W_OK | X_OK) == 0;
}

/* Root may have lost its rights to the files of others. */
static int is_own(const struct statx *st, const char *path)
{
	uid_t user = sys_geteuid();

	return st->stx_uid == user || (user == 0 && sys_access(path, W_OK) == 0);
}

/* 1: a regular file that each tool takes for writable. rustc looks at the bits, also for root. */
static int is_plain(const struct statx *st)
{
	return S_ISREG(st->stx_mode) && st->stx_mode & S_IWUSR && !(st->stx_attributes & FIXED);
}

/* What a program does with an empty file that it does not remove: bfd's programs write into it,
 * and set the mode as for a new file. gold adds the execute bits to the mode, but asks for them
 * when it makes a file. */
static int keeps_empty(const struct result_output *o)
{
	return o->style == WRITE_REPLACE ||
	       (o->style == WRITE_UNLINK && o->mode_kind == MODE_MADE);
}

/* A link in the last place, which open_output() follows (action/replay.c). */
static int leads_on(struct start *s, const struct result_output *o, const char *path)
{
	struct statx st;
	int rc = look(path, 0, &st);

	if (o->style == WRITE_TRUNCATE && !confine_asked_for(s, path))
		return 0;
	/* Where the file would be made is not known: the texts must not be written for nothing. */
	return rc == 0 && is_plain(&st) && is_own(&st, path) &&
	       (st.stx_size != 0 || !keeps_empty(o));
}

/* 1: the tool sets bits that it has read or made from the umask, where an access control list may
 * have given others. */
static int sets_other_bits(struct arena *arena, const struct result_output *o, const char *path)
{
	return (o->mode_kind == MODE_SET || o->mode_kind == MODE_EXACT) &&
	       place_cuts_bits(arena, path);
}

/* --- public, in header order --- */

int older_is_replaced(struct start *s, const struct result_output *o, const char *path,
                      struct older *seen)
{
	struct statx st;
	int rc = look(path, AT_SYMLINK_NOFOLLOW, &st);

	seen->absent = rc == -ENOENT;
	seen->alone = seen->absent || (rc == 0 && !S_ISLNK(st.stx_mode) && st.stx_nlink == 1);
	if (strcmp(path, "/dev/null") == 0)
		return 1;
	if ((rc < 0 && !seen->absent) || !may_be_made(&s->arena, path) ||
	    sets_other_bits(&s->arena, o, path))
		return 0;
	if (seen->absent)
		return 1;
	if (!is_own(&st, path))
		return 0;
	if (S_ISLNK(st.stx_mode))
		return leads_on(s, o, path);
	return is_plain(&st) && (st.stx_size != 0 || !keeps_empty(o));
}
