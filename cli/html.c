/* cli/html.c - escapes texts for HTML. */
#include "cli/html.h"

#include "cli/utf8.h"

void html_text(FILE *to, const char *s)
{
	char clean[1024];

	for (s = utf8_clean(clean, sizeof clean, s); *s; s++)
		switch (*s) {
		case '<': fputs("&lt;", to); break;
		case '>': fputs("&gt;", to); break;
		case '&': fputs("&amp;", to); break;
		case '"': fputs("&quot;", to); break;
		default: fputc(*s, to);
		}
}
