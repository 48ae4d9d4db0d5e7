/* judge/expanded.c - the preprocessor's answer to what the texts leave open. */
#include "judge/expanded.h"

#include <string.h>

#include "judge/changed.h"
#include "shim/buf.h"
#include "judge/times.h"
#include "shim/sys.h"
#include "tools/asks_computed.h"
#include "tools/expanded.h"

#include "shim/banned.h"

/* A shorter name may stand anywhere. */
#define NAME_LEAST 2

/* 1: a compiler spells the name in a string as it is. */
static int is_spelled_plainly(const struct patch_name *name)
{
	for (size_t i = 0; i < name->len; i++)
		if (name->text[i] <= ' ' || name->text[i] > '~' || name->text[i] == '"' ||
		    name->text[i] == '\\')
			return 0;
	return name->len >= NAME_LEAST;
}

static int are_found(const struct start *s, const struct texts *t, uint64_t names)
{
	const char *base = (const char *)t->files.data;

	if (t->files.failed || !t->files.len)
		return 0;
	for (const char *end = base + t->files.len; base < end; base += strlen(base) + 1)
		if (!expanded_finds(base))
			return 0;
	for (size_t i = 0; i < s->all_count && i < NAMES_MOST; i++)
		if (names >> i & 1 && !is_spelled_plainly(&s->all_names[i]))
			return 0;
	return 1;
}

/* 1: an input may be another than the run read. */
static int is_changed(struct start *s, const struct candidate *c)
{
	for (size_t i = 0; i < s->primary_count; i++) {
		const struct statx *was = &s->primary[i].st;
		struct statx st;

		if (sys_statx(AT_FDCWD, s->primary[i].path, 0, STATX_BASIC_STATS, &st) < 0 ||
		    st.stx_size != was->stx_size || st.stx_ino != was->stx_ino ||
		    times_ns(&st.stx_mtime) != times_ns(&was->stx_mtime) ||
		    times_ns(&st.stx_ctime) != times_ns(&was->stx_ctime))
			return 1;
	}
	for (size_t i = 0; i < c->count; i++) {
		const char *path;
		struct statx st;

		if (!input_is_content(c->v[i].kind))
			continue;
		path = names_resolve(&s->names, c->v[i].spec, c->v[i].spec_len, &s->arena);
		if (!path || sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) < 0 ||
		    changed_too_new(s, path, &st))
			return 1;
	}
	return 0;
}

int expanded_without(struct start *s, const struct candidate *c, const struct texts *t,
                     uint64_t names)
{
	struct buf files = BUF_INIT(&s->arena), text = {0};

	if (!s->expand || t->precompiled || t->renames || asks_computes(&t->asks) ||
	    !are_found(s, t, names))
		return 0;
	buf_add(&files, t->files.data, t->files.len);
	buf_u8(&files, 0);
	if (files.failed || s->expand(s, &text) < 0 || is_changed(s, c))
		return 0;
	for (size_t i = 0; i < s->all_count && i < NAMES_MOST; i++)
		if (names >> i & 1 &&
		    expanded_holds((const char *)text.data, text.len, s->all_names[i].text,
		                   s->all_names[i].len))
			return 0;
	return expanded_is_silent((const char *)text.data, text.len, (const char *)files.data);
}
