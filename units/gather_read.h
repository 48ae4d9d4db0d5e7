/* units/gather_read.h - reads the files of a unit, as far as they can be trusted. TOOL. */
#ifndef UNITS_GATHER_READ_H
#define UNITS_GATHER_READ_H

#include "shim/sys.h"
#include "units/gather.h"
#include "units/parcel.h"

/* The unit that is gathered. All memory is the arena's. */
struct gathering {
	struct store *s;
	const struct offer *o;
	const struct gather_terms *t;
	struct arena *a;
	struct fault *fault;
	struct unit_path u;
	struct parcel parcel;
	unsigned char *text;  /* SET, FILE, MERGED: the file's bytes, and how many */
	size_t len;
	int64_t changed_ns;   /* ... and its ctime */
};
/* Reads a file below dirfd (AT_FDCWD: name is a path) into f->name, mode, data and len; *st is the
 * file's state, the same before and after. said: the file must be the one that the offer names. It
 * is locked against its writer while it is read. */
enum gather_status gather_read(struct gathering *g, int dirfd, const char *name, int said,
                               struct parcel_file *f,
                               struct statx *st);
/* LATER while the offer is young, then DROPPED. *fault is set. */
enum gather_status gather_wait(struct gathering *g, const char *why);
static inline int64_t gather_ctime(const struct statx *st)
{
	return st->stx_ctime.tv_sec * 1000000000ll + st->stx_ctime.tv_nsec;
}
#define gather_drop(g, ...) (fault_set((g)->fault, 0, __VA_ARGS__), GATHER_DROPPED)

#endif
