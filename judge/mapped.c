/* judge/mapped.c - which inputs a prefix map changes. */
#include "judge/mapped.h"

#include <string.h>

#include "judge/start.h"

#include "shim/banned.h"

#define MARK 0x01 /* keying/names.h */

/* 1: the path of the spec begins with the letters of dir, and the spec does not say so by the
 * directory's name. */
static int begins(struct start *s, const struct input *in, const struct name *dir)
{
	static const char hidden[] = {'A', MARK, 'B', '0' + NAMES_MAPPED};
	const char *path = in->spec_len > 1 ? in->spec + 1 : "";

	if (in->spec_len < 2 || in->spec[0] != 'A' ||
	    (in->spec_len >= sizeof hidden && memcmp(in->spec, hidden, sizeof hidden) == 0))
		return 0;
	if (memchr(path, MARK, in->spec_len - 1))
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
	return !path || strncmp(path, dir->text, dir->len) == 0;
}

int judge_mapped_alone(struct start *s, const struct candidate *c)
{
	const struct name *dir = &s->names.mapped;

	for (size_t i = 0; dir->len && i < c->count; i++)
		if (begins(s, &c->v[i], dir) ||
		    (c->v[i].kind == INPUT_REALPATH &&
		     strncmp(c->v[i].text, dir->text, dir->len) == 0))
			return 0;
	return 1;
}
