/* jit/generated_name.c - whether a result depends on the program's generated name.
 *
 * CuPy names each program as a file in a directory of tempfile, other programs as one in their
 * cache, in a directory with a random name, a time or a process number; that file is never read.
 * The compiler can write the name to its log, to line tables and by __FILE__. It can look for
 * headers beside that file. It can put the name into LTO IR, a packed bitcode. PTX and cubins that
 * do not contain the name were equal under any two names with each release below
 * (tests/e2e/nvrtc_names.bats compares them). So one compile is proof, unless the program may ask
 * for its name (tools/asks/asks.h). Any other result is bound to the name. docs/internals/names.md,
 * "Programs". */
#include "jit/jit.h"

#include <string.h>

#include "jit/source_text.h"
#include "judge/name/name_list.h"
#include "names/names.h"
#include "trace/files.h"

#include "shim/banned.h"

/* Measured. Results of other releases are bound to the name. */
static const short releases[] = {1201, 1204, 1206, 1209, 1300, 1302, 1305};

static int is_measured(int release)
{
	for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
		if (releases[i] == release)
			return 1;
	return 0;
}

static int is_source_directory(const struct patch_name *n)
{
	return n->kind == NAME_KIND_TRIED;
}

/* 1: the option's path leads to the program's directory, or to one above it: then a text may give
 * the rest of a path into it. */
static int may_lead_to(const struct name_list *names, const char *option)
{
	for (size_t i = 0; i < names->count; i++)
		if (is_source_directory(&names->v[i]) &&
		    source_text_reaches(option, names->v[i].text))
			return 1;
	return 0;
}

/* Each generated name is a directory of the program's name, and occurs nowhere else. */
static int directories(const struct program *p, const struct name_list *names)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct patch_name *n = &names->v[i];
		const char *at = p->name;

		if (n->kind != NAME_KIND_TEMP && !is_source_directory(n))
			return 0;
		for (; (at = strstr(at, n->text)) != NULL; at++)
			if (at[n->len] != '/')
				return 0;
	}
	for (int i = 0; i < p->option_count; i++)
		if (name_list_occurs(names, p->options[i], strlen(p->options[i])) ||
		    may_lead_to(names, p->options[i]))
			return 0;
	for (unsigned i = 0; i < p->expressions; i++)
		if (name_list_occurs(names, p->expression[i], strlen(p->expression[i])))
			return 0;
	return 1;
}

/* NVRTC names the place of a message: NAME(3): error, at line 3 of NAME, compilation of "NAME". */
static int is_place(const char *log, const char *at, const char *behind, const char *end)
{
	if (behind == end)
		return 0;
	if (at == log || at[-1] == '\n')
		return *behind == '(';
	if (at - log > 4 && memcmp(at - 4, " of ", 4) == 0)
		return *behind == '\n' || *behind == ')';
	return at - log > 5 && memcmp(at - 5, " of \"", 5) == 0 && *behind == '"';
}

/* 1: the log contains the program's name only where NVRTC writes it. A message of the program may
 * contain it as well. */
static int log_fits(const struct program *p, const struct name_list *names, struct arena *arena,
                    const struct answer *one)
{
	const char *log = one->value, *end = log + one->len, *at = log;
	char *rest = arena_memdup(arena, log, one->len);
	size_t n = strlen(p->name);

	if (!rest)
		return 0;
	for (; (at = memmem(at, (size_t)(end - at), p->name, n)) != NULL; at += n)
		if (is_place(log, at, at + n, end))
			memset(rest + (at - log), ' ', n);
	return !name_list_occurs(names, rest, one->len);
}

static int product_fits(const struct program *p, const struct name_list *names,
                        struct arena *arena, const struct answer *one)
{
	if (one->kind == ANSWER_DATA && strcmp(one->name, "ProgramLog") == 0)
		return log_fits(p, names, arena, one);
	if (one->kind == ANSWER_DATA && one->status == 0 && one->len &&
	    strcmp(one->name, "PTX") != 0 && strcmp(one->name, "CUBIN") != 0)
		return 0;
	return !name_list_occurs(names, one->value, one->len) &&
	       !name_list_occurs(names, one->name, strlen(one->name));
}

/* The generated directories contain no files. Files that were read elsewhere do not contain the
 * names (jit/compile.c), so no path that was looked for in vain came from them. */
static int file_fits(const struct name_list *names, const struct tree_file *f)
{
	return !(f->flags & (TREE_READ | TREE_MADE | TREE_LISTED | TREE_LINK | TREE_REAL)) ||
	       !name_list_occurs(names, f->path, strlen(f->path));
}

/* No answer holds a name: names of any length may stand in its place. */
static enum name_binding shown(const struct name_list *names, const struct answers *now)
{
	for (unsigned i = 0; i < now->count; i++)
		if (name_list_occurs(names, now->v[i].value, now->v[i].len))
			return NAME_LENGTH;
	return NAME_FREE;
}

enum name_binding generated_name_shown(const struct program *p, struct start *s,
                                      const struct tree *t, const struct answers *now, int texts)
{
	if (!s->all_names.count || !p->name || p->name[0] != '/' ||
	    !is_measured(p->library->release) ||
	    texts & SOURCE_ITSELF || !directories(p, &s->all_names))
		return NAME_NONE;
	for (unsigned i = 0; i < now->count; i++)
		if (!product_fits(p, &s->all_names, &s->arena, &now->v[i]))
			return NAME_NONE;
	for (size_t i = 0; i < t->count; i++)
		if (!file_fits(&s->all_names, &t->file[i]))
			return NAME_NONE;
	return shown(&s->all_names, now);
}
