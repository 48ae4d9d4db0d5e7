/* A frame unpacked in pieces: never more than it says, and the same bytes as when unpacked at once.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/pack.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST (4u << 20)

struct taken {
	unsigned char *bytes;
	size_t n, room;
};

static int take(void *arg, const void *p, size_t n)
{
	struct taken *t = arg;

	expect(n > 0 && n <= t->room - t->n);
	memcpy(t->bytes + t->n, p, n);
	t->n += n;
	return 0;
}

/* The first three bytes are the length that is asked for, the rest is the frame. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;

	if (size < 3)
		return 0;
	size_t n = ((size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) % MOST;
	struct taken t = {malloc(n + 1), 0, n};
	unsigned char *at_once = arena_alloc(&a, n + 1);

	if (t.bytes && at_once && unpack_to(take, &t, n, data + 3, size - 3, &a) == 0) {
		expect(t.n == n);
		expect(unpack(at_once, n, data + 3, size - 3, &a) == 0);
		expect(memcmp(at_once, t.bytes, n) == 0);
	}
	free(t.bytes);
	arena_free(&a);
	return 0;
}
