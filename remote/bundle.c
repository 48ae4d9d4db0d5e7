/* remote/bundle.c - bundle, version 1; little-endian, no padding
 *
 *   offset 0   7  magic    "RPRLIST"
 *          7   1  version  1
 *          8   4  count    of blobs, 1 to 32
 *         12   4  length   of the first blob, at least 1; and so on, for each blob
 *          .   .  blobs    newest first; the last one ends with the object
 *
 * Specimen: tests/unit/test_bundle.c. */
#include "remote/bundle.h"

#include <string.h>

#include "shim/buf.h"

#include "shim/banned.h"

#define BUNDLE_MAGIC "RPRLIST"
#define BUNDLE_VERSION 1
enum { OFF_VERSION = 7, OFF_COUNT = 8 };

int bundle_read(struct backend_list *out, const void *bytes, size_t n)
{
	const unsigned char *p = bytes, *length, *blob;
	size_t left, count;

	out->count = 0;
	out->length = 0;
	if (n < BUNDLE_HEAD || n > BUNDLE_MOST || memcmp(p, BUNDLE_MAGIC, OFF_VERSION) != 0 ||
	    p[OFF_VERSION] != BUNDLE_VERSION)
		return -1;
	count = (size_t)le_get(p + OFF_COUNT, 4);
	if (count < 1 || count > BACKEND_LIST || n - BUNDLE_HEAD < count * 4)
		return -1;
	length = p + BUNDLE_HEAD;
	blob = length + count * 4;
	left = n - BUNDLE_HEAD - count * 4;
	for (size_t i = 0; i < count; i++) {
		size_t len = (size_t)le_get(length + i * 4, 4);

		if (len < 1 || len > left)
			return -1;
		out->v[i] = (struct backend_bytes){blob, len};
		blob += len;
		left -= len;
	}
	if (left)
		return -1;
	out->count = (unsigned)count;
	out->length = (int64_t)count;
	return 0;
}

unsigned char *bundle_add(const struct backend_list *old, struct backend_bytes blob, int drop,
                          size_t *len, struct arena *a)
{
	struct backend_bytes v[BACKEND_LIST] = {blob};
	size_t sum = blob.len, count = 1;
	unsigned char *made, *p;

	if (blob.len < 1 || blob.len > BUNDLE_BLOBS)
		return NULL;
	for (unsigned i = 0; i < old->count && count < BACKEND_LIST; i++) {
		const struct backend_bytes *e = &old->v[i];

		if ((int)i == drop ||
		    (e->len == blob.len && memcmp(e->data, blob.data, blob.len) == 0))
			continue;
		/* Those that are older would only be found after this one. */
		if (e->len > BUNDLE_BLOBS - sum)
			break;
		sum += e->len;
		v[count++] = *e;
	}
	*len = BUNDLE_HEAD + count * 4 + sum;
	made = arena_alloc(a, *len);
	if (!made)
		return NULL;
	memcpy(made, BUNDLE_MAGIC, OFF_VERSION);
	made[OFF_VERSION] = BUNDLE_VERSION;
	p = le_put(made + OFF_COUNT, count, 4);
	for (size_t i = 0; i < count; i++)
		p = le_put(p, v[i].len, 4);
	for (size_t i = 0; i < count; i++) {
		memcpy(p, v[i].data, v[i].len);
		p += v[i].len;
	}
	return made;
}

void bundle_slice(struct backend_list *list, unsigned from, unsigned max)
{
	unsigned n = from < list->count ? list->count - from : 0;

	n = n < max ? n : max;
	memmove(list->v, list->v + (n ? from : 0), n * sizeof *list->v);
	list->count = n;
}
