/* judge/place.c - compares directories by what they are, and files by their directories. */
#include "judge/place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

/* --- public, in header order --- */

const char *place_directory(struct arena *a, const char *path)
{
	size_t n = path_dir_len(path);

	return n ? arena_memdup(a, path, n) : ".";
}

int place_of(struct arena *a, const char *path, struct place *p)
{
	const char *dir = place_directory(a, path);

	*p = (struct place){.path = path, .base = path_base(path)};
	return dir ? sys_statx(AT_FDCWD, dir, 0, STATX_BASIC_STATS, &p->directory) : -ENOMEM;
}

int place_cuts_bits(struct arena *a, const char *path)
{
	const char *dir = place_directory(a, path);

	return dir && SYS4(SYS_getxattr, dir, "system.posix_acl_default", NULL, 0) > 0;
}

int place_same(const struct place *x, const struct place *y)
{
	return strcmp(x->base, y->base) == 0 && sys_same_file(&x->directory, &y->directory);
}
