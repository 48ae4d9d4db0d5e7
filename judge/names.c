/* judge/names.c - all names of a start in one list: the result is bound to them, or they are
 * exchanged in it (docs/internals/names.md). */
#include "judge/names.h"

#include <limits.h>
#include <string.h>

#include "keying/names_bases.h"
#include "tools/driver.h"

#include "shim/banned.h"

static struct patch_name base_name(const struct start *s, int i)
{
	const char *dir = names_base(&s->names, i);

	return (struct patch_name){NAME_KIND_BASE, (unsigned char)i, dir, strlen(dir)};
}

/* The hashes of sources stand in symbols. They follow from names and directories, which bind
 * already. The list has each hash once, since two equal hashes in an output could not be told
 * apart. */
static void add_hashes(struct start *s)
{
	struct name_list *l = &s->all_names;
	struct patch_name *first = l->v + l->count, *end = first;

	for (size_t i = 0; i < s->primaries.count && i <= UCHAR_MAX; i++) {
		const struct primary *p = &s->primaries.v[i];
		const struct patch_name *same = first;
		const char *real;
		char *text;

		if (end - first == SOURCE_HASHES_MOST)
			break;
		if (p->response || !driver_source_hash(s->row, p->path, NULL, NULL) ||
		    !(text = arena_alloc(&s->arena, SOURCE_HASH + 1)) ||
		    probe_realpath(&s->prober, p->path, &real) < 0)
			continue;
		driver_source_hash(s->row, p->path, real, text);
		while (same < end && strcmp(same->text, text) != 0)
			same++;
		if (same == end)
			*end++ = (struct patch_name){NAME_KIND_HASH, (unsigned char)i, text,
			                             SOURCE_HASH};
	}
	l->count += (size_t)(end - first);
}

static void add_text(struct start *s)
{
	for (int i = 0; s->text && i < s->text->count; i++)
		s->all_names.v[s->all_names.count++] = s->text->names[i];
}

/* The order: names in objects, volatile names as numbered, used bases, the tool's own name, hashes
 * of sources, names in the input text. Of two equal names the first is found in an output: what a
 * linked file holds comes from its objects. TMPDIR, which no output holds, comes last. */
int judge_names(struct start *s)
{
	size_t n = (size_t)s->names.count + NAMES_MAX + 1 + SOURCE_HASHES_MOST + NAMES_FILES_MAX +
	           (s->text ? (size_t)s->text->count : 0);
	struct name_list *l = &s->all_names;
	struct patch_name *v = arena_alloc(&s->arena, (n + 1) * sizeof *v);

	if (!v)
		return -1;
	*l = (struct name_list){.v = v, .files = (size_t)s->names.files};
	if (s->cmd.flags & CMD_LINK)
		add_text(s);
	for (int i = 0; i < s->names.count; i++)
		v[l->count++] = (struct patch_name){NAME_KIND_TEMP, (unsigned char)i,
		                                    s->names.v[i].text, s->names.v[i].len};
	for (int i = 0; i < NAMES_TMPDIR; i++)
		if (s->names.base_used >> i & 1)
			v[l->count++] = base_name(s, i);
	if (s->names.own.len)
		v[l->count++] = (struct patch_name){NAME_KIND_OWN, 0, s->names.own.text,
		                                    s->names.own.len};
	add_hashes(s);
	if (!(s->cmd.flags & CMD_LINK))
		add_text(s);
	l->output_count = l->count;
	if (s->names.base_used >> NAMES_TMPDIR & 1)
		v[l->count++] = base_name(s, NAMES_TMPDIR);
	for (int i = 0; i < s->names.files; i++)
		v[l->count + (size_t)i] = (struct patch_name){
			NAME_KIND_FILE, (unsigned char)i, s->names.file[i].text,
			s->names.file[i].len};
	names_close(&s->names);
	return 0;
}
