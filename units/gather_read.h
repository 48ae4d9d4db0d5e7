/* units/gather_read.h - files of a unit that is gathered, read as far as they can be believed. TOOL. */
#ifndef UNITS_GATHER_READ_H
#define UNITS_GATHER_READ_H

#include "shim/sys.h"
#include "units/gather.h"
#include "units/parcel.h"

/* One unit on its way. All memory is the arena's. */
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
/* A file below dirfd (AT_FDCWD: name is a path): f->name, mode, data and len; *st as it was before and
 * after. said: it must be what the offer says, and is locked against who writes it while it is read. */
enum gather_status gather_read(struct gathering *g, int dirfd, const char *name, int said, struct parcel_file *f,
                               struct statx *st);
/* What cannot be told yet: LATER while the offer is young, then DROPPED. *fault is set. */
enum gather_status gather_wait(struct gathering *g, const char *why);
static inline int64_t gather_ctime(const struct statx *st)
{
	return st->stx_ctime.tv_sec * 1000000000ll + st->stx_ctime.tv_nsec;
}
#define gather_drop(g, ...) (fault_set((g)->fault, 0, __VA_ARGS__), GATHER_DROPPED)

/* gather_triton.c: the files of a kernel's directory. */
enum gather_status gather_triton(struct gathering *g);
/* gather_sources.c: what a pickle's code was made from. */
struct member;
enum gather_status gather_sources(struct gathering *g, struct member *m);

#endif
