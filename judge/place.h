/* judge/place.h - where a file lies: its directory, under whatever name, and its last component.
 * The file need not exist. THREAD. */
#ifndef JUDGE_PLACE_H
#define JUDGE_PLACE_H

#include <sys/stat.h>

#include "shim/arena.h"

struct place {
	const char *path; /* usable from the cwd */
	const char *base; /* of the path */
	struct statx directory;
};

/* The directory of a path, usable from the cwd. In the arena; NULL: no memory. */
const char *place_directory(struct arena *a, const char *path);
/* 0, or -errno: there is no such directory, or no memory (-ENOMEM). The path must outlive *p. */
int place_of(struct arena *a, const char *path, struct place *p);
/* 1: the directory's access control list, and not the umask, cuts the bits of new files. */
int place_cuts_bits(struct arena *a, const char *path);
/* 1: one file. */
int place_same(const struct place *x, const struct place *y);

#endif
