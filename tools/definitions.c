/* tools/definitions.c - from options to lines. */
#include "tools/definitions.h"

#include <string.h>

#include "shim/buf.h"

#include "shim/banned.h"

/* -DX=y is a definition like those in texts. */
const char *definitions_lines(const struct cmdline *c, struct arena *arena)
{
	struct buf lines = BUF_INIT(arena);

	for (int i = 1; i < c->count; i++) {
		const struct cmdline_arg *arg = &c->v[i];
		const char *value = arg->text, *equals;

		if (!arg->option || (strcmp(arg->option, "-D") != 0 &&
		                     strcmp(arg->option, "--define-macro") != 0))
			continue;
		if (!arg->is_value)
			value += strlen(arg->option) + (value[strlen(arg->option)] == '=');
		equals = strchr(value, '=');
		buf_add(&lines, "#define ", 8);
		buf_add(&lines, value, equals ? (size_t)(equals - value) : strlen(value));
		buf_u8(&lines, ' ');
		buf_add(&lines, equals ? equals + 1 : "", equals ? strlen(equals + 1) : 0);
		buf_u8(&lines, '\n');
	}
	buf_u8(&lines, 0);
	return lines.failed ? NULL : (const char *)lines.data;
}
