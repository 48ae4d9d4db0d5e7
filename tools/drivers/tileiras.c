/* tools/drivers/tileiras.c - tileiras compiles the bytecode of one tile program. Its row says that
 * no name of the command reaches the result, and the bytecode's content is in the key: so the
 * bytecode's own name may be any. The ptxas that it starts belongs to its action. */
#include <string.h>

#include "tools/driver.h"

#include "shim/banned.h"

/* The content, without names that could leave the key. */
static int read_text(struct input_text *out, const struct input_text_request *r)
{
	if (r->names != INPUT_TEXT_PATCHED)
		return -1;
	*out = (struct input_text){.blanked = r->text, .blanked_len = r->n};
	digest_of(&out->canonical, r->text, r->n);
	return 0;
}

static enum name_role role(const struct cmdline *c, int i, int last)
{
	const char *option = c->v[i].option;

	(void)last;
	return option && strstr(option, "-remarks-output-file") ? ROLE_OUTPUT : ROLE_COUNT;
}

const struct driver driver_tileiras = {
	.role = role,
	.read_text = read_text,
	.temporary = TEMPORARY_SCRATCH,
	.files = FILES_CLANG,
	.output = "elf.o",
};
