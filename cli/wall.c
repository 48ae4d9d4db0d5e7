/* cli/wall.c - lengths of unions of intervals. */
#include "cli/wall.h"

#include <stdlib.h>
#include <string.h>

static int by_group(const void *x, const void *y)
{
	const struct wall_span *a = x, *b = y;
	int order = (a->group > b->group) - (a->group < b->group);

	if (order == 0)
		order = strcmp(a->host, b->host);
	if (order == 0)
		order = (a->kind > b->kind) - (a->kind < b->kind);
	return order ? order : (a->from > b->from) - (a->from < b->from);
}

static int same_node(const struct wall_span *a, const struct wall_span *b)
{
	return a->group == b->group && strcmp(a->host, b->host) == 0;
}

/* Of the first spans, those of one node and kind. Returns their number. */
static size_t union_of(const struct wall_span *v, size_t count, int64_t *length)
{
	int64_t end = v[0].from;
	size_t i = 0;

	*length = 0;
	for (; i < count && same_node(&v[i], &v[0]) && v[i].kind == v[0].kind; i++) {
		int64_t from = v[i].from > end ? v[i].from : end;

		if (v[i].to <= from)
			continue;
		*length += v[i].to - from;
		end = v[i].to;
	}
	return i;
}

void wall_saved(int64_t *saved, size_t groups, struct wall_span *v, size_t count)
{
	size_t last = groups;

	memset(saved, 0, groups * sizeof *saved);
	if (count)
		qsort(v, count, sizeof *v, by_group);
	for (size_t i = 0; i < count;) {
		size_t first = i, group = v[i].group;
		int64_t length, node = 0;

		while (i < count && same_node(&v[i], &v[first])) {
			enum wall_kind kind = v[i].kind;

			i += union_of(v + i, count - i, &length);
			node += kind == WALL_SPARED ? length : -length;
		}
		if (group != last || node > saved[group])
			saved[group] = node;
		last = group;
	}
}
