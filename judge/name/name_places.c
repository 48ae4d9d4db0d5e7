/* judge/name/name_places.c - asks sections of objects, and assembly, whether a name may stand
 * there. */
#include "judge/name/name.h"

#include <string.h>

#include "judge/output/output.h"
#include "tools/driver.h"
#include "tools/object/debug_strings.h"
#include "tools/object/sections.h"

#include "shim/banned.h"

int name_place_is_assembly(struct start *s, const struct result_output *o)
{
	return !memchr(o->data, 0, o->len) && !judge_is_depfile(s, o, o->data) &&
	       !(s->cmd.flags & CMD_PREPROCESS);
}

/* The bits of which a name must have one to stand at this byte of a product. */
static unsigned reach_at(struct start *s, const struct result_output *o, uint64_t at)
{
	const char *text = (const char *)o->data;
	struct section found;

	if (name_place_is_assembly(s, o))
		return (debug_strings_at(s->row, text, o->len, at) ? REACH_LINES | REACH_TABLE
		                                                   : 0u) |
		       (assembly_section_is(text, at, ".rodata") ? REACH_ASKED : 0u);
	if (section_at(&found, o->data, o->len, at) < 0)
		return 0;
	if (strncmp(found.name, ".debug_line", 11) == 0)
		return REACH_LINES | REACH_TABLE | REACH_DEBUG | REACH_TIMES;
	return strncmp(found.name, ".debug_", 7) == 0   ? REACH_DEBUG
	       : strncmp(found.name, ".rodata", 7) == 0 ? REACH_ASKED
	                                                : 0;
}

int name_place_known(struct start *s, const struct result_output *o, uint64_t at,
                     enum name_kind kind, unsigned reach)
{
	if (judge_is_depfile(s, o, o->data))
		return (reach & REACH_DEPS) != 0;
	if (reach & REACH_TEXT)
		return !memchr(o->data, 0, o->len);
	if (kind == NAME_KIND_HASH)
		return (reach & REACH_HASH) != 0;
	return (reach & reach_at(s, o, at)) != 0;
}

void name_places_leave_debug(struct result_output *o)
{
	struct patch_list *l = &o->patches;
	size_t kept = 0;

	for (size_t k = 0; k < l->count; k++) {
		struct section s;

		if (section_at(&s, o->data, o->len, l->v[k].offset) < 0 ||
		    strncmp(s.name, ".debug_", 7) != 0)
			l->v[kept++] = l->v[k];
	}
	l->count = kept;
}
