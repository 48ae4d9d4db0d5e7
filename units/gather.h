/* units/gather.h - the publisher's side of offers: opens, checks, packs, stores, and spools for the
 * remote.
 *
 * A unit is opened with O_NOFOLLOW, its directory first and its files below that; everything must be a
 * regular file of the owner that the offer names, with no other name, and what was completed must have
 * the identity that the offer names, before it is read and after. Checked by class
 * (units/gather_check.h): a Triton index and its children and nothing else (a .so: not carried), none of
 * them younger than what was completed; a graph's name is the digest of its bytes; pickles and JSON are
 * whole; max-autotune's are in its own form (units/choices.h); a MERGED file is joined with what the store has, keys of
 * the newer one win, and what failed for all choices is left out. TOOL. */
#ifndef UNITS_GATHER_H
#define UNITS_GATHER_H

#include "store/compress.h"
#include "units/offer.h"

/* KEPT: stored (or there already), records for the remote spooled. DROPPED: why in *fault; counted and
 * logged. LATER: still being written; offered again it is looked at anew, for GATHER_REST_MAX_S since it
 * was made, and no longer than GATHER_STILL_S in which nobody wrote to what is not whole: whoever waits for
 * the publisher waits for that too. HELD: the process that made it may still withdraw it; nobody waits for its end. */
#define GATHER_REST_MAX_S 300
#define GATHER_STILL_S 20 /* frameworks write at once what they have; a loaded network file system may hold them up */
enum gather_status { GATHER_KEPT, GATHER_DROPPED, GATHER_LATER, GATHER_HELD };
struct gather_terms {
	unsigned far;               /* bits 1 << unit_class of what goes to the remote's spool */
	enum compress_mode compress;
};
enum gather_status gather_unit(struct store *s, const struct offer *o, const struct gather_terms *t, struct arena *a,
                               struct fault *fault);

/* Payloads of a MERGED unit, as one. 0, or -1 with *fault: one of them is none. */
int gather_join(struct buf *out, const void *older, size_t older_len, const void *newer, size_t newer_len,
                struct fault *fault);

#endif
