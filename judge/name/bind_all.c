/* judge/name/bind_all.c - the binding that all names of a result have alike. */
#include "judge/name/name.h"

#include <string.h>

#include "judge/input/input.h"
#include "judge/proof_verbs.h"
#include "judge/script/variables.h"
#include "judge/start.h"
#include "tools/cmdline/response.h"
#include "tools/driver.h"

#include "shim/banned.h"

static int overflows(const struct result *r)
{
	for (size_t i = 0; i < r->out_count; i++)
		if (r->out[i].patches.overflow)
			return 1;
	return 0;
}

int judge_adds_options(const struct start *s, const struct candidate *c)
{
	const char *edits = invocation_env(&s->call, DRIVER_EDITOR);

	for (size_t i = 0; i < c->count; i++)
		if ((input_is_content(c->v[i].kind) && specs_is_config(c->v[i].spec)) ||
		    (c->v[i].kind == INPUT_VARIABLES &&
		     strcmp(c->v[i].spec, VARIABLES_NONE) == 0))
			return 1;
	return (edits && *edits) || start_variables_add(s->row, &s->call);
}

enum name_binding judge_bind_all(struct start *s, struct candidate *c, const struct result *r,
                                 unsigned *by)
{
	enum name_binding all = NAME_NONE;

	if (!c->name_count || s->verdict.names_exact || overflows(r))
		return NAME_BOUND;
#define ALL(id, call) \
	if (all == NAME_NONE && proof_on(&s->set, PROOF_##id) && (all = (call)) != NAME_NONE) \
		*by = 1u << PROOF_##id;
#include "proofs/proofs.def"
	if (all != NAME_NONE)
		return all;
	return c->name_count > NAMES_MOST || judge_adds_options(s, c) ? NAME_BOUND : NAME_NONE;
}
