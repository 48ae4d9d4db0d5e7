/* PTX on any bytes. Patches can find and put back each listed name: it is plain, long enough and in
 * the text. A text with other names must be as good. (The key stays the same for real PTX, in
 * test_ptx. In odd text a new name may stand where the old one was part of a word: that costs a
 * hit.) */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/text/ptx.h"
#include "tools/text/ptx_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check_names(const struct input_text *x)
{
	require(x->count >= 0 && x->count <= INPUT_TEXT_SOURCES_MAX);
	for (int i = 0; i < x->count; i++) {
		require(x->names[i].kind == NAME_KIND_TEXT &&
		        x->names[i].index < INPUT_TEXT_SOURCES_MAX);
		require(x->names[i].len >= NAME_VOLATILE_MIN);
		require(x->names[i].len == strlen(x->names[i].text));
		require(!i || x->names[i].index > x->names[i - 1].index);
	}
}

/* Other names of the same lengths, all different from each other and from what they replace. */
static void other_names(struct patch_name *to, const struct input_text *x, struct arena *a)
{
	for (int i = 0; i < x->count; i++) {
		char *text = arena_memdup(a, x->names[i].text, x->names[i].len);

		to[i] = x->names[i];
		to[i].text = text;
		for (size_t k = 0; k < to[i].len; k++)
			if (text[k] != '/')
				text[k] = text[k] == 'q' ? 'z' : 'q';
		/* "//" would be no plain name; the index keeps two names apart */
		text[to[i].len - 1] = (char)('A' + to[i].index % 26);
		text[to[i].len - 2] = (char)(text[to[i].len - 2] == '/' ? '/'
		                             : 'a' + to[i].index / 26);
	}
}

static int ask(const char *path, long long *mtime, unsigned long long *size)
{
	*mtime = 1700000000 + (long long)strlen(path);
	*size = strlen(path) * 100;
	return path[0] == 'x' ? -1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct input_text x, again, sloppy;
	struct patch_name to[INPUT_TEXT_NAMES_MAX];
	struct patch_list l;
	/* an exact copy, so that a byte read behind it is seen */
	char *text = malloc(size ? size : 1), *other;

	memcpy(text, data, size);
	if (ptx_canonical(&x, text, size, 0, &a) < 0) {
		require(ptx_canonical(&x, text, size, 1, &a) < 0);
		goto out;
	}
	check_names(&x);
	require(ptx_canonical(&sloppy, text, size, 1, &a) == 0);
	check_names(&sloppy);
	require(ptx_canonical(&again, text, size, 0, &a) == 0);
	require(digest_equal(&again.canonical, &x.canonical) && again.count == x.count);

	patch_find(&l, text, size, x.names, (size_t)x.count, &a);
	require(l.overflow || l.count >= (size_t)x.count / 2);
	other = arena_memdup(&a, text, size);
	other_names(to, &x, &a);
	if (l.overflow || patch_apply(other, size, l.v, l.count, x.names, (size_t)x.count, to,
	                              (size_t)x.count) < 0)
		goto out;
	if (ptx_canonical(&again, other, size, 0, &a) == 0)
		check_names(&again);
	require(ptx_add_sources(&x, ask, &a) == 0 && x.count <= INPUT_TEXT_NAMES_MAX);
	for (int i = 0; i < x.source_count; i++)
		require(input_text_source_of(&x, x.sources[i].path) >= 0);
	x.asked = ~0ull;
	input_text_entries_hold(&x, text, size);
out:
	free(text);
	arena_free(&a);
	return 0;
}
