/* units/json_path.h - paths as Python's json.dumps writes them inside quotes: ASCII, \uXXXX, surrogate pairs; bytes that are
 * not UTF-8 as surrogateescape has them, \udcXX. Pure; memory from the arena. THREAD. */
#ifndef UNITS_JSON_PATH_H
#define UNITS_JSON_PATH_H

#include "shim/arena.h"

/* A path as it is written there. NULL without memory. */
const char *json_path_escape(const char *path, size_t *len, struct arena *a);
/* The bytes that json.dumps wrote as text[0..n), or NULL: it would have written them otherwise. */
const char *json_path_unescape(const char *text, size_t n, struct arena *a);

#endif
