/* tools/cmdline_preprocess.h - whether a command only preprocesses, with plain options.
 *
 * True for -E with options of a short list. None of these options looks into a path, rewrites a
 * path, writes a second file or reads a list of files. The sources are C or C++ that was not
 * preprocessed before. docs/internals/names.md says what that proves of the names in argv;
 * judge/names_proof.c judges it. For gcc and g++: clang identifies files by inode, which is a
 * further way to distinguish two names. Pure code. THREAD. */
#ifndef TOOLS_CMDLINE_PREPROCESS_H
#define TOOLS_CMDLINE_PREPROCESS_H

#include "tools/cmdline.h"

/* c must be classified already; 1 or 0. */
int cmdline_preprocess_plain(const struct cmdline *c);

#endif
