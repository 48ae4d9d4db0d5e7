/* tools/cmdline/cmdline_words.c - searches the words of a command line. */
#include "tools/cmdline/cmdline.h"

#include "tools/list.h"

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
