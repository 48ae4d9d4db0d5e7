/* tools/ptx.h - PTX text without the source names that Triton puts into it.
 *
 * `.file N "<dir>/<file>"`, comments of .loc lines and DW_AT_name/DW_AT_comp_dir spelled one `.b8` a
 * byte in .debug_info hold the path of the .py, which differs between ranks, users and directories
 * although the kernel is one. For ptxas without -g the key takes the text with those names blanked
 * (index and length stay), and the result is patched to the asker's names, which equal keys make
 * equally long (facts: table in ptx.c, docs/internals/names.md). With lineinfo sloppiness .file paths, comments
 * of .loc lines and .debug_* sections leave the key altogether, and a result may carry the other's line
 * table.
 *
 * A name that is too short, odd, or stands anywhere else in the text is not blanked and not listed:
 * texts that differ in it have different keys, and texts that do not need no patch for it.
 *
 * Hostile text is fine: whatever is not understood stays as it is and so stays in the key. Pure code.
 * THREAD. */
#ifndef TOOLS_PTX_H
#define TOOLS_PTX_H

#include "keying/patch.h"
#include "shim/digest.h"

#define PTX_SOURCES_MAX 64              /* distinct names, and .file directives; bits of asked */
#define PTX_NAMES_MAX (2 * PTX_SOURCES_MAX) /* names, then line-table entries */

/* A .file directive whose file ptxas may look at. */
struct ptx_source {
	const char *path;   /* as it stands there */
	unsigned directory; /* its number in the line table */
	long long mtime;    /* as ptx_add_sources() was told; zeros where the file was missing */
	unsigned long long size;
};
struct ptx {
	int count; /* blanked directories and file names; kind 'P', index by first appearance */
	struct patch_name names[PTX_NAMES_MAX];
	int source_count;
	struct ptx_source sources[PTX_SOURCES_MAX];
	unsigned long long asked; /* bit i: the tool asked for source i */
	struct digest canonical; /* of the blanked text */
	const char *blanked;     /* that, as long as the arena of ptx_canonical is there */
	size_t blanked_len;
	int sloppy;              /* made with PTX_SLOPPY */
};

/* What becomes of the names of sources. PATCHED: a result that holds others of equal length is
 * patched. SLOPPY: a result serves whatever names it holds. BOUND: they are text like any other,
 * for ptxas -c, which calls a section by a hash of them. */
enum ptx_names { PTX_PATCHED, PTX_SLOPPY, PTX_BOUND };

/* True when the text is PTX at all (a `.version` directive before any other). */
int ptx_recognise(const char *text, size_t n);
/* Fills *out, without line-table entries. 0; -1 when it is no PTX, has more names than fit or is not to be touched (a block comment,
 * control bytes): key it as plain bytes. Names are copied to the arena. */
int ptx_canonical(struct ptx *out, const char *text, size_t n, enum ptx_names names,
                  struct arena *a);
/* True when this text stands in the blanked one: as (part of) a name that is none, a comment, anything. */
int ptx_mentions(const struct ptx *x, const char *text, size_t len);
/* Copies the names to that arena: the one of ptx_canonical may go. 0, or -1 without memory. */
int ptx_keep(struct ptx *x, struct arena *a);
/* ptxas up to 13.0 stats each source and puts its modification time (seconds) and size into the line
 * table, so that they are inputs, and ones that differ wherever files are written anew. As parts of
 * names they can be patched: each source's entry, "<file>\0<directory><time><size>", becomes a name
 * with the index PTX_SOURCES_MAX + i. ask() returns 0 and both, or -1 where the file is missing (zeros
 * stand for it). Asked before the tool runs, and again after it when recording. 0, or -1 without
 * memory. */
typedef int ptx_ask_source(void *ctx, const char *path, long long *mtime, unsigned long long *size);
int ptx_add_sources(struct ptx *x, ptx_ask_source *ask, void *ctx, struct arena *a);
/* Which source has this path; -1: none. Whoever sees the tool ask for source i sets bit i of asked. */
int ptx_source_of(const struct ptx *x, const char *path);
/* False when data, an output, names a source that the tool asked for without the expected entry: then
 * the result is bound to its names exactly. */
int ptx_entries_hold(const struct ptx *x, const void *data, size_t n);
/* True when results of `from` may be patched to `to`: the same indexes and lengths. */
int ptx_patchable(const struct ptx *from, const struct ptx *to);

#endif
