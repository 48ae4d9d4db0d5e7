/* shim/path.h - pure path arithmetic. CHILD: the caller's buffers, no system call. ".." is never
 * removed: with symlinks that would change the meaning. */
#pragma once

#include <stddef.h>

/* Longest path the kernel takes, with its NUL. */
#define PATH_SIZE 4096

/* Writes dir + "/" + name to out. Returns the length that it needs without NUL; >= cap means that
 * it did not fit and out is "". */
size_t path_join(char *out, size_t cap, const char *dir, const char *name);
/* Collapses "//" and "/./" and removes a trailing "/" (but not "/" itself) in place. Returns the
 * new length. */
size_t path_tidy(char *path);
/* The same for an absolute path, and removes each ".." with the component before it, as if no
 * component were a symbolic link. */
size_t path_fold(char *path);
/* Last component, never NULL; "" for "/". */
const char *path_base(const char *path);
/* Length of the directory part without the final slash; 0 for a bare name, 1 for "/x". */
size_t path_dir_len(const char *path);
/* Writes the directory part to out. 0, or -1: a bare name, or it does not fit. */
int path_parent(char *out, size_t cap, const char *path);
/* True if path is dir itself or below it, by whole components; neither is tidied here. */
int path_below(const char *path, const char *dir);
/* True in /dev, /proc and /sys, where opening a file has an effect of its own. /dev/shm is a place
 * for files, as /tmp. */
int path_special(const char *path);
/* True if path ends in these characters, such as ".so", and is longer. */
int path_ends(const char *path, const char *end);
