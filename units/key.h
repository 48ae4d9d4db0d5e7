/* units/key.h - the keys of units in the store. Pure. THREAD.
 *
 *   WHOLE, FILE, MERGED   unit_key: entry STORE_UNIT, a parcel (units/parcel.h)
 *   SET                   unit_key: slots of STORE_SET, each a member record (units/member.h) that
 *                         names the key of one parcel, STORE_UNIT
 * Both hold ENTRY_VERSION and the class's number, so that builds of two versions share a store but
 * not its entries. They use the digest that is in use (shim/digest.h), which the caller has chosen
 * before. */
#ifndef UNITS_KEY_H
#define UNITS_KEY_H

#include "shim/digest.h"
#include "units/shape.h"

void unit_key(struct digest *out, enum unit_class class, const char *scope, const char *name,
              size_t name_len);
/* The key of a member. set: its unit_key. content: digest of its bytes; NULL where the framework's
 * name is such a digest. */
void unit_member_key(struct digest *out, const struct digest *set, const char *name,
                     const struct digest *content);

#endif
