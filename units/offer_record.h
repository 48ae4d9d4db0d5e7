/* units/offer_record.h - an offer's bytes, for offer.c and its tests. Parsing trusts no byte and
 * copies none. THREAD. */
#pragma once

#include "shim/buf.h"

/* A record of any version begins with this, one byte of version, and its length. */
#define OFFER_MAGIC "RPO"
enum { OFFER_MAGIC_SIZE = 3, OFFER_AT_LENGTH = 4, OFFER_AT_CLASS = 8, OFFER_RECORD_MIN = 141 };
#define OFFER_RECORD_MAX (24u << 10) /* its texts are paths and shorter ones */

struct offer;
void offer_encode(struct buf *out, const struct offer *o);
/* Length of the complete record of any version at p, or 0. */
size_t offer_length(const unsigned char *p, size_t n);
/* The record's length, or 0 where no record of a version and class of ours stands. */
size_t offer_decode(struct offer *o, const void *bytes, size_t n);
