/* max-autotune's file on any bytes. A valid file is valid for its own name alone. It is invalid
 * when it is cut or goes on. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "expect.h"
#include "shim/arena.h"
#include "shim/buf.h"
#include "units/format/whole.h"

#define NAME "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);

	if (!choices_are(NAME, data, size))
		goto out;
	expect(!choices_are(NAME "0", data, size));
	expect(memmem(data, size, NAME, sizeof NAME - 1) != NULL);
	buf_add(&b, data, size);
	buf_u8(&b, '}');
	expect(b.failed || !choices_are(NAME, b.data, b.len));
	while (size && data[size - 1] != '}')
		size--;
	expect(size && !choices_are(NAME, data, size - 1));
out:
	arena_free(&a);
	return 0;
}
