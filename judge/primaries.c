/* judge/primaries.c - searches the primary inputs. */
#include "judge/primaries.h"

#include <string.h>

#include "shim/banned.h"

#define FIRST 4 /* most commands name one file */

struct primary *primaries_next(struct primaries *p, struct arena *a)
{
	if (!arena_room(a, p->v, p->count, &p->cap, FIRST))
		return NULL;
	return &p->v[p->count];
}

int primaries_name(const struct primaries *p, const char *path)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->v[i].path, path) == 0)
			return 1;
	return 0;
}

struct primary *primaries_at(const struct primaries *p, const char *whole)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->v[i].whole, whole) == 0)
			return &p->v[i];
	return NULL;
}

int primaries_have_file(const struct primaries *p, const struct statx *st)
{
	for (size_t i = 0; i < p->count; i++)
		if (sys_same_file(&p->v[i].st, st))
			return 1;
	return 0;
}

int primaries_hold(const struct primaries *p, const struct digest *content)
{
	for (size_t i = 0; i < p->count; i++)
		if (digest_equal(&p->v[i].content, content))
			return 1;
	return 0;
}
