/* units/parcel.h - parcel: the files of one unit, or one member of a set. Payload of STORE_UNIT.
 *
 * Format: table above parcel.c and docs/formats.md. Names are plain file names: no '/', not "." or "..", none that begins with
 * ".reprise"; at most PARCEL_FILES_MAX files and PARCEL_BYTES_MAX bytes together. Files may hold marks: places where
 * the path of the unit's directory stood, left out of the content and put in when it is laid (JSON-escaped
 * as Python's json does it). Files are compressed (zstd) where it pays. Parsing trusts nothing and copies nothing. THREAD. */
#ifndef UNITS_PARCEL_H
#define UNITS_PARCEL_H

#include <stdint.h>

#include "shim/arena.h"
#include "units/shape.h"

#define PARCEL_FILES_MAX 256
#define PARCEL_MARKS_MAX 1024 /* of one file */
#define PARCEL_NAME_MAX 255
#define PARCEL_BYTES_MAX (1ull << 30)
struct parcel_file {
	const char *name;
	unsigned mode;             /* permission bits as found; laid are these without what the umask takes, EXACT: as they are */
	int exact;
	const unsigned char *data; /* NULL where packed is set */
	uint64_t len;
	const unsigned char *packed;
	uint64_t packed_len;
	const uint64_t *mark;      /* offsets in data, ascending, of the unit's path; NULL: none */
	unsigned marks;
};
struct parcel {
	enum unit_class class;
	const char *note;          /* for people: scope, framework's name */
	struct parcel_file *file;
	unsigned files;
};
void parcel_encode(struct buf *out, const struct parcel *p);
/* 0, or -1 for malformed bytes. */
int parcel_decode(struct parcel *p, const void *bytes, size_t n, struct arena *a);
/* A file's bytes, decompressed, with dir put in at its marks. NULL: damaged, or memory is refused. */
const unsigned char *parcel_file_bytes(const struct parcel_file *f, const char *dir, uint64_t *len, struct arena *a);

#endif
