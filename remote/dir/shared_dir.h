/* remote/dir/shared_dir.h - the backend of file:///directory: a directory that all nodes mount.
 *
 * An object is one file: head and stored bytes. A list is one file as well, a bundle
 * (remote/bundle.h). Which files are served, and their names: remote/dir/shared_root.h.
 *
 * Writers fill a temporary file and rename it. There are no locks, no leases and no mappings:
 * clocks and attribute caches of the clients differ. So of two writers the last one wins, a
 * candidate of the other one may be lost, and a file may be seen as late as the mount's caches
 * allow. A file that vanishes in the middle of a look-up is absent. A file whose length is not that
 * of its head, or whose owner is not trusted, is BACKEND_FOREIGN, and a writer replaces it.
 *
 * ttl_s is ignored: `reprise gc --remote` removes files by age (remote/dir/expire.h). So a file
 * that is still used becomes younger: `has` touches it once an hour, a read once a day.
 *
 * A server that does not answer holds a process inside a system call. So a child asks it first
 * (remote/dir/shared_root.c), once in ROOT_RENEW_NS. If the server stops answering after that, the
 * process hangs, and the agent ends it. */
#pragma once

#include "remote/backend.h"

extern const struct backend_ops shared_dir_ops;

/* Path of the directory that a place names, or NULL with *fault: it names none. In the arena. */
const char *shared_dir_path(const struct remote_place *place, struct arena *a, struct fault *fault);
/* 1: readers check signatures. */
int shared_dir_signed(const struct remote_place *place);
