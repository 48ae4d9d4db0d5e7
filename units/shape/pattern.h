/* units/shape/pattern.h - path patterns, the language of the columns `path`, `member` and `index`
 * of units/units.def.
 *
 *   x        the character itself; of "[](){}|!?*#<\ " none stands for itself
 *   [a-z_]   one character of a set: ranges and single characters
 *   x{n}     n times that character or set
 *   ?        any character but '/'
 *   *        any characters but '/', or none
 *   #        all decimal digits that follow, at least one
 *   \n       the first n (1 to 9) characters of the component before this one, again
 *   (a|b|)   one of these; what follows decides which
 *   !(a|b)   the rest of the component is none of these
 *   <        begins the part that is the unit's name; without it the pattern's begin does
 *   /        separates components
 *
 * Groups do not nest. Neither '?' nor '*' takes a dot that begins a component. Several patterns
 * stand in one text with a space between; the first that fits counts. All functions are pure, take
 * constant stack, and read a pattern as it stands: nothing is compiled or kept. fnmatch(3) is not
 * fit for this: glibc's allocates, and depends on the locale that the host set. CHILD. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The pattern after this one in its text, or NULL. */
const char *pattern_next(const char *pattern);
/* 1: all of path[0 .. n) fits the pattern; *name is where the unit's name begins. The path has as
 * many components as the pattern. */
int pattern_fits(const char *pattern, const char *path, size_t n, size_t *name);
/* 1: the last components of path[0 .. n) fit the first components of the pattern, but not all of
 * them. So a path that fits the pattern lies below this one. */
int pattern_fits_above(const char *pattern, const char *path, size_t n);
/* Components of the pattern, at least 1. */
unsigned pattern_components(const char *pattern);
/* Where the last `count` components of path[0 .. n) begin, or -1: there are fewer. */
ptrdiff_t pattern_place(const char *path, size_t n, unsigned count);

/* A component, or a whole pattern, may be so long. */
#define PATTERN_ANY_LENGTH SIZE_MAX
/* A character at a fixed distance from a component's end: no component fits without it. */
struct pattern_guard {
	size_t least, most;    /* length of the component */
	/* of the character from the end, 1 for the last one; 0: there is none */
	size_t distance;
	unsigned char set[32]; /* bits 1 << c % 8 in [c / 8]: what it may be */
};
/* For the pattern's component that has `after` components behind it. */
void pattern_guard(struct pattern_guard *g, const char *pattern, unsigned after);
