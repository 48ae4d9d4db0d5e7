/* Any text in Perl. Nothing is read beyond it. An accepted text holds, outside of strings and
 * comments, no word whose value differs between two runs. */
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
	/* A text with a quote, comment sign or bracket may hide the rest from this check, so it is
	 * left out. */
	if (!perl_text(text, &found) && !strpbrk(text, "'\"`#/|!,(q_") && strstr(text, "$$"))
		abort();
	free(text);
	return 0;
}
