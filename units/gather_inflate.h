/* units/gather_inflate.h - is a compressed file whole? TOOL. */
#ifndef UNITS_GATHER_INFLATE_H
#define UNITS_GATHER_INFLATE_H

#include <stddef.h>

/* 1: the bytes are one zlib stream (RFC 1950) whose content has the checksum at its end, or one
 * zstd frame. Nothing follows the stream or frame. */
int check_compressed(const void *bytes, size_t n);

#endif
