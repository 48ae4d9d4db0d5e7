/* names/name_files.h - @F<n>: the files that a command line names, and whose names reach nothing.
 * Pure code. THREAD. */
#ifndef NAMES_NAME_FILES_H
#define NAMES_NAME_FILES_H

#include "names/names.h"

/* Makes a path of the command line the next @F<n>. Its index, or -1: no room, or nothing stands
 * before its last dot. The path must outlive n. */
int names_file(struct names *n, const char *path);
/* Appends "@F<i>" and what follows it in the path that names_file() received. */
void names_put_file(const struct names *n, int i, struct buf *out);
/* Appends the path spec of `path` if it is one of these files, or the dependency file beside one
 * (depfile_of). Absolute and tidy; dir is the cwd. 1: done. */
int names_put_output(const struct names *n, const char *dir, const char *path, struct buf *out);

/* The i of the @F<i> whose path spec names_put_output() made. -1: it made the spec of no such
 * file. */
int names_output_file(const char *spec, size_t len);

#endif
