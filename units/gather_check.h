/* units/gather_check.h - is what a framework wrote whole, and is it what its name says? Pure, over bytes that may be
 * anything. TOOL. */
#ifndef UNITS_GATHER_CHECK_H
#define UNITS_GATHER_CHECK_H

#include <stddef.h>

#include "shim/arena.h"

/* CUT: these bytes may be the first ones of something whole, which is still being written. */
enum check { CHECK_NEVER, CHECK_CUT, CHECK_WHOLE };

/* A name as torch makes it of contents: 51 or all 52 letters of the base32 of their SHA-256, in small letters. */
int check_digest_name(const char *name);
/* That it is the one of these bytes. */
int check_digest(const char *name, const void *bytes, size_t n);
/* One pickled object and nothing behind it: each opcode with its whole argument, STOP last. */
enum check check_pickle(const void *bytes, size_t n);
/* Names of the sources that code in a pickle comes from, whatever they name: those of code objects as marshal writes them
 * and other strings that end in ".py", and those of a graph's comments ("# File: <name>:<line> in ...", as torch prints each
 * operation with where it was called; for what has no source that is its caller); each once, in the arena. Count, or -1: more
 * than max, or no memory. */
int pickle_sources(const void *bytes, size_t n, const char *out[], int max, struct arena *a);
/* jiterator's file: its name says sass or ptx, and of the source, not of this file, the length and
 * digest. A whole ELF image, or text that declares version and target and ends where a PTX module may. */
int check_kernel(const char *name, const void *bytes, size_t n);

/* gather_json.c. One JSON object, as Python writes them (NaN and Infinity too). */
enum check check_json(const void *bytes, size_t n);
/* torch writes max-autotune's timings down before it looks whether any choice worked, and whoever reads only Infinity for
 * an operation fails without trying: an object of numbers of which none is finite is left out. 0: there is none; 1: *out
 * is malloc'd text without them; -1: nothing would be left, or no memory. */
int json_prune(const void *bytes, size_t n, char **out, size_t *len);
/* Two of them, pruned, as one: of members that are objects on both sides all members, else newer's, but a finite number
 * stays where newer's is none. Malloc'd text; NULL: one of them is none, nothing is left, or no memory. */
char *json_join(const void *older, size_t older_len, const void *newer, size_t newer_len, size_t *len);

#endif
