/* tools/ptx.h - PTX text without the source names that Triton puts into it.
 *
 * The path of the .py file stands in three places: `.file N "<dir>/<file>"`, comments of .loc
 * lines, and DW_AT_name/DW_AT_comp_dir. The DW_AT names stand in .debug_info, spelled as one `.b8`
 * a byte. The path differs between ranks, users and directories although the kernel is the same.
 * For ptxas without -g the key takes the text with those names blanked; index and length stay. The
 * result is patched to the new names, which have the same lengths when the keys are equal (facts:
 * table in ptx.c, docs/internals/names.md). With lineinfo sloppiness .file paths, comments of .loc
 * lines and .debug_* sections leave the key altogether. A result may then carry the line table of
 * another source.
 *
 * A name that is too short, odd, or stands anywhere else in the text is neither blanked nor listed.
 * Texts that differ in such a name have different keys; equal texts need no patch for it.
 *
 * Hostile text does no harm: anything that is not understood stays in the text and so in the key.
 * Pure code. THREAD. */
#ifndef TOOLS_PTX_H
#define TOOLS_PTX_H

#include "keying/patch.h"
#include "shim/digest.h"

/* distinct names, and .file directives; number of bits in asked */
#define PTX_SOURCES_MAX 64
#define PTX_NAMES_MAX (2 * PTX_SOURCES_MAX) /* names, then line-table entries */

/* A .file directive; ptxas may look at its file. */
struct ptx_source {
	const char *path;   /* as spelled in the directive */
	unsigned directory; /* its number in the line table */
	long long mtime;    /* as reported to ptx_add_sources(); zeros where the file was missing */
	unsigned long long size;
};
struct ptx {
	int count; /* blanked directories and file names; kind 'P', index by first appearance */
	struct patch_name names[PTX_NAMES_MAX];
	int source_count;
	struct ptx_source sources[PTX_SOURCES_MAX];
	unsigned long long asked; /* bit i: the tool asked for source i */
	struct digest canonical; /* of the blanked text */
	const char *blanked;     /* the blanked text, valid as long as the arena of ptx_canonical */
	size_t blanked_len;
	int sloppy;              /* made with PTX_SLOPPY */
};

/* How the names of sources are treated. PATCHED: a result with other names of equal length is
 * patched. SLOPPY: a result serves whatever names it holds. BOUND: names are text like any other;
 * for ptxas -c, which names a section by a hash of them. */
enum ptx_names { PTX_PATCHED, PTX_SLOPPY, PTX_BOUND };

/* True when the text is PTX at all (a `.version` directive comes first). */
int ptx_recognise(const char *text, size_t n);
/* Fills *out, without line-table entries. Returns 0. -1: key the text as plain bytes. It is no PTX,
 * has too many names, or may not be changed (a block comment, control bytes). Names are copied to
 * the arena. */
int ptx_canonical(struct ptx *out, const char *text, size_t n, enum ptx_names names,
                  struct arena *a);
/* True when this string stands in the blanked text: in a name that is not blanked, in a comment, or
 * anywhere. */
int ptx_mentions(const struct ptx *x, const char *text, size_t len);
/* Copies the names to arena a, so that the arena of ptx_canonical may go. 0, or -1 without
 * memory. */
int ptx_keep(struct ptx *x, struct arena *a);
/* True when results of `from` may be patched to `to`: the same indexes and lengths. */
int ptx_patchable(const struct ptx *from, const struct ptx *to);

#endif
