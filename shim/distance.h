/* shim/distance.h - how far two words are apart, for "did you mean". THREAD. */
#ifndef SHIM_DISTANCE_H
#define SHIM_DISTANCE_H

#include <stddef.h>

/* Number of letters to insert, remove or replace to turn x, which has n letters, into y. Case does
 * not count. y has at most DISTANCE_MOST letters. Source: Wagner and Fischer, 1974. */
#define DISTANCE_MOST 64
size_t distance(const char *x, size_t n, const char *y);

#endif
