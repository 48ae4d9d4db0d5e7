/* judge/name_list.c - looks for names in texts and specs. */
#include "judge/name_list.h"

#include <string.h>

#include "keying/names.h"

#include "shim/banned.h"

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

uint64_t name_list_in_spec(const struct name_list *l, const char *spec, size_t len)
{
	uint64_t found = 0;

	for (size_t i = 0; i + 2 < len; i++) {
		if (spec[i] != NAMES_MARK)
			continue;
		if (spec[++i] == NAMES_MARK)
			continue;
		for (size_t k = 0; k < l->count && k < NAMES_MOST; k++)
			if (l->v[k].kind == (unsigned char)spec[i] &&
			    l->v[k].index == spec[i + 1] - '0')
				found |= 1ull << k;
	}
	return found;
}
