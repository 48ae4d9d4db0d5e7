/* judge/generated.c - searches a result for the random letters of names. */
#include "judge/generated.h"

#include <string.h>

#include "keying/name_shape.h"
#include "shim/path.h"

#include "shim/banned.h"

/* mkstemp and its like choose so many letters. */
#define RANDOM_LETTERS 6

/* By the system. Otherwise by nvcc, from its process id. */
static int is_random(const struct tree_file *f)
{
	return f->flags & TREE_MADE && !f->is_chosen;
}

static int result_holds(const struct result *r, const char *text, size_t n)
{
	for (size_t i = 0; i < r->chunk_count; i++)
		if (memmem(r->chunk[i].data, r->chunk[i].len, text, n))
			return 1;
	for (size_t i = 0; i < r->out_count; i++)
		if (memmem(r->out[i].data, r->out[i].len, text, n) ||
		    memmem(r->out[i].spec, r->out[i].spec_len, text, n))
			return 1;
	return 0;
}

enum reason judge_generated(struct start *s, const struct tree *t, const struct result *r)
{
	if (!s->verdict.scripts_see_names)
		return REASON_NONE;
	for (size_t i = 0; i < t->count; i++) {
		const char *base = path_base(t->file[i].path);
		size_t n = name_token(base, strlen(base));

		if (!is_random(&t->file[i]) || n < RANDOM_LETTERS ||
		    !result_holds(r, base + n - RANDOM_LETTERS, RANDOM_LETTERS))
			continue;
		start_detail(s, "the generated name %s", t->file[i].path);
		return REASON_UNSTORED_SCRIPT;
	}
	return REASON_NONE;
}
