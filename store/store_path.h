/* store/store_path.h - path of an entry in a store: <dir>/<class>/<2 hex>/<62 hex>[.slot].
 * THREAD. */
#ifndef STORE_STORE_PATH_H
#define STORE_STORE_PATH_H

#include "store/entry.h"

/* Writes the path of an entry. Returns the length that is needed. */
size_t store_path(char *out, size_t cap, const char *dir, enum store_class class,
                  const struct digest *key, int slot);

#endif
