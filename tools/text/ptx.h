/* tools/text/ptx.h - PTX text without the source names that Triton puts into it.
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
#pragma once

#include "tools/cmdline/input_text.h"

/* True when the text is PTX at all (a `.version` directive comes first). */
int ptx_recognise(const char *text, size_t n);
/* Fills *out, without entries. Returns 0. -1: key the text as plain bytes. It is no PTX, has too
 * many names, or may not be changed (a block comment, control bytes). Names are copied to the
 * arena. */
int ptx_canonical(struct input_text *out, const char *text, size_t n, enum input_text_names names,
                  struct arena *a);
