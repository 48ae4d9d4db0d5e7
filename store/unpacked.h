/* store/unpacked.h - puts a result that came compressed as this node would have stored it.
 *
 * A result travels compressed. A start that replays a large output would unpack it at each hit. A
 * process that no job waits for does so once, while it writes the entry: the outputs that
 * REPRISE_COMPRESS leaves as they are go to the file in pieces, and each piece is digested where
 * it lies in the processor's cache. THREAD. */
#pragma once

#include "store/entry/result.h"
#include "store/store.h"

/* The bytes that the entry takes more than it has; 0: nothing in it is to be unpacked. */
uint64_t unpacked_more(const struct entry *e, enum compress_mode mode, struct arena *a);
/* As store_put_entry(), for a result; but the caller counts its bytes. -1 with *fault: also where
 * it does not unpack. */
int unpacked_put(struct store *s, const struct entry *e, enum compress_mode mode, struct arena *a,
                 struct fault *fault);
