/* Names on any bytes: the input's lines are arguments, paths and specs. A path comes back from its
 * spec unchanged. A spec from a damaged entry resolves to a path or to nothing. Patches that are
 * found in any bytes apply and lead back. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names/bases.h"
#include "names/name_shape.h"
#include "names/patch.h"
#include "shim/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check_path(struct names *n, const char *path, struct arena *a)
{
	struct buf spec = BUF_INIT(a);
	const char *back;

	names_path(n, path, &spec);
	require(!spec.failed);
	back = names_resolve(n, (char *)spec.data, spec.len, a);
	require(back && strcmp(back, path) == 0);
	require(names_print((char *)spec.data + 1, spec.len - 1, a) != NULL);
}

/* Renamed and named back again, data is what it was; rewriting agrees with patching in place. */
static void check_patches(const struct names *n, const uint8_t *data, size_t size, struct arena *a)
{
	struct patch_name from[NAMES_VOLATILE_MAX], to[NAMES_VOLATILE_MAX];
	struct buf out = BUF_INIT(a);
	struct patch_list l;
	char *copy = arena_memdup(a, data, size);
	size_t count = (size_t)n->count;

	for (size_t i = 0; i < count; i++) {
		char *text = arena_memdup(a, n->v[i].text, n->v[i].len);

		from[i] = to[i] = (struct patch_name){NAME_KIND_TEMP, (unsigned char)i,
		                                      n->v[i].text, n->v[i].len};
		text[i % n->v[i].len] ^= 1;
		to[i].text = text;
	}
	patch_find(&l, data, size, from, count, a);
	require(patch_apply(copy, size, l.v, l.count, from, count, to, count) == 0);
	require(patch_rewrite(&out, data, size, l.v, l.count, from, count, to, count) == 0);
	require(out.len == size && (!size || memcmp(out.data, copy, size) == 0));
	require(patch_apply(copy, size, l.v, l.count, to, count, from, count) == 0);
	require(memcmp(copy, data, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *env[] = {"TORCHINDUCTOR_CACHE_DIR=/tmp/torchinductor_u",
	                      "TRITON_CACHE_DIR=/tmp/torchinductor_u/triton/0", NULL};
	struct arena a = ARENA_INIT;
	struct names n;
	/* the first line is a list of base directories, and of temporary roots */
	char *text = arena_memdup(&a, data, size), *end = strchrnul(text, '\n'), *line;
	char *first = arena_memdup(&a, text, (size_t)(end - text));

	names_init(&n, &a, 1000, "/scratch", first, first, env);
	names_move_tmpdir(&n, "/scratch");
	for (line = *end ? end + 1 : end; *line; line = *end ? end + 1 : end) {
		struct buf spec = BUF_INIT(&a);
		char *exact;

		end = strchrnul(line, '\n');
		/* an exact copy, so that a byte read behind it is seen */
		exact = malloc((size_t)(end - line) + 1);
		memcpy(exact, line, (size_t)(end - line));
		exact[end - line] = 0;
		check_path(&n, exact, &a);
		names_arg(&n, exact, 1, &spec);
		require(!spec.failed && n.count <= NAMES_VOLATILE_MAX);
		check_path(&n, exact, &a);
		names_resolve(&n, exact, (size_t)(end - line), &a);
		name_is_volatile(exact, (size_t)(end - line));
		free(exact);
	}
	if (n.count)
		check_patches(&n, data, size, &a);
	arena_free(&a);
	return 0;
}
