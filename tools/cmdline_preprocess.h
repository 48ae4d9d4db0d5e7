/* tools/cmdline_preprocess.h - whether a command is the preprocessor alone, with plain options.
 *
 * True for -E with options of a short list, none of which looks into a path, rewrites one, writes a
 * second file or reads a list of files; the sources are C or C++ that was not preprocessed before.
 * What that proves of the names in argv stands in docs/internals/names.md and is judged in judge/names_proof.c.
 * For gcc and g++: clang identifies files by inode, which is one more way to tell two names apart.
 * Pure code. THREAD. */
#ifndef TOOLS_CMDLINE_PREPROCESS_H
#define TOOLS_CMDLINE_PREPROCESS_H

#include "tools/cmdline.h"

/* Classified already; 1 or 0. */
int cmdline_preprocess_plain(const struct cmdline *c);

#endif
