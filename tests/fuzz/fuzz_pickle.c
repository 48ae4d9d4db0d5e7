/* Pickles, JSON and objects on any bytes. The walk ends inside them. A complete text is cut without
 * its last byte, and with one more byte it may be nothing. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "units/format/whole.h"
#include "units/gather/gather.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	const char *source[16];
	/* Exactly as long: a step outside is seen. */
	uint8_t *mine = malloc(size + 1);
	int n;

	memcpy(mine, data, size);
	if (check_pickle(mine, size) == CHECK_WHOLE) {
		mine[size] = '.';
		if (size == 0 || mine[size - 1] != '.' ||
		    check_pickle(mine, size - 1) != CHECK_CUT ||
		    check_pickle(mine, size + 1) != CHECK_NEVER)
			abort();
	}
	free(mine);
	mine = malloc(size);
	memcpy(mine, data, size);
	n = pickle_sources(mine, size, source, 16, &a);
	for (int i = 0; i < n; i++)
		if (!*source[i] || strchr(source[i], '\n'))
			abort();
	if (check_json(mine, size) == CHECK_WHOLE && mine[size - 1] == '}' &&
	    check_json(mine, size - 1) != CHECK_CUT)
		abort();
	check_digest("entry", mine, size);
	check_kernel("k_sass_", mine, size);
	check_kernel("k_ptx_", mine, size);
	native_refusal(mine, size);
	check_damaged("f.nbi", mine, size);
	whole_file("k.json", mine, size);
	whole_file("k.cubin", mine, size);
	whole_file("k.ttir", mine, size);
	free(mine);
	arena_free(&a);
	return 0;
}
