/* The answers of a library on any bytes: accepted bytes encode to the same bytes, and nothing is
 * read beyond the end. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jit/product.h"
#include "shim/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = ARENA_INIT;
	uint8_t *exact = malloc(size + 1);
	struct buf again = BUF_INIT(&arena);
	struct answers a;

	if (!exact)
		abort();
	memcpy(exact, data, size);
	exact = realloc(exact, size ? size : 1);
	if (exact && answers_decode(&a, exact, size, &arena) == 0) {
		for (unsigned i = 0; i < a.count; i++)
			if (a.v[i].value[a.v[i].len] || !answers_find(&a, a.v[i].kind, a.v[i].name))
				abort();
		answers_encode(&again, &a);
		if (again.failed || again.len != size)
			abort();
	}
	free(exact);
	arena_free(&arena);
	return 0;
}
