/* units/gather_check.h - checks that a file is complete and that its name fits its bytes. Pure,
 * over bytes that may be anything. TOOL. */
#ifndef UNITS_GATHER_CHECK_H
#define UNITS_GATHER_CHECK_H

#include <stddef.h>

#include "shim/arena.h"

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
/* 1: the bytes are not those of a whole file of the format that the name tells (units/whole.h;
 * numba's and Python's pickles). 0 where the format is not known. */
int check_damaged(const char *name, const void *bytes, size_t n);

#endif
