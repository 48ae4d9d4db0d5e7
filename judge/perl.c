/* judge/perl.c - reads scripts in Perl. */
#include "judge/perl.h"

#include <string.h>

#include "judge/generated.h"
#include "judge/script_file.h"
#include "judge/tree.h"
#include "tools/list.h"
#include "tools/perl_start.h"
#include "tools/perl_text.h"

#include "shim/banned.h"

struct naming {
	struct collect *k;
	void (*variable)(void *ctx, const char *name);
	void *ctx;
};

static void add_variable(void *ctx, const char *name, size_t n)
{
	const struct naming *w = ctx;
	char *copy = arena_alloc(&w->k->start->arena, n + 1);

	if (!copy) {
		w->k->reason = REASON_UNSTORED_INPUTS_MANY;
		return;
	}
	memcpy(copy, name, n);
	w->variable(w->ctx, copy);
}

void perl_main(struct collect *k, struct tree_file *file, const char *text, size_t n,
               void (*variable)(void *ctx, const char *name), void *ctx)
{
	struct naming naming = {k, variable, ctx};
	struct perl_found found = {add_variable, &naming, 0};
	const char *why = memchr(text, 0, n) ? "cannot be read as a script"
	                                     : perl_text(text, &found);

	if (!why && found.letters && judge_generates(k->t))
		why = "may take letters of a generated name in its arguments";
	if (why)
		script_refuse(k, file->path, why);
	for (const char *name = perl_variables; *name; name = LIST_NEXT(name))
		variable(ctx, name);
	file->flags &= ~(unsigned)TREE_PERL;
}

void perl_end(struct collect *k)
{
	for (size_t i = 0; i < k->t->count && k->reason == REASON_NONE; i++) {
		const struct tree_file *f = &k->t->file[i];

		if (!(f->flags & TREE_PERL))
			continue;
		if (f->flags & TREE_MADE)
			script_refuse(k, f->path, "was made by the run");
		else if (!perl_module(f->path))
			script_refuse(k, f->path, "was read by Perl, and is not known");
	}
}
