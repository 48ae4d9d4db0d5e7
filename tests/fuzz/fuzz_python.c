/* Texts in Python of any bytes, also as a .pth file: an answer, and nothing read beyond. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/python_argument.h"
#include "tools/python_start.h"
#include "tools/python_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *ctx, const char *name)
{
	*(size_t *)ctx += strlen(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	size_t letters = 0, len;
	struct python_found found = {count, count, &letters};
	struct python_tokens t = {0};
	char *text;

	if (memchr(data, 0, size))
		size = strlen((const char *)data);
	/* An exact copy, so that a byte read behind it is seen. */
	text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	if (!python_text(text, size & 1, &found, &a)) {
		python_tokens(&t, text, &a);
		(void)python_looks_into_arguments(&t, size & 1, &a);
	}
	(void)python_paths_run(text, &len);
	(void)python_site_known(text, size);
	arena_free(&a);
	free(text);
	return 0;
}
