/* units/choices.h - is a file max-autotune's, or that of a program with a cache of its own?
 *
 * The shape of such a path says little: `cache/<64 hex>` is where many programs keep what they worked out. torch (2.6 to
 * 2.13) writes {"system": {..., "hash": <the file's name>}, "cache": {...}} and nothing beside these two, which no other
 * program does by chance. THREAD. */
#ifndef UNITS_CHOICES_H
#define UNITS_CHOICES_H

#include <stddef.h>

/* 1: the bytes are of this form and for a file of this name. Of a text that is JSON; of others anything. Pure. */
int choices_are(const char *name, const void *bytes, size_t n);

#endif
