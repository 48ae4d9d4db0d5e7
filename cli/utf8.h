/* cli/utf8.h - texts of commands, which may hold any bytes, for JSON and HTML. TOOL. */
#ifndef CLI_UTF8_H
#define CLI_UTF8_H

#include <stddef.h>

/* Copies in to out, as much as fits: control bytes and what is no UTF-8 become U+FFFD. Returns
 * out. */
char *utf8_clean(char *out, size_t size, const char *in);

#endif
