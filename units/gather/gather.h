/* units/gather/gather.h - gathers an offered unit for the publisher: opens, checks, packs and
 * stores it, and spools it for the remote store.
 *
 * Everything is opened with O_NOFOLLOW, the unit's directory first and its files below it. Each
 * must be a regular file of the owner that the offer names, without another link. The completed
 * file must have the identity that the offer names, before and after it is read. The bytes are
 * checked by class (units/gather/unit_files.h):
 *   - Triton's directory holds only an index and its children (a .so is not shared), and no file
 *     is younger than the completed file;
 *   - a graph's name is the digest of its bytes;
 *   - pickles and JSON are complete;
 *   - max-autotune's choices have their own form (units/format/whole.h).
 * A MERGED file is merged with the stored file. The keys of the newer file win, and operations for
 * which every choice failed are left out. TOOL. */
#ifndef UNITS_GATHER_GATHER_H
#define UNITS_GATHER_GATHER_H

#include "shim/buf.h"
#include "store/entry/result.h"
#include "units/offer.h"

/* KEPT: the unit is stored, and its records for the remote store are spooled. DROPPED: counted and
 * logged, and for the user's own classes noted for `reprise explain`; *fault says why. LATER: the
 * unit is still being written. It is looked at again for GATHER_REST_MAX_S since it was completed,
 * and at most for GATHER_STILL_S without a write. A caller that waits for the publisher waits for
 * this unit, too. HELD: the process that wrote the unit may still remove it; no caller waits for
 * that process. */
#define GATHER_REST_MAX_S 300
/* Frameworks write a file at once; a loaded network file system may delay them. */
#define GATHER_STILL_S 20
enum gather_status { GATHER_KEPT, GATHER_DROPPED, GATHER_LATER, GATHER_HELD };
struct gather_terms {
	/* bits 1 << class of the units that are spooled for the remote store */
	unsigned remote_classes;
	enum compress_mode compress;
};
enum gather_status gather_unit(struct store *s, const struct offer *o, const struct gather_terms *t,
                               struct arena *a,
                               struct fault *fault);

/* Merges two payloads of a MERGED unit. 0, or -1 with *fault: one of them has another form. */
int gather_merge(struct buf *out, const void *older, size_t older_len, const void *newer,
                size_t newer_len,
                struct fault *fault);

#endif
