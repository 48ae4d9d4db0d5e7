/* keying/probe_dir.h - questions about the content of a directory (keying/probe.h). THREAD. */
#pragma once

#include "keying/probe.h"

/* Digest of sorted names, without "." and "..", and without names for which skip(ctx, name) is
 * true. A listing with skip is never kept in the memo. */
int probe_listing(struct prober *p, const char *path, int (*skip)(void *ctx, const char *name),
                  void *ctx, struct digest *names);
/* 1: none of the names exists in dir, or dir itself does not exist. 0: one of the names exists, its
 * index in *which. names: count strings.
 *
 * set: digest over the names, made by the recorder. Under this digest the directory's unchanged
 * stamp answers for all names. If a name exists as a dangling link, the stamp does not answer, and
 * each name is asked anew. */
int probe_absent(struct prober *p, const char *dir, const char *const *names, size_t count,
                 const struct digest *set, size_t *which);
