/* store/walk.h - walks the directories of a store or of units, for clean-up. THREAD. */
#pragma once

#include "shim/path.h"
#include "store/store.h"

#define WALK_SHARDS 256u
struct walk_class {
	enum store_class class;
	const char *dir;
};
#define X(id, number, dir) +1
enum { WALK_CLASSES = 0 STORE_CLASSES(X) };
#undef X
extern const struct walk_class walk_classes[WALK_CLASSES];

/* Calls visit for the names in a directory except "." and ".."; it may remove them. Stops on a
 * result other than 0 and returns it. A directory that is missing, or cannot be read to its end,
 * counts as empty from there on: do not use it to conclude that something is missing. */
int walk_names(const char *path,
               int (*visit)(void *ctx, int dirfd, const char *path, const char *name), void *ctx);
/* path is relative to a directory's descriptor. */
int walk_names_at(int at_fd, const char *path,
                  int (*visit)(void *ctx, int dirfd, const char *path, const char *name),
                  void *ctx);
/* 1: the directory holds a name. */
int walk_finds_names(int at_fd, const char *path);
/* Removes a file that was written before that time (s since 1970). 1: it is gone. */
unsigned walk_drop_old(int dirfd, const char *name, int64_t before);
/* Removes the directory's files. Directories in it stay. */
void walk_drop_files(int at_fd, const char *path);
/* Directory of a shard of walk_classes[class]. If it is longer than PATH_SIZE: "", which is no
 * directory. */
void walk_shard(char out[PATH_SIZE], const struct store *s, size_t class, unsigned shard);
/* Parses an entry's name: 62 hex digits and perhaps a slot. 0, or -1 for a name that is not
 * ours. */
int walk_parse(const char *name, unsigned shard, struct digest *key, int *slot);
/* Removes temporary files of the store that are older than WALK_LITTER_AGE_S; returns their
 * number. */
#define WALK_LITTER_AGE_S 3600
uint64_t walk_drop_litter(struct store *s);
