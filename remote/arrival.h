/* remote/arrival.h - a result or unit that goes into a store while it comes. Only for remote/.
 *
 * Its bytes go to a temporary file, which gets its name once they are known to be right. Memory
 * holds a part of them at a time.
 *
 *     if (arrival_begin(&a, store, &head, value, class, key, copies, fault) == 0)
 *             ... arrival_take(&a, bytes, n) ...          // 0, or -1
 *             status = arrival_end(&a, fault);
 *
 * Where the end is not reached, arrival_drop() removes the files. THREAD. */
#pragma once

#include "store/entry/blob.h"
#include "store/store.h"

struct arrival {
	struct store *s;
	struct blob_stream blob;
	struct arena arena; /* the decompressor's */
	int fd;    /* 0: there is no file */
	int error; /* -errno of the first write that failed */
	size_t skip; /* bytes of the head that are still to come */
	/* A file without a name that holds the blob as it came, which arrival_end() leaves to the
	 * caller; -1: none. */
	int copy;
	char tmp[PATH_SIZE];
};
/* value: the blob's first value. copies: keep the blob, too, if the disk has room for both. 0, or
 * -1 with *fault: the store takes nothing. */
int arrival_begin(struct arrival *a, struct store *s, const struct blob_head *h, const void *value,
                  enum store_class class, const struct digest *key, int copies,
                  struct fault *fault);
/* The blob's next bytes, its head included. */
int arrival_take(struct arrival *a, const void *bytes, size_t n);
/* BLOB_OK with fault->code 0: the entry is in the store. With another code it could not be put
 * there. */
enum blob_status arrival_end(struct arrival *a, struct fault *fault);
void arrival_drop(struct arrival *a);
