/* remote/arrival.h - a result or unit that goes into a store while it comes. Only for remote/.
 *
 * Its bytes go to a temporary file, which gets its name once they are known to be right. Memory
 * holds a part of them at a time.
 *
 *     if (arrival_begin(&a, store, &head, value, key, arena, fault) == 0)
 *             ... arrival_take(&a, bytes, n) ...          // 0, or -1
 *             status = arrival_end(&a, fault);
 *
 * Where the end is not reached, arrival_drop() removes the file. THREAD. */
#pragma once

#include "store/entry/blob.h"
#include "store/store.h"

struct arrival {
	struct store *s;
	struct blob_stream blob;
	int fd;    /* 0: there is no file */
	int error; /* -errno of the first write that failed */
	char tmp[PATH_SIZE];
};
/* value: the blob's first value. 0, or -1 with *fault: the store takes nothing. */
int arrival_begin(struct arrival *a, struct store *s, const struct blob_head *h, const void *value,
                  enum store_class class, const struct digest *key, struct arena *arena,
                  struct fault *fault);
int arrival_take(struct arrival *a, const void *stored, size_t n);
/* BLOB_OK with fault->code 0: the entry is in the store. With another code it could not be put
 * there. */
enum blob_status arrival_end(struct arrival *a, struct fault *fault);
void arrival_drop(struct arrival *a);
