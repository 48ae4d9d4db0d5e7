/* units/find/stage.h - a private directory beside a unit, where the unit is prepared before it
 * appears.
 *
 *     <parent of the unit>/.reprise-<uid>/<host>.<pid>.<time>.<serial>/
 *
 * The outer directory, the box, is 0700 and shared by the processes of a user. The inner directory,
 * the stage, belongs to one call. So processes never mix their files, not even processes of two
 * hosts on one NFS directory. No lock is needed (NFS has none for directories). Frameworks read no
 * such name. The process that leaves last removes the box.
 *
 * A killed process leaves its stage. The next process that makes a stage in that parent directory
 * removes it, once it is STAGE_STALE_S old by the file system's clock. That process may be on any
 * host, since containers rarely come back under their name. The old stage is renamed first. If its
 * owner only slept, the owner finds its stage gone and fails, and never shows half a unit.
 *
 *     int rc = stage_begin(&s, path, a);
 *     if (rc == 0 && (rc = stage_open(&s)) == 0 &&
 *         (rc = stage_write(&s, "x", bytes, n, 0666, 0)) == 0)
 *             rc = stage_place_dir(&s);       // -EEXIST: the path is taken
 *     stage_end(&s);                          // always
 *
 * Everything is opened below descriptors, with O_NOFOLLOW. All return 0 or -errno; errno is kept.
 * THREAD. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "shim/arena.h"

/* A unit is placed in milliseconds, a gigabyte on a slow NFS in minutes. A stage that is removed
 * too early is a miss. */
#define STAGE_STALE_S 600
#define STAGE_NAME_SIZE 128
#define STAGE_BOX_SIZE 32
struct stage {
	int parent, box, dir;  /* -1: not open */
	const char *base;      /* of the unit, below parent */
	char box_name[STAGE_BOX_SIZE];
	char name[STAGE_NAME_SIZE]; /* of dir in box; "": there is none */
};

/* path: absolute, of the unit. Opens its parent; missing parents are made as a framework does, 0777
 * less the umask. */
int stage_begin(struct stage *s, const char *path, struct arena *a);
/* 1: the unit's path exists and is not an empty directory. */
int stage_taken(const struct stage *s);
/* Makes box and stage. */
int stage_open(struct stage *s);
/* A new file. exact: with that mode, whatever the umask. */
int stage_write(struct stage *s, const char *name, const void *bytes, uint64_t n, mode_t mode,
                int exact);
/* The stage becomes the unit. -EEXIST: see stage_taken. */
int stage_place_dir(struct stage *s);
/* A file of the stage becomes the unit, or a member of it (-ENOENT: there is no unit). -EEXIST: the
 * name is taken, or the unit's directory is a link or a file. */
int stage_place_file(struct stage *s, const char *name);
int stage_place_member(struct stage *s, const char *name);
/* Removes the stage. */
void stage_end(struct stage *s);
