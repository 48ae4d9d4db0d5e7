/* tools/driver.c - which family a command is of, and which argument a name stands in. */
#include "tools/driver.h"
#include "tools/list.h"

#include <string.h>

#include "tools/asks.h"
#include "tools/nvcc.h"

#include "shim/banned.h"

/* Its user knows it. */
static unsigned declared(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	(void)row, (void)c, (void)role;
	return 0;
}
static const struct driver driver_declared = {declared, NULL};

static int is_measured_linker(const char *name)
{
	static const char linkers[] =
		"gold\0" "ld\0" "ld.bfd\0" "ld.gold\0" "ld.lld\0" "lld\0";

	return list_has(linkers, name);
}

static const struct driver *driver_of(const struct tool_row *row)
{
	switch (row->family) {
	case FAMILY_GCC:
	case FAMILY_CLANG: return &driver_gcc;
	case FAMILY_CC1: return row->flags & TOOL_LIBCPP ? &driver_gcc : NULL; /* not lto1 */
	case FAMILY_LD: return is_measured_linker(row->name) ? &driver_link : NULL;
	case FAMILY_AS: return &driver_as;
	case FAMILY_AR: return &driver_ar;
	case FAMILY_NVCC: return &driver_nvcc;
	case FAMILY_GENERIC: return row->flags & TOOL_DECLARED ? &driver_declared : NULL;
	default: return NULL;
	}
}

unsigned driver_reach(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	const struct driver *d = driver_of(row);

	return d ? d->reach(row, c, role) : REACH_ANYTHING;
}

int driver_has_steps(const struct tool_row *row, const struct cmdline *c)
{
	const struct driver *d = driver_of(row);

	return d && d->has_steps && d->has_steps(row, c);
}

enum name_role driver_role(const struct tool_row *row, const struct cmdline *c, int i, int last)
{
	static const char includes[] =
		"--include\0" "--include-directory\0" "-I\0" "-imacros\0" "-include\0" "-iquote\0";
	static const char systems[] =
		"-idirafter\0" "-isystem\0";
	static const char outputs[] =
		"--output\0" "--output-file\0" "-dumpdir\0" "-o\0";
	static const char targets[] =
		"-MQ\0" "-MT\0";
	const struct cmdline_arg *arg = &c->v[i];
	const char *option = arg->option;

	if (i == 0)
		return ROLE_OTHER;
	if (row->family == FAMILY_NVCC && nvcc_includes(c, i))
		return nvcc_includes_system(c, i) ? ROLE_SYSTEM : ROLE_INCLUDE;
	if (row->family == FAMILY_AR)
		return i == 1 ? ROLE_OTHER : i == 2 ? ROLE_OUTPUT : last ? ROLE_BASE : ROLE_SOURCE;
	/* A library without a soname is entered by its path. */
	if (!option && arg->text[0] != '-' && strstr(arg->text, ".so"))
		return ROLE_OTHER;
	if (!option)
		return arg->text[0] == '@' ? ROLE_RESPONSE : arg->text[0] == '-' ? ROLE_OTHER : last ? ROLE_BASE : ROLE_SOURCE;
	if (list_has(outputs, option))
		return ROLE_OUTPUT;
	if (list_has(includes, option))
		return ROLE_INCLUDE;
	if (list_has(systems, option))
		return ROLE_SYSTEM;
	if (list_has(targets, option))
		return ROLE_TARGET;
	if (strcmp(option, "-MF") == 0 || strcmp(option, "--dependency-output") == 0)
		return ROLE_DEPFILE;
	return strcmp(option, "-L") == 0 ? ROLE_LIBRARY : ROLE_OTHER;
}

static int is_cxx(const char *path)
{
	static const char c[] =
		"c\0" "i\0" "s\0" "o\0" "a\0" "so\0";
	const char *base = strrchr(path, '/'), *dot = strrchr(base ? base : path, '.');

	return !dot || !list_has(c, dot + 1);
}

unsigned driver_words(const struct tool_row *row, const struct cmdline *c)
{
	int cxx = strstr(row->name, "++") != NULL || strcmp(row->name, "cc1plus") == 0 || row->family == FAMILY_NVCC;

	for (int i = 1; i < c->count; i++)
		cxx |= c->v[i].option ? strcmp(c->v[i].option, "-x") == 0 : is_cxx(c->v[i].text);
	return (cxx ? ASKS_CXX : 0u) | (row->family == FAMILY_CLANG || row->flags & TOOL_EITHER ? ASKS_PRETTY : 0u);
}

/* The source's name reaches what cudafe++ and cicc make of it, in hashes as well. */
static int names_source(const struct cmdline *c, int i)
{
	static const char names[] =
		"--orig_src_file_name\0" "--orig_src_path_name\0" "--ident\0" "-ident\0";

	for (const char *name = names; *name; name = LIST_NEXT(name)) {
		size_t n = strlen(name);

		if (strcmp(c->v[i - 1].text, name) == 0 ||
		    (strncmp(c->v[i].text, name, n) == 0 && c->v[i].text[n] == '='))
			return 1;
	}
	return 0;
}

/* A step of nvcc spells the names of its other steps' files, and that is all it does with them: two runs
 * differ in them alone (tests/e2e/nvcc_steps.bats). Any other name binds. */
static int step_names_free(const struct cmdline *c, const struct patch_name *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct patch_name *n = &names[i];

		if (n->kind != 'T' || name_xft_len(n->text, n->len) != n->len)
			return 0;
		for (int k = 1; k < c->count; k++)
			if (names_source(c, k) && strstr(c->v[k].text, n->text))
				return 0;
	}
	return 1;
}

int driver_names_free(const struct tool_row *row, const struct cmdline *c, const struct patch_name *names, size_t count)
{
	return c->flags & CMD_NAME_FREE || (row->flags & TOOL_XFT_FREE && step_names_free(c, names, count));
}
