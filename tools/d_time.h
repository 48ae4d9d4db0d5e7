/* tools/d_time.h - whether a text of D may make the time part of a result.
 *
 * GDC's compiler asks for the time at the first name that begins with "_", in every compile. The
 * time reaches a result by __DATE__, __TIME__ and __TIMESTAMP__ alone. A text holds such a word, or
 * a string mixin makes the word at compile time, perhaps from a file that import("x") reads. What a
 * mixin makes is not known, so a text with either one answers 1.
 *
 * The modules that every compile reads hold string mixins, too (GDC 12: object, core.internal,
 * core.atomic). These modules answer 0. They mix in their own strings, and strings that a user of
 * their templates gives them. A text that names such a template answers 1. Pure code. THREAD. */
#ifndef TOOLS_D_TIME_H
#define TOOLS_D_TIME_H

#include <stddef.h>

/* 1: the text of the file may do so. Errs on the side of 1, as in comments and strings. */
int d_time_in(const char *path, const char *text, size_t n);
/* The zone of this value of TZ needs no file, so local time depends on the moment alone. */
int d_time_zone_fixed(const char *tz);

#endif
