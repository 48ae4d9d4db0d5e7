/* Scripts of any bytes. What is left without comments is no longer than the text; a script that
 * only passes its arguments on names no variable; nothing is read beyond the text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/script_eval.h"
#include "tools/script_words.h"
#include "tools/shell.h"
#include "tools/shell_argument.h"
#include "tools/varying.h"

static int ran(void *ctx, const char *program)
{
	(void)ctx;
	return program[0] < 'm';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t names;
static void count(void *ctx, const char *name)
{
	(void)ctx;
	if (strlen(name) >= 128)
		abort();
	names++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	char *text, *clean;
	int rc;

	if (memchr(data, 0, size))
		size = strlen((const char *)data);
	/* Exact copies, so that a byte read behind them is seen. */
	text = malloc(size + 1);
	clean = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	script_clean(text, size, clean);
	if (strlen(clean) > size)
		abort();
	(void)script_asks(clean);
	(void)script_races(clean, 0);
	(void)shell_looks_into_arguments(clean, ran, NULL, &a);
	(void)script_eval_is_plain((const char *[]){clean, "x=$(y)\n"}, 2);
	(void)script_lists_variables(clean);
	(void)script_evaluates(clean);
	varying_named(clean, count, NULL);
	names = 0;
	rc = shell_variables(clean, count, NULL);
	if (shell_passes_arguments(clean) && (rc < 0 || names))
		abort();
	arena_free(&a);
	free(text);
	free(clean);
	return 0;
}
