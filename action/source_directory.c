/* action/source_directory.c - names the directory of a source. */
#include "action/source_directory.h"

#include <string.h>

#include "keying/names_bases.h"
#include "shim/path.h"
#include "tools/driver.h"

#include "shim/banned.h"

static const char *only_source(const struct start *s)
{
	const char *source = NULL;

	for (size_t i = 0; i < s->primaries.count; i++) {
		if (!driver_source_hash(s->row, s->primaries.v[i].path, NULL, NULL))
			continue;
		if (source)
			return NULL;
		source = s->primaries.v[i].path;
	}
	return source && source[0] == '/' ? source : NULL;
}

/* 1: an argument gives dir[0..len) itself, and no path below it. */
static int spells(const struct start *s, const char *dir, size_t len)
{
	for (int i = 1; i < s->cmd.count; i++) {
		const char *text = s->cmd.v[i].text, *end = text + strlen(text);

		for (const char *p = text; (p = memmem(p, (size_t)(end - p), dir, len)); p++) {
			size_t slashes = strspn(p + len, "/");

			if (!p[len + slashes] || strchr(",:=", p[len + slashes]))
				return 1;
		}
	}
	return 0;
}

/* A directory with a generated name may hold a project, whose texts give paths from there. */
static size_t project_len(const struct start *s, const char *dir, size_t len)
{
	size_t generated = names_generated(&s->names, dir, len);

	for (size_t n = generated; n && n <= len; n++)
		if ((n == len || dir[n] == '/') && spells(s, dir, n))
			return generated;
	return len;
}

void action_source_directory(struct start *s)
{
	const char *source;
	size_t len;

	if (!(s->row->flags & TOOL_NAMES_HASHES) ||
	    driver_reach(s->row, &s->cmd, ROLE_SOURCE) & REACH_ANYTHING ||
	    !(source = only_source(s)))
		return;
	len = path_dir_len(source);
	names_source(&s->names, source, project_len(s, source, len));
}
