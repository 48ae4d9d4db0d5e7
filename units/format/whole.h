/* units/format/whole.h - is a file whole, by what its own format says? A crash leaves files that
 * are cut, empty, or that end in zeros at their right length. Pure, over bytes that may be
 * anything. THREAD. */
#pragma once

#include <stddef.h>

enum whole { WHOLE_NO, WHOLE_UNKNOWN, WHOLE_YES };

/* By the name's end: .json, .ptx, .cubin and .hsaco, and the compilers' texts. Any file that begins
 * as a 64-bit ELF image is judged as one. UNKNOWN: of another format. */
enum whole whole_file(const char *name, const void *bytes, size_t n);
/* 1: the last bytes are all zeros, or there are none. */
int whole_ends_in_zeros(const void *bytes, size_t n);
/* 1: one whole ELF image, all of its sections inside it. */
int whole_elf(const void *bytes, size_t n);
/* 1: text that declares version and target and ends where a PTX module may end. */
int whole_ptx(const void *bytes, size_t n);
/* 1: one JSON object or array, with NaN and Infinity as Python writes them, and nothing else. */
int whole_json(const void *bytes, size_t n);

/* Whether a file holds max-autotune's choices, or is a file of another program.
 *
 * The path says little: many programs keep results at `cache/<64 hex>`. torch (2.6 to 2.13) writes
 * {"system": {..., "hash": <the file's name>}, "cache": {...}} and no other member. No other
 * program does that by chance. THREAD. */

/* 1: the bytes have this form, for a file of this name. The text must be JSON; else the answer
 * means nothing. Pure. */
int choices_are(const char *name, const void *bytes, size_t n);
