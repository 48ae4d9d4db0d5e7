/* units/find/lay.h - lays a parcel: places its files where the framework looks for them, all at
 * once or not at all.
 *
 * The files are prepared in a stage beside the unit (units/find/stage.h) and appear by one system
 * call. A WHOLE, and the first member of a SET: a directory is renamed onto the unit's path, which
 * is absent or an empty directory. A FILE, a MERGED and a further member: a file is linked to its
 * name. An existing file or directory is never replaced or merged, and a link there is not
 * followed. Several processes, even of several hosts, never mix their files: each has a stage of
 * its own, and the first process wins. The files belong to the user of the process, and get the
 * modes that the framework would set. Missing parents are made, and stay even after a failure,
 * since a framework may rely on them from then on. No fsync. errno is kept. THREAD; not in a vfork
 * child. */
#pragma once

#include "shim/fault.h"
#include "units/format/parcel.h"

/* THERE: another process was first, or something else is at the path. FAULT with *fault (ENOSPC,
 * EACCES, EROFS ...; code 0: the parcel is damaged or does not fit the form). No file of ours is
 * left. */
enum lay_status { LAY_LAID, LAY_THERE, LAY_FAULT };
/* path: absolute, of the unit (WHOLE), of the file (FILE, MERGED), of the set's directory (SET). p:
 * any number of files for a WHOLE, one file for other forms. For FILE and MERGED the file's name is
 * ignored. */
enum lay_status lay_parcel(const struct parcel *p, enum unit_form form, const char *path,
                           struct arena *a, struct fault *fault);
/* Copies a Triton kernel's directory of this host: the files that its index names, and the index
 * with its paths rewritten. from, to: unit paths. Returns as lay_parcel. FAULT with code 0 in three
 * cases: `from` is not a complete kernel (a file is missing, damaged, or not a regular file); it or
 * a file in it belongs to another user; it was made by ir_override. */
enum lay_status lay_copy(const char *from, const char *to, const char *index, struct arena *a,
                            struct fault *fault);
