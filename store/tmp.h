/* store/tmp.h - whole files or none: written below <dir>/tmp, then placed by rename or link.
 *
 *     rc = tmp_write(path, sizeof path, s->dir, parts, 3);
 *     if (rc == 0 && (rc = tmp_rename(path, final)) < 0)
 *             tmp_drop(path);
 *
 * All return 0 or -errno. Missing directories are made on the way (the store may be wiped while in
 * use). A process that is killed in between leaves a file that gc removes after an hour. THREAD. */
#ifndef STORE_TMP_H
#define STORE_TMP_H

#include <stddef.h>

#include "shim/path.h"

struct tmp_part {
	const void *data;
	size_t len;
};
/* On failure nothing is left and out is "". */
int tmp_write(char *out, size_t cap, const char *dir, const struct tmp_part *parts, int count);
int tmp_rename(const char *tmp, const char *path);
/* As rename, but -EEXIST when path exists, also on file systems without hard links. The temporary is
 * gone after success. */
int tmp_place_new(const char *tmp, const char *path);
/* Another name for a file, in place of the first where there are no hard links. -EEXIST: it is taken; -EINVAL,
 * -ENOSYS: this file system has no way to tell. */
int tmp_link_new(int from_dir, const char *from, int to_dir, const char *to);
void tmp_drop(const char *tmp);

#endif
