/* units/gather.h - the publisher's side of offers: opens, checks, packs, stores, and spools for the remote.
 *
 * A unit is opened with O_NOFOLLOW, part by part, as the uid that wrote it; everything must be a regular file of that
 * owner, and what was completed must have the identity that the offer names. Checked by class: a Triton index and its
 * children and nothing else (a .so: not carried); a graph's name is the digest of its bytes; JSON parses; a MERGED file
 * is joined with what the store has, keys of the newer one win. TOOL. */
#ifndef UNITS_GATHER_H
#define UNITS_GATHER_H

#include "units/offer.h"

/* KEPT: stored (or there already), records for the remote spooled. DROPPED: why in *fault; counted. LATER: still being
 * written. */
enum gather_status { GATHER_KEPT, GATHER_DROPPED, GATHER_LATER };
enum gather_status gather_unit(struct store *s, const struct settings *set, const struct offer *o, struct arena *a,
                               struct fault *fault);

#endif
