/* units/key.h - the keys of units in the store. Pure. THREAD.
 *
 *   WHOLE, FILE, MERGED   unit_key: entry STORE_UNIT, a parcel (units/parcel.h)
 *   SET                   unit_key: slots of STORE_SET, each a member record (units/member.h) that names the
 *                         key of one parcel, STORE_UNIT
 * Both hold ENTRY_VERSION and the class's number, so builds of two versions share a store without meeting. The algorithm is the
 * one in use (shim/digest.h): say which before. */
#ifndef UNITS_KEY_H
#define UNITS_KEY_H

#include "shim/digest.h"
#include "units/shape.h"

void unit_key(struct digest *out, enum unit_class class, const char *scope, const char *name, size_t name_len);
/* Of one member of a set. set: its unit_key. content: of its bytes, or NULL where the framework's name is already one of the content. */
void unit_member_key(struct digest *out, const struct digest *set, const char *name, const struct digest *content);

#endif
