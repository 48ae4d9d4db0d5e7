/* judge/input/real_path.c - the answers of realpath as inputs. */
#include "judge/input/input.h"

#include "shim/list.h"
#include "tools/cmdline/language.h"
#include "tools/driver.h"

#include "shim/banned.h"

/* A relative path may have letters to spare, as "./x" and "a/./x" have. With so many letters it may
 * be longer than the answer of realpath: in "/", and in a directory whose name has one letter. */
#define REAL_SPARE_ROOT 2
#define REAL_SPARE_ANY 4

/* 1: the answer follows from the question alone, as no component is a link. A relative question
 * also has to be shorter than its answer: gcc uses the shorter of both. */
static int is_folded(struct collect *k, const struct tree_file *f)
{
	const struct buf *spec;
	char *fold;
	int bound = 0;

	if (!strstr(f->path, "/..") || !(fold = arena_strdup(&k->start->arena, f->path)))
		return 0;
	path_fold(fold);
	if (strcmp(fold, f->real) != 0)
		return 0;
	if (collect_relative(f))
		return !(f->real_uses & REAL_ANY) && f->real_spare < REAL_SPARE_ROOT &&
		       path_below(f->path, k->start->call.cwd) &&
		       strlen(f->real) > strlen(f->path) - k->start->call.cwd_len;
	spec = collect_spec_of(k, f->path, 0, &bound);
	return spec && memchr(spec->data, NAMES_MARK, spec->len) != NULL;
}

/* Directories whose headers gcc calls by the shorter of two names. */
static int has_system_directories(const struct invocation *call, const struct cmdline *cmd)
{
	for (const char *name = driver_system_variables; *name; name = LIST_NEXT(name))
		if (invocation_env(call, name))
			return 1;
	return driver_names_system_directories(cmd);
}

/* 1: a linker asked first for a directory, its sysroot. */
static int has_sysroot(struct collect *k)
{
	const struct tree *t = k->t;

	for (size_t i = 0; !k->sysroot && i < t->count; i++)
		if (tree_is(&t->file[i], TREE_FIRST, TREE_READ | TREE_MADE))
			k->sysroot = 1;
	k->sysroot = k->sysroot ? k->sysroot : -1;
	return k->sysroot > 0;
}

/* 1: the tool read this file, and calls it by a name for which others may stand. It used the answer
 * only as real_use says. */
static int uses_are_known(struct collect *k, const struct tree_file *f)
{
	const struct buf *spec;
	unsigned flags = k->start->cmd.flags;
	int bound = 0;

	if (f->real_uses & REAL_ANY || !(flags & CMD_CWD_FREE) || flags & CMD_LTO ||
	    (f->flags & (TREE_READ | TREE_RUN | TREE_RELATIVE | TREE_MADE)) != TREE_READ)
		return 0;
	spec = collect_spec_of(k, f->path, 0, &bound);
	return spec && memchr(spec->data, NAMES_MARK, spec->len) != NULL &&
	       !(f->real_uses & REAL_OPERAND && !start_has_operand(&k->start->cmd, f->path)) &&
	       !(f->real_uses & REAL_INPUT && has_sysroot(k));
}

/* --- public, in header order --- */

int real_path_is_itself(const struct tree_file *f)
{
	return f->flags & TREE_REAL && strcmp(f->real, f->path) == 0;
}

int real_path_is_free(struct collect *k, const struct tree_file *f)
{
	if (!(f->flags & TREE_REAL) || !uses_are_known(k, f))
		return 0;
	return !(f->real_uses & REAL_SHORTENS) ||
	       (language_of_file(f->path) == LANGUAGE_C &&
	        start_has_operand(&k->start->cmd, f->path) &&
	        !has_system_directories(&k->start->call, &k->start->cmd));
}

void collect_answer(struct collect *k, const struct tree_file *f, unsigned kind,
                    const char *answer)
{
	struct input *in = collect_input(k, kind);

	if (!in)
		return;
	collect_text(k, in, answer);
	collect_spec(k, in, f->path, collect_relative(f));
}

void collect_real_path(struct collect *k, const struct tree_file *f, int held)
{
	struct input *in;

	if (real_path_is_itself(f)) {
		/* gcc asks this for system headers and uses the answer if it is shorter. The answer
		 * to a relative question is the cwd, a slash and the tidy question. That is longer,
		 * unless the question has letters to spare. The key says whether the cwd is "/".
		 * ld asks for its output if that exists. */
		if (f->real_spare >= REAL_SPARE_ANY)
			k->bound = 1;
		in = held || f->flags & TREE_MADE ? NULL : collect_input(k, INPUT_REAL);
		if (in)
			collect_spec(k, in, f->path, collect_relative(f));
		return;
	}
	if (is_folded(k, f) || (strlen(f->real) >= strlen(f->path) && uses_are_known(k, f))) {
		in = collect_input(k, is_folded(k, f) ? INPUT_FOLDED : INPUT_LONGER);
		if (in)
			collect_spec(k, in, f->path, collect_relative(f));
		return;
	}
	if (collect_relative(f))
		k->start->verdict.real_of_cwd = 1;
	/* An answer below the cwd holds the cwd's name. */
	if (k->start->call.cwd_len > 1 && path_below(f->real, k->start->call.cwd))
		k->bound = 1;
	collect_answer(k, f, INPUT_REALPATH, f->real);
}
