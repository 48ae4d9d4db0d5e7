/* tools/text/ptx_source.h - the files that .file directives name, and their times. Pure. THREAD. */
#pragma once

#include "tools/cmdline/input_text.h"
#include "tools/text/ptx_scan.h"

/* ptxas up to 13.0 stats each source and puts its modification time (seconds) and size into the
 * line table. So both are inputs, and they differ wherever files are written anew. As parts of
 * names they can be patched: a source's entry (tools/cmdline/input_text.h) is
 * "<file>\0<directory><time><size>".
 *
 * ptx_add_sources() adds the entries to the names. Zeros stand for a missing file. 0, or -1 without
 * memory. */
int ptx_add_sources(struct input_text *x, input_text_ask *ask, struct arena *a);

/* Length of the directory in path[0..len), without the slash behind it; 0 when there is no
 * directory. */
size_t ptx_split(const char *path, size_t len);
/* Fills sources and source_count. 0, or -1 when there are too many or memory is refused. */
int ptx_list_sources(struct input_text *out, const struct ptx_scan *s, struct arena *a);
