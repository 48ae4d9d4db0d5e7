/* judge/output/linker_time.c - tests whether the time that GNU ld asks for is in its result. */
#include "judge/output/output.h"

#include <elf.h>
#include <string.h>

#include "tools/chance.h"

#include "shim/banned.h"

/* 1: an output that the process made and that is ELF. A linker makes one program, so it made no
 * other kind that another program took. */
static int made_elf(struct start *s, struct tree *t, const struct result *r, uint32_t pid)
{
	for (size_t i = 0; i < r->out_count; i++) {
		const struct result_output *o = &r->out[i];
		const char *path = names_resolve(&s->names, o->spec, o->spec_len, &s->arena);
		const struct tree_file *f = path ? judge_tree_file(s, t, path) : NULL;

		if (f && f->maker == pid && o->len >= SELFMAG &&
		    memcmp(o->data, ELFMAG, SELFMAG) == 0)
			return 1;
	}
	return 0;
}

static int all_made_elf(struct start *s, struct tree *t, const struct result *r)
{
	for (size_t i = 0; i < t->process_count; i++)
		if (t->process[i].asked_time && !made_elf(s, t, r, t->process[i].pid))
			return 0;
	return 1;
}

/* --- public, in header order --- */

enum reason judge_linker_time(struct start *s, struct tree *t, const struct result *r)
{
	if (!t->linker_asks_time)
		return REASON_NONE;
	if (all_made_elf(s, t, r) && !chance_prints(&s->cmd) &&
	    !invocation_env(&s->call, CHANCE_PRINTS_VARIABLE))
		return REASON_NONE;
	start_detail(s, "ld may have written or printed the time");
	return REASON_UNSTORED_TIME;
}
