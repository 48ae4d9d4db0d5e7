/* tools/rustc_search.h - which names in a directory of -L matter to rustc.
 *
 * rustc reads the names in each directory of -L, and then opens the files that may be the crate
 * that it looks for: lib<crate>*.rlib, *.rmeta and *.so. Every crate that it used was opened
 * somewhere, so the opened files tell the crates. In a directory of -L dependency= rustc looks only
 * for crates that crates use. It knows their names up to the ending, and checks their hash. In a
 * directory of -L native= it looks for no crate. Pure code. THREAD. */
#ifndef TOOLS_RUSTC_SEARCH_H
#define TOOLS_RUSTC_SEARCH_H

#include "tools/driver.h"

/* As library() of struct driver. */
int rustc_library(const struct cmdline *c, const struct listed_dir *dir, const char *file);
/* As runs_code(): a library of procedural macros, by --extern or in such a directory. */
int rustc_runs_code(const struct cmdline *c, const char *cwd, const char *file);
/* As replaced(). */
int rustc_replaced(const char *name, char other[LISTED_NAME_SIZE]);

#endif
