/* remote/backends.h - the backends that this program has (remote/backend.h).
 *
 * Every program has those that need libc alone. A program that is linked with others adds them in
 * main(), before it opens a remote store. THREAD. */
#ifndef REMOTE_BACKENDS_H
#define REMOTE_BACKENDS_H

#include "remote/backend.h"
#include "remote/place.h"

/* rows: NULL-terminated, kept by reference. Only in main(). */
void backends_add(const struct backend_ops *const rows[]);
/* Opens the place's store: 0, or -1 with *fault: this store is off. */
int backend_open(struct backend *b, const struct remote_place *place, struct arena *a,
                 struct fault *fault);

#endif
