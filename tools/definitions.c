/* tools/definitions.c - from options to lines. */
#include "tools/definitions.h"

#include <string.h>

#include "shim/buf.h"
#include "tools/list.h"

#include "shim/banned.h"

static const char undefining[] = "--undefine-macro\0" "-U\0";
static const char defining[] = "--define-macro\0" "-D\0";

const char *definition_at(const struct cmdline *c, int i)
{
	const struct cmdline_arg *arg = &c->v[i];
	const char *text;

	if (!arg->option || arg->is_value ||
	    (!list_has(defining, arg->option) && !list_has(undefining, arg->option)))
		return NULL;
	text = arg->text + strlen(arg->option);
	if (*text)
		return text + (*text == '=');
	return i + 1 < c->count && c->v[i + 1].is_value ? c->v[i + 1].text : "";
}

int definition_undefines(const struct cmdline *c, int i)
{
	return list_has(undefining, c->v[i].option);
}

/* Reprise does not read this argument as a definition. It may be one for a program that the
 * compiler starts: -Wp,-DX, -Xclang -DX, an abbreviation of --define-macro. */
static int may_define(const struct cmdline *c, int i)
{
	const char *text = c->v[i].text;

	if (strstr(text, "-U") || strstr(text, "undef"))
		return 1;
	return strncmp(text, "-D", 2) == 0 || strncmp(text, "--def", 5) == 0 ||
	       ((strncmp(text, "-W", 2) == 0 || strncmp(text, "-X", 2) == 0) && strstr(text, "-D"));
}

int definitions_are_all(const struct cmdline *c)
{
	for (int i = 1; i < c->count; i++) {
		const char *text = definition_at(c, i);

		if (!text && may_define(c, i))
			return 0;
		if (text && (strchr(text, '\n') || definition_undefines(c, i)))
			return 0;
	}
	return 1;
}

/* -DX=y is a definition like those in texts. */
const char *definitions_lines(const struct cmdline *c, struct arena *arena)
{
	struct buf lines = BUF_INIT(arena);

	for (int i = 1; i < c->count; i++) {
		const char *text = definition_at(c, i), *equals;

		if (!text || definition_undefines(c, i))
			continue;
		equals = strchr(text, '=');
		buf_add(&lines, "#define ", 8);
		buf_add(&lines, text, equals ? (size_t)(equals - text) : strlen(text));
		buf_u8(&lines, ' ');
		buf_add(&lines, equals ? equals + 1 : "1", equals ? strlen(equals + 1) : 1);
		buf_u8(&lines, '\n');
	}
	buf_u8(&lines, 0);
	return lines.failed ? NULL : (const char *)lines.data;
}
