/* units/choices.h - whether a file holds max-autotune's choices, or is a file of another program.
 *
 * The path says little: many programs keep results at `cache/<64 hex>`. torch (2.6 to 2.13) writes
 * {"system": {..., "hash": <the file's name>}, "cache": {...}} and no other member. No other
 * program does that by chance. THREAD. */
#ifndef UNITS_CHOICES_H
#define UNITS_CHOICES_H

#include <stddef.h>

/* 1: the bytes have this form, for a file of this name. The text must be JSON; else the answer
 * means nothing. Pure. */
int choices_are(const char *name, const void *bytes, size_t n);

#endif
