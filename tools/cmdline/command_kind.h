/* tools/cmdline/command_kind.h - what kind of command this is: for -march=native, or one that only
 * preprocesses, with plain options.
 *
 * True for -E with options of a short list. None of these options looks into a path, rewrites a
 * path, writes a second file or reads a list of files. The sources are C or C++ that was not
 * preprocessed before. docs/internals/names.md says what that proves of the names in argv;
 * judge/name/names_proof.c judges it. For gcc and g++: clang identifies files by inode, which is a
 * further way to distinguish two names. Pure code. THREAD. */
#ifndef TOOLS_CMDLINE_COMMAND_KIND_H
#define TOOLS_CMDLINE_COMMAND_KIND_H

#include "tools/cmdline/cmdline.h"

/* c must be classified already; 1 or 0. */
int cmdline_preprocess_plain(const struct cmdline *c);

/* Whether words ask for code for this machine's processor. Pure code. THREAD. */

/* True for an argument that makes code for this machine's processor. Also for words that a tool
 * makes arguments of (NVCC_APPEND_FLAGS). */
int cmdline_says_native(const char *s);

#endif
