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
static int is_final(const struct prefix_map *m, const char *new)
{
	size_t n = strlen(new);

	return new[0] != '/' || memcmp(m->old, new, n < m->len ? n : m->len) != 0;
}

/* 1: the names of the files below the one directory begin with the letters of the other. */
static int is_part(const struct prefix_map *m, const char *old, size_t len)
{
	return memcmp(m->old, old, len < m->len ? len : m->len) == 0;
}

static const char *new_of(const char *value)
{
	return strchr(value, '=') + 1;
}

/* One option's OLD=NEW. */
static int add(struct prefix_maps *all, const char *value, unsigned flags)
{
	const char *equals = strchr(value, '='), *new = equals ? equals + 1 : "=";
	size_t len = equals ? (size_t)(equals - value) : 0;
	int slash = len > 1 && value[len - 1] == '/', i = 0;
	struct prefix_map *m;

	len -= (size_t)slash;
	/* gcc divides at the last '=', clang at the first. Without NEW, a file below OLD begins
	 * with a slash. */
	if (strchr(new, '=') || (!*new && !slash) || !is_tidy(value, len))
		return -1;
	while (i < all->count && !is_part(&all->v[i], value, len))
		i++;
	if (i == PREFIX_MAPS_MOST || (i < all->count && all->v[i].len != len))
		return -1;
	m = &all->v[i];
	if (i == all->count)
		all->v[all->count++] = (struct prefix_map){value, len, 0, 0};
	m->flags |= flags;
	m->below_only |= slash;
	return 0;
}

/* 1: each map's text begins with no OLD, and all directories are mapped in the same places. */
static int fit(const struct prefix_maps *m, const struct cmdline *c)
{
	for (int i = 0; i < m->count; i++) {
		if (m->v[i].flags != m->v[0].flags)
			return 0;
		for (int k = 1; k < c->count; k++) {
			const char *option = c->v[k].option;

			if (option && maps(option) &&
			    !is_final(&m->v[i], new_of(c->v[k].text + strlen(option))))
				return 0;
		}
	}
	return m->count > 0;
}

int prefix_map_is(const char *option)
{
	return maps(option) != 0;
}

int prefix_map_find(struct prefix_maps *m, const struct cmdline *c)
{
	*m = (struct prefix_maps){0};
	for (int i = 1; i < c->count; i++) {
		const struct cmdline_arg *arg = &c->v[i];
		unsigned flags = arg->option ? maps(arg->option) : 0;

		if (!arg->option && path_ends(arg->text, ".s"))
			return 0;
		if (flags && add(m, arg->text + strlen(arg->option), flags) < 0)
			return 0;
	}
	return fit(m, c);
}

const char *prefix_map_debug(const struct cmdline *c, const char *path, struct arena *arena)
{
	for (int i = c->flags & CMD_MAPS_DEBUG ? c->count - 1 : 0; i > 0; i--) {
		const struct cmdline_arg *arg = &c->v[i];
		const char *old, *new;
		size_t len;

		if (!arg->option || !(maps(arg->option) & CMD_MAPS_DEBUG))
			continue;
		old = arg->text + strlen(arg->option);
		new = new_of(old);
		len = (size_t)(new - 1 - old);
		if (strncmp(path, old, len) == 0)
			return arena_cat(arena, new, path + len, NULL);
	}
	return path;
}
