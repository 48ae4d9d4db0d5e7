/* store/tmp.h - writes whole files or none: below <dir>/tmp first, then placed by rename or link.
 *
 *     rc = tmp_write(path, sizeof path, s->dir, parts, 3);
 *     if (rc == 0 && (rc = tmp_rename(path, final)) < 0)
 *             tmp_drop(path);
 *
 * All functions return 0 or -errno. Missing directories are made on the way (the store may be
 * removed while it is in use). A process that is killed in between leaves a file that gc removes
 * after an hour. THREAD. */
#pragma once

#include <stddef.h>

#include "shim/path.h"

#define TMP_PARTS_MAX 5
struct tmp_part {
	const void *data;
	size_t len;
};
/* A path that no other process, thread or host of the store uses. */
int tmp_name(char *out, size_t cap, const char *dir);
/* In pieces: the descriptor, or -errno. tmp_close: rc is that of the writes; if it is below 0, or
 * the close fails, no file is left. */
int tmp_open(char *out, size_t cap, const char *dir);
int tmp_close(int fd, char *out, int rc);
/* A file without a name, to be written and read: the descriptor, or -errno. It is gone once it is
 * closed. */
int tmp_unnamed(const char *dir);
/* count: TMP_PARTS_MAX at most. On failure no file is left and out is "". */
int tmp_write(char *out, size_t cap, const char *dir, const struct tmp_part *parts, int count);
int tmp_rename(const char *tmp, const char *path);
/* Like rename, but -EEXIST if path exists, also on file systems without hard links. On success the
 * temporary file is gone. */
int tmp_place_new(const char *tmp, const char *path);
/* Gives a file a second name, or renames it if there are no hard links. -EEXIST: the name is taken;
 * -EINVAL, -ENOSYS: this file system cannot tell. */
int tmp_link_new(int from_dir, const char *from, int to_dir, const char *to);
void tmp_drop(const char *tmp);
