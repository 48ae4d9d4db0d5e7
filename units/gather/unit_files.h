/* units/gather/unit_files.h - reads the files of a unit, as far as they can be trusted. TOOL. */
#ifndef UNITS_GATHER_UNIT_FILES_H
#define UNITS_GATHER_UNIT_FILES_H

#include <stddef.h>

#include "shim/arena.h"
#include "shim/kernel/sys.h"
#include "units/format/parcel.h"
#include "units/gather/gather.h"

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

/* Checks that a file is complete and that its name fits its bytes. Pure,
 * over bytes that may be anything. */

/* CUT: the bytes may be the first ones of a complete file that is still being written. */
enum check { CHECK_NEVER, CHECK_CUT, CHECK_WHOLE };

/* 1: the name has the form that torch derives from a content: 51 or 52 letters of its SHA-256 in
 * lower-case base32. */
int check_digest_name(const char *name);
/* 1: the name is the one of these bytes. */
int check_digest(const char *name, const void *bytes, size_t n);
/* jiterator's file. Its name says sass or ptx, and the length and digest of the source, not of this
 * file. 1: a complete ELF image, or text that declares version and target and ends where a PTX
 * module may end. */
int check_kernel(const char *name, const void *bytes, size_t n);
/* 1: the bytes are one zlib stream (RFC 1950) whose content has the checksum at its end, or one
 * zstd frame. Nothing follows the stream or frame. */
int check_compressed(const void *bytes, size_t n);
/* 1: the JSON text has the members that Helion gives a configuration. Inductor's have others. */
int check_configuration(const void *bytes, size_t n);
/* 1: the bytes are MLIR's bytecode with its CRC-32 behind it, as CuTe DSL writes it. */
int check_bytecode(const void *bytes, size_t n);
/* 1: the bytes are not those of a whole file of the format that the name tells
 * (units/format/whole.h; numba's and Python's pickles). 0 where the format is not known. */
int check_damaged(const char *name, const void *bytes, size_t n);

#endif
