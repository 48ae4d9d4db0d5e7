/* units/format/parcel.h - parcel: the files of one unit, or one member of a set. Payload of
 * STORE_UNIT.
 *
 * Format: table above parcel.c and docs/internals/formats.md. Names are plain file names
 * (parcel_name_ok), each once; at most PARCEL_FILES_MAX files and PARCEL_BYTES_MAX bytes together.
 * Files may have marks: places from which the path of the unit's directory was removed. When the
 * parcel is laid, the path of the new directory is put in there (escaped as Python's json does).
 * Files are compressed as outputs of actions are (store/entry/result.h). Parsing trusts no byte and
 * copies none. THREAD. */
#pragma once

#include <stdint.h>

#include "shim/arena.h"
#include "shim/buf.h"
#include "store/entry/result.h"
#include "units/shape/shape.h"

#define PARCEL_FILES_MAX 256
#define PARCEL_MARKS_MAX 1024 /* of one file */
#define PARCEL_NAME_MAX 255
#define PARCEL_BYTES_MAX (1ull << 30)
struct parcel_file {
	const char *name;
	unsigned mode;             /* permission bits as found */
	int exact;                 /* 1: placed with this mode; 0: as open(2) makes a new file:
	                            * 0666, or 0777 where an x bit was found, less the umask */
	const unsigned char *data; /* NULL where packed is set */
	uint64_t len;
	const unsigned char *packed;
	uint64_t packed_len;
	const uint64_t *mark;      /* offsets in data, ascending, of the unit's path */
	unsigned marks;
};
struct parcel {
	enum unit_class class;
	const char *note;          /* for people: scope, framework's name */
	struct parcel_file *file;
	unsigned files;
};
/* 1: no '/', not "", "." or "..", at most PARCEL_NAME_MAX bytes, and does not begin with
 * ".reprise". */
int parcel_name_ok(const char *name);
/* out->failed where a limit is exceeded. A decoded file that was never unpacked is written as it
 * was read. */
void parcel_encode(struct buf *out, const struct parcel *p, enum compress_mode mode);
/* 0, or -1: malformed. Strings and data point into bytes. */
int parcel_decode(struct parcel *p, const void *bytes, size_t n, struct arena *a);
/* The class that the first 4 bytes of a parcel say, or 0: they are malformed. */
#define PARCEL_CLASS 4
unsigned parcel_class(const unsigned char first[PARCEL_CLASS]);
/* A file's bytes, decompressed, with dir put in at its marks (NULL: none). NULL: damaged, or memory
 * is refused. */
const unsigned char *parcel_file_bytes(const struct parcel_file *f, const char *dir, uint64_t *len,
                                       struct arena *a);
