/* judge/alone.c - compares the letters of inputs' paths. */
#include "judge/alone.h"

#include <string.h>

#include "keying/names_bases.h"

#include "shim/banned.h"

/* 1: the path of the spec begins with the letters of dir, and the spec does not say so by the
 * directory's name. */
static int begins(struct start *s, const struct input *in, const char *dir, unsigned kind)
{
	const char named[] = {SPEC_ABSOLUTE, NAMES_MARK, NAME_KIND_BASE, (char)('0' + kind)};
	const char *path = in->spec_len > 1 ? in->spec + 1 : "";

	if (in->spec_len < 2 || in->spec[0] != SPEC_ABSOLUTE ||
	    (in->spec_len >= sizeof named && memcmp(in->spec, named, sizeof named) == 0))
		return 0;
	if (memchr(path, NAMES_MARK, in->spec_len - 1))
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
	return !path || strncmp(path, dir, strlen(dir)) == 0;
}

int judge_alone(struct start *s, const struct candidate *c, unsigned kind)
{
	const char *dir = kind == NAME_KIND_MAPPED || kind == NAME_KIND_DIRECTORY
	                          ? names_base(&s->names, (int)kind) : NULL;

	for (size_t i = 0; dir && i < c->count; i++)
		if (begins(s, &c->v[i], dir, kind) ||
		    (c->v[i].kind == INPUT_REALPATH &&
		     strncmp(c->v[i].text, dir, strlen(dir)) == 0))
			return 0;
	return 1;
}
