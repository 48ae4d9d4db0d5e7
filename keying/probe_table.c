/* keying/probe_table.c - the table of the answers that a prober keeps. */
#include "keying/probe_table.h"

#include <xxhash.h>

#include "shim/banned.h"

/* Most starts ask about fewer paths. */
#define ANSWERS_FIRST 128u

struct probe_answer *probe_answer(struct prober *p, const char *path)
{
	size_t len = strlen(path);
	uint32_t hash = (uint32_t)XXH3_64bits(path, len);
	struct probe_answer *a;
	struct index_slot *s;

	if (index_table_room(&p->index, 2 * ANSWERS_FIRST, p->arena) < 0)
		return NULL;
	for (s = index_table_first(&p->index, hash); s->place; s = index_table_next(&p->index, s))
		if (s->hash == hash && !strcmp(p->answer[s->place - 1]->path, path))
			return p->answer[s->place - 1];
	if (!arena_room(p->arena, p->answer, p->count, &p->cap, ANSWERS_FIRST))
		return NULL;
	a = arena_alloc(p->arena, sizeof *a + len + 1);
	if (!a)
		return NULL;
	memcpy(a->path, path, len + 1);
	p->answer[p->count++] = a;
	index_table_take(&p->index, s, hash);
	return a;
}

void probe_keep_seen(struct probe_answer *a, const struct statx *st)
{
	memcpy(a->seen, st, sizeof a->seen);
}

void probe_seen(const struct probe_answer *a, struct statx *st)
{
	memcpy(st, a->seen, sizeof a->seen);
	memset((char *)st + sizeof a->seen, 0, sizeof *st - sizeof a->seen);
}

int probe_answer_stat(struct probe_answer *a)
{
	struct statx st;

	if (a->have & PROBE_HAVE_STAT)
		return a->stat_rc;
	a->stat_rc = sys_statx(AT_FDCWD, a->path, 0, MEMO_STATX, &st);
	if (a->stat_rc == 0)
		probe_keep_seen(a, &st);
	a->have |= PROBE_HAVE_STAT;
	return a->stat_rc;
}
