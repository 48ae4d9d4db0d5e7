/* units/lay.h - puts a parcel where the framework looks for it: whole, or not at all.
 *
 * WHOLE: a directory beside the unit's (".reprise-<16 hex of the path>-<host>", so a killed one is found and reused), filled, then one
 * rename onto the unit's path, which is absent or an empty directory: anything else is left alone. FILE: a
 * temporary beside it, linked to its name only where none is (never replaces). SET: the file's temporary lies
 * outside the set's directory, which is made first. Names are opened below a descriptor of the parent directory with
 * O_NOFOLLOW: what is planted there meanwhile is not followed. Owner is the process's; modes as the parcel says. No fsync.
 * errno is not kept. THREAD; not in a vfork child. */
#ifndef UNITS_LAY_H
#define UNITS_LAY_H

#include "shim/fault.h"
#include "units/parcel.h"

/* LAID; THERE: somebody was quicker or something stands there; FAULT with *fault (ENOSPC, EACCES, EROFS ...): nothing
 * of ours is left behind. */
enum lay_status { LAY_LAID, LAY_THERE, LAY_FAULT };
/* path: absolute, of the unit (WHOLE), of the file (FILE, MERGED), of the set's directory (SET: p has one file). dir_mode: of
 * directories that are made, before the umask. */
enum lay_status lay_parcel(const struct parcel *p, enum unit_form form, const char *path, struct arena *a,
                           struct fault *fault);
/* A Triton kernel directory of this host copied from another one: the files that its index names, the index's own paths
 * rewritten. from, to: unit paths. As lay_parcel; FAULT with code 0 when `from` is no complete kernel. */
enum lay_status lay_sibling(const char *from, const char *to, const char *index, struct arena *a, struct fault *fault);

#endif
