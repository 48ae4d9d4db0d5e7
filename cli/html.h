/* cli/html.h - any bytes as a text of HTML. TOOL. */
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include <stdio.h>

/* Prints s, at most its first 1,000 bytes. */
void html_text(FILE *to, const char *s);

#endif
