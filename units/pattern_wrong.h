/* units/pattern_wrong.h - checks a pattern of the user's. Pure. THREAD. */
#ifndef UNITS_PATTERN_WRONG_H
#define UNITS_PATTERN_WRONG_H

#define PATTERN_MOST 200 /* bytes of a pattern */

/* NULL where the text is one pattern of units/pattern.h that costs a look-up little; else what is
 * wrong with it. */
const char *pattern_wrong(const char *text);

#endif
