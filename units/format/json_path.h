/* units/format/json_path.h - paths as Python's json.dumps writes them inside quotes: ASCII, \uXXXX,
 * surrogate pairs; bytes that are not UTF-8 as \udcXX, by surrogateescape. Pure; memory from the
 * arena. THREAD. */
#pragma once

#include "shim/arena.h"

/* The path in that form. NULL without memory. */
const char *json_path_escape(const char *path, size_t *len, struct arena *a);
/* The bytes that json.dumps writes as text[0..n), or NULL: it never writes that. */
const char *json_path_unescape(const char *text, size_t n, struct arena *a);
