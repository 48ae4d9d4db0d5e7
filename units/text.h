/* units/text.h - reads small files, and finds lines in them. THREAD; of libc only string.h. */
#ifndef UNITS_TEXT_H
#define UNITS_TEXT_H

#include "shim/arena.h"

/* A regular file or one of /proc, cut at max bytes; ends in NUL, which *n does not count. NULL: it
 * cannot be read. */
char *text_read(const char *path, size_t max, size_t *n, struct arena *a);
/* The rest of the first line that begins with head, without blanks around it, copied. NULL: no such
 * line. */
char *text_line(const char *text, const char *head, struct arena *a);
/* A variable's value in m bytes of an environment, as /proc/<pid>/environ holds it. NULL: it is not
 * there, or cut. */
const char *text_variable(const char *block, size_t m, const char *name);

#endif
