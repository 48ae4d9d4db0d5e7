/* keying/ptx.h - PTX text without the source names that Triton puts into it.
 *
 * `.file N "<dir>" "<file>"`, comments that repeat them, and DW_AT_name/DW_AT_comp_dir spelled one
 * `.b8` a byte in the .debug_* sections hold the path of the .py, which differs between ranks, users
 * and directories although the kernel is one. For ptxas the key takes the text with those names
 * blanked (each byte of a name by '?', so lengths stay in the key), and the result is patched to the
 * asker's names of equal length (facts/toolchains.md 5: only .debug_line and .nv_debug_ptx_txt hold
 * them). With lineinfo sloppiness names and .debug_* sections leave the key altogether.
 *
 * Hostile text is fine: whatever is not understood stays as it is and so stays in the key. Pure code.
 * THREAD. */
#ifndef KEYING_PTX_H
#define KEYING_PTX_H

#include "keying/patch.h"
#include "shim/digest.h"

#define PTX_NAMES_MAX 64

struct ptx {
	int count; /* distinct directories and file names, in order of appearance; kind 'P' */
	struct patch_name names[PTX_NAMES_MAX];
	struct digest canonical; /* of the blanked text */
};

/* True when the text is PTX at all (a `.version` directive before any other). */
int ptx_recognise(const char *text, size_t n);
/* Fills *out. 0; -1 when it is no PTX or has more names than fit: key it as plain bytes. Names are
 * copied to the arena. */
int ptx_canonical(struct ptx *out, const char *text, size_t n, int sloppy_lineinfo, struct arena *a);

#endif
