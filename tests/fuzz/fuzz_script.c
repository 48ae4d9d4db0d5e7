/* Scripts of any bytes. A text that is read holds neither a substitution nor a descriptor; nothing
 * is read beyond the text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/script/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void variable(void *ctx, const char *name, size_t n)
{
	(void)ctx;
	if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != n)
		abort();
}

static void ignore(void *ctx, const char *pattern)
{
	(void)ctx;
	(void)pattern;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shell_found found = {variable, NULL, 0, 0};
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!shell_read(text, size, &found) && !strpbrk(text, "'#\"") && strpbrk(text, "<>`"))
		abort();
	varying_named(text, ignore, NULL);
	free(text);
	return 0;
}
