/* remote/bundle.h - bundle: a list of blobs as one object, for backends whose stores have no lists.
 *
 * Layout: table above bundle.c. A writer reads the bundle, adds its blob at the front, and replaces
 * the object. If two writers do so at once, the blob of one is lost: one more miss. A bundle has no
 * digest, because each blob has its own (store/entry/blob.h).
 *
 *     if (bundle_read(&list, bytes, n) < 0)
 *             list.count = 0;                  // damaged, or of another version: it is replaced
 *     made = bundle_add(&list, blob, -1, &len, arena);
 *
 * Reading takes no memory: elements point into the bytes. Parsing is fuzzed. THREAD. */
#pragma once

#include "remote/backend.h"

/* What all blobs of a bundle may take; the largest candidate has 4 MB and its head. A reader
 * fetches the whole bundle for each look-up. */
#define BUNDLE_BLOBS ((4u << 20) + 4096)
#define BUNDLE_HEAD 12
/* A larger object is no bundle. */
#define BUNDLE_MOST (BUNDLE_HEAD + BACKEND_LIST * 4 + BUNDLE_BLOBS)

/* 0, or -1: not a complete bundle of this version, and *out has no elements. */
int bundle_read(struct backend_list *out, const void *bytes, size_t n);
/* A bundle of blob and then the elements of old, in their order, without the element `drop` (-1:
 * none), without those equal to blob, and without the oldest ones that do not fit. In the arena.
 * NULL: the blob is empty or too large (no memory: a->refused). */
unsigned char *bundle_add(const struct backend_list *old, struct backend_bytes blob, int drop,
                          size_t *len, struct arena *a);
/* Keeps elements from..from+max of a list, as struct backend_ops' candidates returns them; length
 * stays. */
void bundle_slice(struct backend_list *list, unsigned from, unsigned max);
