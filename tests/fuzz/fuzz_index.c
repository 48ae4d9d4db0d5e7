/* Triton's index on any bytes. An index that is stripped of its directory and filled with it again
 * is the same text. Filled with another directory, it reads back with that directory. Any bytes as
 * a path come back from their escaped form. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/buf.h"
#include "units/format/index.h"
#include "units/format/json_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const unsigned char *fill(const struct parcel_file *f, const char *dir, uint64_t *n,
                                 struct arena *a)
{
	const unsigned char *bytes = parcel_file_bytes(f, dir, n, a);

	if (!bytes)
		abort();
	return bytes;
}

static void check_index(const struct index *x, const uint8_t *data, size_t size, struct arena *a)
{
	static struct index other;
	size_t len;
	uint64_t n, *mark;
	struct parcel_file f = {.name = "i", .marks = x->names};

	f.data = index_strip(x, data, size, &len, &mark, a);
	f.len = len;
	f.mark = mark;
	if (!f.data)
		abort();
	const unsigned char *bytes = fill(&f, x->dir, &n, a);
	if (n != size || memcmp(bytes, data, size) != 0)
		abort();
	bytes = fill(&f, "/\xff\xc3\xa9", &n, a);
	if (n > INDEX_TEXT_MAX)
		return;
	if (index_parse(&other, bytes, n, a) < 0 || strcmp(other.dir, "/\xff\xc3\xa9") != 0 ||
	    other.names != x->names)
		abort();
	for (unsigned i = 0; i < x->names; i++)
		if (!parcel_name_ok(x->name[i]) || strcmp(x->name[i], other.name[i]) != 0)
			abort();
}

/* {"child_paths": {"k": "/<bytes>/k"}} */
static void check_path(const uint8_t *data, size_t size, struct arena *a)
{
	static struct index x;
	char *path = arena_cat(a, "/", arena_memdup(a, data, size), NULL);
	struct buf b = BUF_INIT(a);
	size_t n;

	buf_str(&b, "{\"child_paths\": {\"k\": \"");
	buf_str(&b, json_path_escape(path, &n, a));
	buf_str(&b, "/k\"}}");
	if (!b.failed && b.len <= INDEX_TEXT_MAX &&
	    (index_parse(&x, b.data, b.len, a) < 0 || strcmp(x.dir, path) != 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct index x;
	struct arena a = ARENA_INIT;

	if (index_parse(&x, data, size, &a) == 0)
		check_index(&x, data, size, &a);
	check_path(data, size, &a);
	arena_free(&a);
	return 0;
}
