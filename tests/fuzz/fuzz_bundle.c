/* The bundle parser on any bytes: what it accepts lies inside the bytes, and comes back unchanged
 * from a bundle that is made of it. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "expect.h"
#include "remote/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct backend_list list, again;
	struct backend_bytes front = {(const unsigned char *)"the newest", 10};
	const unsigned char *made;
	size_t len, sum = 0;
	unsigned expected = 1;

	if (bundle_read(&list, data, size) < 0) {
		expect(list.count == 0);
		return 0;
	}
	expect(list.count >= 1 && list.count <= BACKEND_LIST && list.length == list.count);
	for (unsigned i = 0; i < list.count; i++) {
		expect(list.v[i].len >= 1 && list.v[i].data >= data &&
		       list.v[i].data + list.v[i].len <= data + size);
		sum += list.v[i].len;
	}
	expect(sum + BUNDLE_HEAD + 4 * (size_t)list.count == size);
	made = bundle_add(&list, front, 0, &len, &a);
	expect(made && len <= BUNDLE_MOST && bundle_read(&again, made, len) == 0);
	expect(again.v[0].len == 10 && memcmp(again.v[0].data, "the newest", 10) == 0);
	for (unsigned i = 1; i < list.count && expected < again.count; i++) {
		if (list.v[i].len == 10 && memcmp(list.v[i].data, "the newest", 10) == 0)
			continue;
		expect(list.v[i].len == again.v[expected].len &&
		       memcmp(list.v[i].data, again.v[expected].data, list.v[i].len) == 0);
		expected++;
	}
	expect(expected == again.count);
	arena_free(&a);
	return 0;
}
