/* tools/driver.c - finds the driver of a row, and gives the answers that most drivers share. */
#include "tools/driver.h"

#include <string.h>


#include "shim/list.h"
#include "shim/path.h"
#include "tools/asks/asks.h"
#include "tools/cmdline/cmdline.h"
#include "tools/cmdline/language.h"
#include "tools/drivers/drivers.h"

#include "shim/banned.h"

static int is_measured_linker(const char *name)
{
	static const char linkers[] =
		"gold\0" "ld\0" "ld.bfd\0" "ld.gold\0" "ld.lld\0" "lld\0";

	return list_has(linkers, name);
}

const struct driver *driver_of(const struct tool_row *row)
{
	switch (row->family) {
#define FAMILY(id, driver, options) \
	case FAMILY_##id: \
		return driver;
#include "tools/tools.def"
	}
	return &driver_generic;
}

unsigned driver_reach(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	return driver_ask(row, reach, REACH_ANYTHING, row, c, role);
}

unsigned driver_reach_mapped(const struct tool_row *row, const struct cmdline *c,
                             enum name_role role)
{
	return driver_of(row)->maps ? driver_gcc_reach_mapped(row, c, role) : REACH_ANYTHING;
}

static enum name_role role_of(const struct driver *d, const struct cmdline *c, int i, int last)
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
	enum name_role own = !i ? ROLE_OTHER : d->role ? d->role(c, i, last) : ROLE_COUNT;

	if (own != ROLE_COUNT)
		return own;
	/* The output holds the path of a library without a soname. PoCL's object is "x.so.o". */
	if (!option && arg->text[0] != '-' && strstr(arg->text, ".so") &&
	    !path_ends(arg->text, ".so.o"))
		return ROLE_OTHER;
	if (!option)
		return arg->text[0] == '@' ? ROLE_RESPONSE : arg->text[0] == '-' ? ROLE_OTHER
		       : last ? ROLE_BASE : ROLE_SOURCE;
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
	if (prefix_map_is(option))
		return ROLE_MAP;
	return strcmp(option, "-L") == 0 ? ROLE_LIBRARY : ROLE_OTHER;
}

/* The value of the last of so many arguments that give a target counts if it is the only one. The
 * path behind -o may spell it. */
static void keep_target(struct cmdline *c, int targets)
{
	/* The option and its value. */
	if (targets != 2)
		c->target = 0;
	CMDLINE_OUTPUTS(i, c)
		if (c->target && driver_role(c, i, 1) == ROLE_OUTPUT &&
		    c->v[i].role == ARG_OUTPUT && strcmp(c->v[i].text, c->v[c->target].text) == 0)
			c->target_output = i;
}

static int is_cxx(const char *path)
{
	static const char c[] =
		"c\0" "i\0" "s\0" "o\0" "a\0" "so\0";
	const char *base = strrchr(path, '/'), *dot = strrchr(base ? base : path, '.');

	return !dot || !list_has(c, dot + 1);
}

void driver_read(const struct tool_row *row, struct cmdline *c)
{
	static const char asks[] = "--generate-dependencies-with-compile\0" "-MD\0" "-MMD\0";
	const struct driver *d = driver_of(row);
	int targets = 0;

	c->facts = d->fact ? FACT_READ : d->facts ? d->facts(row, c) : 0;
	for (int i = 0; i < c->count; i++) {
		struct cmdline_arg *arg = &c->v[i];

		for (int last = 0; last < 2; last++)
			arg->name_role[last] = (unsigned char)role_of(d, c, i, last);
		c->names_depfile |= driver_role(c, i, 1) == ROLE_DEPFILE;
		if (!i)
			continue;
		if (d->fact)
			c->facts |= d->fact(row, c, i);
		if (driver_role(c, i, 1) == ROLE_TARGET) {
			targets++;
			c->target = arg->is_value ? i : c->target;
		}
		c->asks_depfile |= list_has(asks, arg->text);
		c->may_be_cxx |= arg->option ? strcmp(arg->option, "-x") == 0 : is_cxx(arg->text);
	}
	keep_target(c, targets);
}

unsigned driver_words(const struct tool_row *row, const struct cmdline *c)
{
	int cxx = c->may_be_cxx || strstr(row->name, "++") != NULL ||
		strcmp(row->name, "cc1plus") == 0 || row->family == FAMILY_NVCC;

	return (cxx ? ASKS_CXX : 0u) |
	       (row->family == FAMILY_CLANG || row->flags & TOOL_EITHER ? ASKS_PRETTY : 0u);
}

int driver_names_free(const struct tool_row *row, const struct cmdline *c,
                      const struct patch_name *names, size_t count)
{
	return c->flags & CMD_NAME_FREE ||
	       (row->flags & TOOL_XFT_FREE && nvcc_step_names_free(c, names, count));
}

int driver_output_free(const struct tool_row *row, const struct cmdline *c, int i)
{
	enum name_role role = driver_role(c, i, 1);
	int compiles = row->family == FAMILY_GCC || row->family == FAMILY_CLANG;

	/* -v: gcc and clang print the directory of the output, and names that are made of its
	 * parts. */
	return (role == ROLE_OUTPUT || role == ROLE_DEPFILE) &&
	       !c->v[i].adds && !(row->flags & TOOL_READS_OUTPUT) &&
	       !(compiles && cmdline_has(c, "-v\0")) &&
	       (c->flags & CMD_NAME_FREE ||
	        (driver_reach(row, c, role) & ~(unsigned)REACH_DEPS) == 0);
}

int driver_output_named(const struct cmdline *c, const void *data, size_t n)
{
	return c->flags & CMD_LINK && link_enters_output(data, n);
}

