/* keying/probe_table.c - the table of the answers that a prober keeps. */
#include "keying/probe_table.h"

#include <xxhash.h>

#include "shim/banned.h"

#define TABLE_FIRST 256u

static int table_grow(struct prober *p)
{
	size_t cap = p->cap ? 2 * p->cap : TABLE_FIRST;
	struct probe_slot *table = arena_alloc(p->arena, cap * sizeof *table);

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < p->cap; i++) {
		size_t at = p->table[i].hash & (cap - 1);

		if (!p->table[i].answer)
			continue;
		while (table[at].answer)
			at = (at + 1) & (cap - 1);
		table[at] = p->table[i];
	}
	p->table = table;
	p->cap = cap;
	return 0;
}

struct probe_answer *probe_answer(struct prober *p, const char *path)
{
	size_t len = strlen(path);
	uint64_t hash = XXH3_64bits(path, len);
	struct probe_answer *a;
	size_t at;

	if (4 * (p->count + 1) > 3 * p->cap && table_grow(p) < 0)
		return NULL;
	for (at = hash & (p->cap - 1); p->table[at].answer; at = (at + 1) & (p->cap - 1))
		if (p->table[at].hash == hash && !strcmp(p->table[at].answer->path, path))
			return p->table[at].answer;
	a = arena_alloc(p->arena, sizeof *a + len + 1);
	if (!a)
		return NULL;
	memcpy(a->path, path, len + 1);
	p->table[at].hash = hash;
	p->table[at].answer = a;
	p->count++;
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
	a->stat_rc = sys_statx(AT_FDCWD, a->path, 0, PROBE_STATX, &st);
	if (a->stat_rc == 0)
		probe_keep_seen(a, &st);
	a->have |= PROBE_HAVE_STAT;
	return a->stat_rc;
}
