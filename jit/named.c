/* jit/named.c - a program's generated name, and what NVRTC did with it.
 *
 * CuPy hands each program over as a file below a directory of tempfile's, which is never read. With such a name the
 * compiler can say it (log, line tables, __FILE__), look for headers beside it, and put it into LTO IR, a
 * bitcode that is packed. PTX and cubins without it were the same under any two names with each release below
 * (tests/e2e/nvrtc_names.bats compares them), so one compile shows it, unless the program could ask for its name (tools/asks.h).
 * Any other is bound to its name. docs/internals/names.md, "Programs". */
#include <string.h>

#include "judge/tree_file.h"
#include "judge/unseen.h"
#include "jit/answers.h"
#include "jit/dated.h"
#include "jit/jit.h"

#include "shim/banned.h"

/* Measured; those of others are bound. */
static const short releases[] = {1201, 1204, 1206, 1209, 1300, 1302, 1305};

static int is_measured(int release)
{
	for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
		if (releases[i] == release)
			return 1;
	return 0;
}

/* Each is a directory of the program's name, and nowhere else. */
static int directories(const struct program *p, const struct start *a)
{
	for (size_t i = 0; i < a->all_count; i++) {
		const struct patch_name *n = &a->all_names[i];
		const char *at = p->name;

		if (n->kind != 'T')
			return 0;
		for (; (at = strstr(at, n->text)) != NULL; at++)
			if (at[n->len] != '/')
				return 0;
	}
	for (int i = 0; i < p->option_count; i++)
		if (judge_text_names(a, p->options[i], strlen(p->options[i])))
			return 0;
	for (unsigned i = 0; i < p->expressions; i++)
		if (judge_text_names(a, p->expression[i], strlen(p->expression[i])))
			return 0;
	return 1;
}

static int product_fits(const struct start *a, const struct answer *one)
{
	if (one->kind == ANSWER_DATA && strcmp(one->name, "ProgramLog") == 0)
		return 1;
	if (one->kind == ANSWER_DATA && one->status == 0 && one->len && strcmp(one->name, "PTX") != 0 && strcmp(one->name, "CUBIN") != 0)
		return 0;
	return !judge_text_names(a, one->value, one->len) && !judge_text_names(a, one->name, strlen(one->name));
}

/* Below the names nothing is; what is read elsewhere does not spell them (jit/serve.c), and so cannot have made the paths that
 * were looked for in vain. */
static int file_fits(const struct start *a, const struct tree_file *f)
{
	return !(f->flags & (TREE_READ | TREE_MADE | TREE_LISTED | TREE_LINK | TREE_REAL)) || !judge_text_names(a, f->path, strlen(f->path));
}

int named_shown(const struct program *p, const struct start *a, const struct tree *t, const struct answers *now, int texts)
{
	if (!a->all_count || !p->name || p->name[0] != '/' || p->library->kind != JIT_NVRTC || !is_measured(p->library->release) ||
	    texts & DATED_NAMES_ITSELF || !directories(p, a))
		return 0;
	for (unsigned i = 0; i < now->count; i++)
		if (!product_fits(a, &now->v[i]))
			return 0;
	for (size_t i = 0; i < t->count; i++)
		if (!file_fits(a, &t->file[i]))
			return 0;
	return 1;
}
