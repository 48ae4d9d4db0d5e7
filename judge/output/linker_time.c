/* judge/output/linker_time.c - tests whether the time that GNU ld asks for is in its result. */
#include "judge/output/linker_time.h"

#include <elf.h>
#include <string.h>

#include "tools/chance.h"

#include "shim/banned.h"

static int begins(const struct result *r, const char *magic)
{
	size_t n = strlen(magic);

	for (size_t i = 0; i < r->out_count; i++)
		if (r->out[i].len >= n && memcmp(r->out[i].data, magic, n) == 0)
			return 1;
	return 0;
}

/* --- public, in header order --- */

enum reason judge_linker_time(struct start *s, const struct tree *t, const struct result *r)
{
	if (!t->linker_asks_time)
		return REASON_NONE;
	if (begins(r, ELFMAG) && !begins(r, "MZ") && !chance_prints(&s->cmd) &&
	    !invocation_env(&s->call, CHANCE_PRINTS_VARIABLE))
		return REASON_NONE;
	start_detail(s, "ld may have written or printed the time");
	return REASON_UNSTORED_TIME;
}
