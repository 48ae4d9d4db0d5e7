/* tools/cmdline/cmdline_words.c - searches the words of a command line. */
#include "tools/cmdline/cmdline.h"

#include <string.h>

#include "shim/list.h"

#include "shim/banned.h"

int cmdline_has(const struct cmdline *c, const char *list)
{
	for (int i = 1; i < c->count; i++)
		if (list_has(list, c->v[i].text))
			return 1;
	return 0;
}

int cmdline_begins(const struct cmdline *c, const char *list)
{
	for (int i = 1; i < c->count; i++)
		if (list_begins(list, c->v[i].text))
			return 1;
	return 0;
}

int cmdline_holds(const struct cmdline *c, const char *text)
{
	for (int i = 1; i < c->count; i++)
		if (strstr(c->v[i].text, text))
			return 1;
	return 0;
}

const char *cmdline_operand(const struct cmdline *c)
{
	const char *found = NULL;

	for (int i = 1; i < c->count; i++) {
		const struct cmdline_arg *arg = &c->v[i];

		if (arg->option || arg->text[0] == '-' || arg->text[0] == '@')
			continue;
		if (found)
			return NULL;
		found = arg->text;
	}
	return found;
}

const char *cmdline_output(const struct cmdline_arg *arg)
{
	return arg->role == ARG_OUTPUT          ? arg->text
	       : arg->role == ARG_OUTPUT_JOINED ? arg->text + arg->at
	                                        : NULL;
}

const char *cmdline_library(const struct cmdline *c, unsigned *at, struct arena *a)
{
	unsigned count = (unsigned)c->count;

	while (*at < count * count) {
		const char *name = c->v[*at / count].text, *dir = c->v[*at % count].text;

		(*at)++;
		if (strncmp(name, "-l", 2) != 0 || !name[2]) {
			*at += count - 1;
			continue;
		}
		if (strncmp(dir, "-L", 2) == 0 && dir[2])
			return name[2] == ':' ? arena_cat(a, dir + 2, "/", name + 3, NULL)
			       : arena_cat(a, dir + 2, "/lib", name + 2, ".so", NULL);
	}
	return NULL;
}
