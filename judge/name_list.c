/* judge/name_list.c - looks for names in texts and specs. */
#include "judge/name_list.h"

#include <string.h>

#include "keying/names.h"
#include "shim/path.h"
#include "tools/asks_words.h"

#include "shim/banned.h"

#define PIECE_LEAST 4

size_t name_list_all(const struct name_list *l)
{
	return l->count + l->files;
}

const struct patch_name *name_list_find(const struct name_list *l, unsigned kind, unsigned index)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->v[i].kind == kind && l->v[i].index == index)
			return &l->v[i];
	return NULL;
}

static int is_spelled(const struct patch_name *name, const void *text, size_t n)
{
	return n && memmem(text, n, name->text, name->len);
}

/* 1: the name is one component of a path, which a generator made. */
static int is_component(const struct patch_name *name)
{
	return name->kind == NAME_KIND_TEMP || name->kind == NAME_KIND_TRIED;
}

/* The word of the text whose last byte is at `last` is an end of the name. */
static int is_end(const char *text, const char *last, const char *name, size_t len)
{
	const char *word = last;
	size_t n;

	while (word > text && asks_is_word(word[-1]))
		word--;
	n = (size_t)(last + 1 - word);
	return n < len && memcmp(name + len - n, word, n) == 0;
}

/* 1: the text has the name without its last bytes, or a word that ends the name. Shorter words are
 * in most texts. */
static int has_piece(const struct patch_name *which, const char *text, size_t n)
{
	const char *name = path_base(which->text), *end = text + n, *p = text;
	size_t len = strlen(name);

	if (len < 2 * PIECE_LEAST || !n)
		return 0;
	if (memmem(text, n, name, len - PIECE_LEAST + 1))
		return 1;
	for (; (p = memmem(p, (size_t)(end - p), name + len - PIECE_LEAST, PIECE_LEAST)); p++) {
		const char *after = p + PIECE_LEAST;

		if ((after == end || !asks_is_word(*after)) && is_end(text, after - 1, name, len))
			return 1;
	}
	return 0;
}

int name_list_occurs(const struct name_list *l, const void *text, size_t n)
{
	for (size_t i = 0; i < l->count; i++)
		if (is_spelled(&l->v[i], text, n))
			return 1;
	return 0;
}

uint64_t name_list_spelled(const struct name_list *l, const void *text, size_t n)
{
	uint64_t found = 0;

	for (size_t i = 0; i < l->count && i < NAMES_MOST; i++)
		if (is_spelled(&l->v[i], text, n))
			found |= 1ull << i;
	return found;
}

uint64_t name_list_pieces(const struct name_list *l, const char *text, size_t n)
{
	uint64_t found = 0;

	for (size_t i = 0; i < l->count && i < NAMES_MOST; i++)
		if (is_component(&l->v[i]) && has_piece(&l->v[i], text, n))
			found |= 1ull << i;
	return found;
}

uint64_t name_list_in_spec(const struct name_list *l, const char *spec, size_t len)
{
	unsigned char kind, index;
	uint64_t found = 0;

	for (size_t i = 0; i + 2 < len; i++) {
		if (spec[i] != NAMES_MARK)
			continue;
		if (spec[++i] == NAMES_MARK)
			continue;
		names_spec_kind(spec + i, &kind, &index);
		for (size_t k = 0; k < l->count && k < NAMES_MOST; k++)
			if (l->v[k].kind == kind && l->v[k].index == index)
				found |= 1ull << k;
	}
	return found;
}
