/* tools/ptx_source.h - the files that .file directives name, and their times. Pure. THREAD. */
#ifndef TOOLS_PTX_SOURCE_H
#define TOOLS_PTX_SOURCE_H

#include "tools/ptx.h"
#include "tools/ptx_scan.h"

/* ptxas up to 13.0 stats each source and puts its modification time (seconds) and size into the
 * line table. So both are inputs, and they differ wherever files are written anew. As parts of
 * names they can be patched: each source's entry, "<file>\0<directory><time><size>", becomes a name
 * with the index PTX_SOURCES_MAX + i.
 *
 * ask() returns 0 and both values, or -1 where the file is missing (zeros stand for it). It is
 * called before the tool runs, and again after it when recording. ptx_add_sources() returns 0, or
 * -1 without memory. */
typedef int ptx_ask_source(void *ctx, const char *path, long long *mtime, unsigned long long *size);
int ptx_add_sources(struct ptx *x, ptx_ask_source *ask, void *ctx, struct arena *a);
/* The source that has this path; -1: none. If the tool asks for source i, the caller sets bit i of
 * asked. */
int ptx_source_of(const struct ptx *x, const char *path);
/* False when data, an output, lacks the expected entry for a source that it names and that the tool
 * asked for. Then the result is bound to its names exactly. */
int ptx_entries_hold(const struct ptx *x, const void *data, size_t n);

/* Length of the directory in path[0..len), without the slash behind it; 0 when there is no
 * directory. */
size_t ptx_split(const char *path, size_t len);
/* Fills sources and source_count. 0, or -1 when there are too many or memory is refused. */
int ptx_list_sources(struct ptx *out, const struct ptx_scan *s, struct arena *a);

#endif
