/* units/gather_check.h - checks that a file is complete and that its name fits its bytes. Pure,
 * over bytes that may be anything. TOOL. */
#ifndef UNITS_GATHER_CHECK_H
#define UNITS_GATHER_CHECK_H

#include <stddef.h>

#include "shim/arena.h"

/* CUT: the bytes may be the first ones of a complete file that is still being written. */
enum check { CHECK_NEVER, CHECK_CUT, CHECK_WHOLE };

/* 1: the name has the form that torch derives from a content: 51 or 52 letters of its SHA-256 in
 * lower-case base32. */
int check_digest_name(const char *name);
/* 1: the name is the one of these bytes. */
int check_digest(const char *name, const void *bytes, size_t n);
/* One pickled object and nothing behind it: each opcode has its argument, and STOP is last. */
enum check check_pickle(const void *bytes, size_t n);
/* Names of the sources that the code in a pickle was made from, each once, in the arena: the file
 * names of marshalled code objects, other strings that end in ".py", and the names in a graph's
 * comments ("# File: <name>:<line> in ...", where torch says from where an operation was called; of
 * an operation without a source, its caller). Their number, or -1: more than max, or no memory. */
int pickle_sources(const void *bytes, size_t n, const char *out[], int max, struct arena *a);
/* jiterator's file. Its name says sass or ptx, and the length and digest of the source, not of this
 * file. 1: a complete ELF image, or text that declares version and target and ends where a PTX
 * module may end. */
int check_kernel(const char *name, const void *bytes, size_t n);

/* gather_inflate.c. 1: one zlib stream (RFC 1950) whose content has the checksum at its end, or one
 * zstd frame, and nothing behind it. */
int check_compressed(const void *bytes, size_t n);

/* gather_json.c. One JSON object as Python writes it, with NaN and Infinity. */
enum check check_json(const void *bytes, size_t n);
/* torch writes max-autotune's timings before it knows whether a choice worked, and a process that
 * reads only Infinity for an operation fails without trying. So objects of numbers without a finite
 * one are left out. 0: there are none; 1: *out is malloc'd text without them; -1: nothing would be
 * left, or no memory. */
int json_prune(const void *bytes, size_t n, char **out, size_t *len);
/* Merges two pruned texts: members that are objects on both sides are merged, else the newer one
 * counts, but a finite number stays where the newer one is not finite. Malloc'd text; NULL: one of
 * them is no JSON object, nothing is left, or no memory. */
char *json_merge(const void *older, size_t older_len, const void *newer, size_t newer_len,
                size_t *len);

#endif
