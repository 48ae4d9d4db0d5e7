/* judge/older.c - what is in the place of an output before a replay writes it. */
#include "judge/older.h"

#include <string.h>
#include <sys/stat.h>

#include "judge/confine.h"
#include "judge/place.h"
#include "shim/sys.h"

#include "shim/banned.h"

/* File attributes (chattr) by which the kernel refuses changes, to root as well. */
#define FIXED (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)

static int may_be_made(struct start *s, const char *path)
{
	const char *dir = place_directory(&s->arena, path);

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
	int rc = sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st);

	if (o->style == WRITE_TRUNCATE && !confine_asked_for(s, path))
		return 0;
	/* Where the file would be made is not known: the texts must not be written for nothing. */
	return rc == 0 && is_plain(&st) && is_own(&st, path) &&
	       (st.stx_size != 0 || !keeps_empty(o));
}

/* 1: the tool sets bits that it has read or made from the umask, where an access control list may
 * have given others. */
static int sets_other_bits(struct start *s, const struct result_output *o, const char *path)
{
	return (o->mode_kind == MODE_SET || o->mode_kind == MODE_EXACT) &&
	       place_cuts_bits(&s->arena, path);
}

/* --- public, in header order --- */

int older_is_replaced(struct start *s, const struct result_output *o, const char *path,
                      struct older *seen)
{
	struct statx st;
	int rc = sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &st);

	seen->absent = rc == -ENOENT;
	seen->alone = seen->absent || (rc == 0 && !S_ISLNK(st.stx_mode) && st.stx_nlink == 1);
	if (strcmp(path, "/dev/null") == 0)
		return 1;
	if ((rc < 0 && !seen->absent) || !may_be_made(s, path) || sets_other_bits(s, o, path))
		return 0;
	if (seen->absent)
		return 1;
	if (!is_own(&st, path))
		return 0;
	if (S_ISLNK(st.stx_mode))
		return leads_on(s, o, path);
	return is_plain(&st) && (st.stx_size != 0 || !keeps_empty(o));
}
