/* remote/dir/expire.h - removes old files from the directory of a file:// remote store.
 *
 * Age is the time since a file was written or touched (remote/dir/shared_dir.h), by the file
 * server's clock. First go the files above the age, then the oldest ones until the rest fits the
 * size. Temporary files that killed writers left go after EXPIRE_TEMPORARY_S. Other files, and what
 * lies behind links, are left alone. Folders stay: a writer may be about to use one.
 *
 * A file that is replaced while this runs may be removed: one more miss. Several processes may run
 * this at once. The directory is walked once for the age, twice for the size. */
#pragma once

#include <stdint.h>

#include "shim/arena.h"
#include "shim/fault.h"
#include "shim/settings/settings.h"

#define EXPIRE_TEMPORARY_S 86400

/* 0: no limit. */
struct expire_limits { uint64_t age_s, bytes; };
struct expired {
	uint64_t removed, removed_bytes, temporary;
	uint64_t entries, bytes; /* that are left */
	uint64_t refused;        /* files that this user may not remove */
};

struct remote_place;
/* Adds to *out. 0, or -1 with *fault: the directory cannot be used. A directory that is missing is
 * empty. progress may be NULL. */
int expire_run(const struct remote_place *place, const struct expire_limits *limits,
               struct expired *out, void (*progress)(void *ctx, unsigned done, unsigned all),
               void *ctx, struct arena *a, struct fault *fault);
/* Does that for each file:// place of REPRISE_REMOTE_URL that is not read-only; then each() is told
 * the place, as people see it, and what became of it. Their number; -1 with *fault, after those
 * that could be used. */
int expire_places(const struct settings *set, char *const envp[],
                  const struct expire_limits *limits,
                  void (*each)(void *ctx, const char *shown, const struct expired *done),
                  void (*progress)(void *ctx, unsigned done, unsigned all), void *ctx,
                  struct arena *a, struct fault *fault);
