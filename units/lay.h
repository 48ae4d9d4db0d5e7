/* units/lay.h - puts a parcel where the framework looks for it: whole, or not at all.
 *
 * What is laid is made ready in a stage beside the unit (units/stage.h) and appears by one call of
 * the kernel. WHOLE, and the first member of a SET: a directory is renamed onto the unit's path,
 * which is absent or an empty directory. FILE, MERGED, and a further member: a file is linked to
 * its name. What stands there is never replaced and never merged with; a link that stands there is
 * not followed. Several processes at it, of several hosts even, never mix: each has a name of its
 * own, the first one's stays. Owner is the process's, modes what the framework would have made.
 * Missing parents are made and stay, whatever comes of it: a framework may rely on them from then
 * on. No fsync. errno is kept. THREAD; not in a vfork child. */
#ifndef UNITS_LAY_H
#define UNITS_LAY_H

#include "shim/fault.h"
#include "units/parcel.h"

/* THERE: somebody was quicker or something stands there. FAULT with *fault (ENOSPC, EACCES, EROFS
 * ...; 0: the parcel itself is damaged or does not fit the form). Nothing of ours is left behind. */
enum lay_status { LAY_LAID, LAY_THERE, LAY_FAULT };
/* path: absolute, of the unit (WHOLE), of the file (FILE, MERGED), of the set's directory
 * (SET). p: WHOLE has any files, SET one, FILE and MERGED one whose own name does not matter. */
enum lay_status lay_parcel(const struct parcel *p, enum unit_form form, const char *path,
                           struct arena *a, struct fault *fault);
/* A Triton kernel directory of this host copied from another one: the files that its index names,
 * the index's own paths rewritten. from, to: unit paths. As lay_parcel; FAULT with code 0 when
 * `from` is no complete kernel: a file is missing, empty, or none; when it or one of them is not
 * the caller's own; or when it was made by ir_override. */
enum lay_status lay_copy(const char *from, const char *to, const char *index, struct arena *a,
                            struct fault *fault);

#endif
