/* judge/names.c - all names of one start in one list: what its result is bound to, and what is exchanged in it (docs/internals/names.md). */
#include "judge/names.h"

#include <limits.h>
#include <string.h>

#include "tools/module_hash.h"

#include "shim/banned.h"

static struct patch_name base_name(const struct start *a, int i)
{
	const char *dir = names_base(&a->names, i);

	return (struct patch_name){'B', (unsigned char)i, dir, strlen(dir)};
}

/* The hashes of sources follow from names and directories, which bind already, and are in
 * symbols. One a place, and each once: which of two equal ones stands in an output nobody could
 * tell. */
static void add_hashes(struct start *a)
{
	struct patch_name *first = a->all_names + a->all_count, *end = first;

	for (size_t i = 0; i < a->primary_count && i <= UCHAR_MAX; i++) {
		char *text = arena_alloc(&a->arena, MODULE_HASH + 1);
		const struct patch_name *same = first;
		const char *real;

		if (end - first == MODULE_HASHES_MOST)
			break;
		if (!text || a->primary[i].response || !module_hash_covers(a->primary[i].path) ||
		    probe_realpath(&a->prober, a->primary[i].path, &real) < 0)
			continue;
		module_hash(text, real);
		while (same < end && strcmp(same->text, text) != 0)
			same++;
		if (same == end)
			*end++ = (struct patch_name){'H', (unsigned char)i, text, MODULE_HASH};
	}
	a->all_count += (size_t)(end - first);
}

/* Volatile as numbered, bases used, the tool's own, hashes of sources, PTX names; TMPDIR, which
 * is in no output, last. */
int judge_names(struct start *a)
{
	size_t n = (size_t)a->names.count + NAMES_MAX + 1 + MODULE_HASHES_MOST +
	           (a->ptx ? (size_t)a->ptx->count : 0);
	struct patch_name *v = arena_alloc(&a->arena, (n + 1) * sizeof *v);

	if (!v)
		return -1;
	a->all_names = v;
	a->all_count = 0;
	for (int i = 0; i < a->names.count; i++)
		v[a->all_count++] = (struct patch_name){'T', (unsigned char)i, a->names.v[i].text,
		                                        a->names.v[i].len};
	for (int i = 0; i < NAMES_TMPDIR; i++)
		if (a->names.base_used >> i & 1)
			v[a->all_count++] = base_name(a, i);
	if (a->names.own.len)
		v[a->all_count++] = (struct patch_name){'X', 0, a->names.own.text, a->names.own.len};
	if (a->row->flags & TOOL_NAMES_HASHES)
		add_hashes(a);
	for (int i = 0; a->ptx && i < a->ptx->count; i++)
		v[a->all_count++] = a->ptx->names[i];
	a->output_count = a->all_count;
	if (a->names.base_used >> NAMES_TMPDIR & 1)
		v[a->all_count++] = base_name(a, NAMES_TMPDIR);
	names_close(&a->names);
	return 0;
}
