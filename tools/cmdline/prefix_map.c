/* tools/cmdline/prefix_map.c - reads the prefix maps of a command. */
#include "tools/cmdline/cmdline.h"

#include <string.h>

#include "shim/path.h"

#include "shim/banned.h"

/* The flag of an option, 0: it is no map. */
static unsigned maps(const char *option)
{
	static const struct {
		char text[24];
		unsigned flags;
	} options[] = {
		{"-fdebug-prefix-map=", CMD_MAPS_DEBUG},
		{"-ffile-prefix-map=", CMD_MAPS_DEBUG | CMD_MAPS_MACRO},
		{"-fmacro-prefix-map=", CMD_MAPS_MACRO},
	};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (strcmp(option, options[i].text) == 0)
			return options[i].flags;
	return 0;
}

/* 1: the compiler's own spelling of a file below the directory begins with these letters. */
static int is_tidy(const char *old, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (old[i] == '/' &&
		    (old[i + 1] == '/' ||
		     (old[i + 1] == '.' &&
		      (i + 2 == len || old[i + 2] == '/' ||
		       (old[i + 2] == '.' && (i + 3 == len || old[i + 3] == '/'))))))
			return 0;
	return len > 1 && old[0] == '/' && old[len - 1] != '/';
}

/* 1: what the map writes can never begin with OLD: whether a compiler maps it again does not
 * matter. */
static int is_final(const char *old, size_t len, const char *new)
{
	size_t n = strlen(new);

	return new[0] != '/' || memcmp(old, new, n < len ? n : len) != 0;
}

/* One option's OLD=NEW. */
static int add(struct prefix_map *m, const char *value)
{
	const char *equals = strchr(value, '='), *new = equals ? equals + 1 : "=";
	size_t len = equals ? (size_t)(equals - value) : 0;
	int slash = len > 1 && value[len - 1] == '/';

	len -= (size_t)slash;
	/* gcc divides at the last '=', clang at the first. Without NEW, a file below OLD begins
	 * with a slash. */
	if (strchr(new, '=') || (!*new && !slash) || !is_tidy(value, len) ||
	    !is_final(value, len, new) ||
	    (m->len && (m->len != len || memcmp(m->old, value, len) != 0)))
		return -1;
	m->old = value;
	m->len = len;
	m->below_only |= slash;
	return 0;
}

int prefix_map_is(const char *option)
{
	return maps(option) != 0;
}

int prefix_map_find(struct prefix_map *m, const struct cmdline *c)
{
	*m = (struct prefix_map){0};
	for (int i = 1; i < c->count; i++) {
		const struct cmdline_arg *arg = &c->v[i];
		unsigned flags = arg->option ? maps(arg->option) : 0;

		if (!arg->option && path_ends(arg->text, ".s"))
			return 0;
		if (!flags)
			continue;
		if (add(m, arg->text + strlen(arg->option)) < 0)
			return 0;
		m->flags |= flags;
	}
	return m->flags != 0;
}