int driver_target_output(const struct tool_row *row, const struct cmdline *c, int i)
{
	if (!c->target || i != c->target || !c->asks_depfile ||
	    driver_reach(row, c, ROLE_TARGET) != REACH_DEPS ||
	    driver_reach(row, c, ROLE_OUTPUT) != 0)
		return 0;
	return c->target_output;
}

int driver_names_target(const struct tool_row *row, const struct cmdline *c, int i)
{
	return driver_role(c, i, 1) == ROLE_OUTPUT &&
	       (driver_target_output(row, c, c->target) == i ||
	        driver_reach(row, c, ROLE_OUTPUT) == REACH_DEPS);
}

enum depfile_layout driver_depfile_layout(const struct tool_row *row)
{
	return row->flags & TOOL_EITHER ? DEPFILE_UNKNOWN
	                                : (enum depfile_layout)driver_of(row)->depfile;
}

int driver_messages_flow(const struct tool_row *row, const struct cmdline *c)
{
	return driver_of(row)->flows && !cmdline_holds(c, "message-length");
}

int driver_names_depfile(const struct cmdline *c, int i)
{
	return c->asks_depfile && driver_role(c, i, 1) == ROLE_OUTPUT && !c->names_depfile;
}

int driver_is_depfile(const struct cmdline *c, const char *path)
{
	if (path_ends(path, ".d"))
		return 1;
	CMDLINE_OUTPUTS(i, c)
		if (c->v[i].option && strcmp(c->v[i].option, "-MF") == 0 &&
		    strcmp(path_base(c->v[i].text + c->v[i].at), path_base(path)) == 0)
			return 1;
	return 0;
}

int driver_reads_stdin(const struct tool_row *row, const struct cmdline *c)
{
	return driver_of(row)->stdin_source && !(c->flags & CMD_PCH) && !c->names_stdin &&
	       !(c->count > 1 && strncmp(c->v[1].text, "-cc1", 4) == 0);
}

static int is_compiled_operand(const struct cmdline_arg *a)
{
	if (a->option && strcmp(a->option, "-x") == 0)
		return language_named(a->text + (a->is_value ? 0 : 2)) == LANGUAGE_COMPILED;
	return a->role == ARG_INPUT && language_of_file(a->text) == LANGUAGE_COMPILED;
}

int driver_names_compiled(const struct cmdline *c)
{
	for (int i = 1; i < c->count; i++)
		if (strncmp(c->v[i].text, "-include-pch", 12) == 0 ||
		    strncmp(c->v[i].text, "-fmodule-file=", 14) == 0 ||
		    is_compiled_operand(&c->v[i]))
			return 1;
	return 0;
}

/* Help text, wherever it goes, also asks for the width. */
int driver_asks_stdin_width(const struct tool_row *row, const struct cmdline *c, int shown)
{
	return driver_of(row)->stdin_width &&
	       (shown || cmdline_begins(c, "--help\0") || cmdline_has(c, "--target-help\0"));
}

int driver_asks_itself(const struct tool_row *row, const struct cmdline *c)
{
	static const char gcc[] =
		"--version\0" "-dumpfullversion\0" "-dumpmachine\0" "-dumpspecs\0" "-dumpversion\0"
		"-v\0";
	static const char ld[] = "--help\0" "--version\0" "-V\0" "-v\0";
	int is_gcc = row->family == FAMILY_GCC && !(row->flags & TOOL_EITHER);

	if (!is_gcc && !(row->family == FAMILY_LD && is_measured_linker(row->name)))
		return 0;
	for (int i = 1; i < c->count; i++)
		if (!list_has(is_gcc ? gcc : ld, c->v[i].text) &&
		    !(is_gcc && strncmp(c->v[i].text, "-print-", 7) == 0))
			return 0;
	return c->count > 1;
}

int driver_source_hash(const struct tool_row *row, const char *path, const char *real,
                       char out[SOURCE_HASH + 1])
{
	if (!(row->flags & TOOL_NAMES_HASHES) || !module_hash_covers(path))
		return 0;
	if (real)
		module_hash(out, real);
	return 1;
}

int driver_has_steps(const struct tool_row *row, const struct cmdline *c)
{
	return driver_gcc_has_steps(row, c);
}

/* A precompiled header or module of clang holds whether messages are coloured. */
int driver_outputs_show_streams(const struct tool_row *row, const struct cmdline *c)
{
	return c->flags & CMD_PCH ||
	       (driver_of(row)->shows_streams &&
	        driver_reach(row, c, ROLE_OUTPUT) & REACH_ANYTHING);
}

const char *driver_default_output(const struct tool_row *row, const struct cmdline *c)
{
	const struct driver *d = driver_of(row);

	return d->output[0] && (!d->linked || c->flags & CMD_LINK) ? d->output : NULL;
}

int driver_says_time(const char *words)
{
	return strstr(words, "-time") != NULL;
}

const char driver_system_variables[] =
	"CPATH\0C_INCLUDE_PATH\0CPLUS_INCLUDE_PATH\0OBJC_INCLUDE_PATH\0"
	"OBJCPLUS_INCLUDE_PATH\0";

/* -isystem, -idirafter, --include-directory-after, ...: a response file may hold one. */
int driver_names_system_directories(const struct cmdline *c)
{
	return cmdline_begins(c, "--i\0" "--sysroot\0" "-i\0" "@\0");
}

int failure_may_be_known(const struct tool_row *row)
{
	return driver_of(row)->fails_by_input != NULL;
}

int failure_is_of_input(const struct tool_row *row, int status, const char *text, size_t n)
{
	const struct driver *d = driver_of(row);

	return d->fails_by_input && d->fails_by_input(status, text, n);
}
