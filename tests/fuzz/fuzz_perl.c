/* Any text in Perl. Nothing is read beyond it, and one that is read holds none of the words that
 * differ between two runs outside of a string or a comment. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perl_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore(void *ctx, const char *name, size_t n)
{
	(void)ctx;
	if (!memchr(name, '\0', n + 1) && !n)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perl_found found = {ignore, NULL, 0};
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	/* A quote, a comment or a bracket may hold the rest: it has none of their signs. */
	if (!perl_text(text, &found) && !strpbrk(text, "'\"`#/|!,(q_") && strstr(text, "$$"))
		abort();
	free(text);
	return 0;
}
