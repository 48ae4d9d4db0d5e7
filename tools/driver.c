/* tools/driver.c - finds the driver of a row, and gives the answers that most drivers share. */
#include "tools/driver.h"

#include <string.h>

#include "shim/path.h"
#include "tools/ar.h"
#include "tools/asks.h"
#include "tools/comments.h"
#include "tools/d_time.h"
#include "tools/gcc.h"
#include "tools/gcc_directory.h"
#include "tools/gcc_order.h"
#include "tools/language.h"
#include "tools/line_strings.h"
#include "tools/link.h"
#include "tools/list.h"
#include "tools/module_hash.h"
#include "tools/nvcc_steps.h"
#include "tools/prefix_map.h"
#include "tools/sections.h"

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
	case FAMILY_GCC: return &driver_gcc;
	case FAMILY_CLANG: return row->flags & TOOL_OFF ? &driver_clang_off : &driver_clang;
	case FAMILY_CC1: return row->flags & TOOL_LIBCPP ? &driver_cc1 : &driver_lto1;
	case FAMILY_LD: return is_measured_linker(row->name) ? &driver_link : &driver_mold;
	case FAMILY_AS: return &driver_as;
	case FAMILY_AR: return &driver_ar;
	case FAMILY_PTXAS: return &driver_ptxas;
	case FAMILY_NVCC: return &driver_nvcc;
	case FAMILY_CUDAFE: return &driver_cudafe;
	case FAMILY_NVLINK: return &driver_nvlink;
	case FAMILY_CICC: return &driver_cicc;
	case FAMILY_FATBINARY: return &driver_fatbinary;
	case FAMILY_RUSTC: return &driver_rustc;
	case FAMILY_LAUNCHER: return &driver_launcher;
	case FAMILY_GENERIC: break;
	}
	return row->flags & TOOL_DECLARED ? &driver_declared : &driver_generic;
}

unsigned driver_reach(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	const struct driver *d = driver_of(row);

	return d->reach ? d->reach(row, c, role) : REACH_ANYTHING;
}

unsigned driver_reach_mapped(const struct tool_row *row, const struct cmdline *c,
                             enum name_role role)
{
	const struct driver *d = driver_of(row);

	return d->reach_mapped ? d->reach_mapped(row, c, role) : REACH_ANYTHING;
}

int driver_has_steps(const struct tool_row *row, const struct cmdline *c)
{
	const struct driver *d = driver_of(row);

	return d->has_steps && d->has_steps(row, c);
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
	const struct driver *d = driver_of(row);
	const struct cmdline_arg *arg = &c->v[i];
	const char *option = arg->option;
	enum name_role own = i && d->role ? d->role(c, i, last) : ROLE_COUNT;

	if (i == 0)
		return ROLE_OTHER;
	if (own != ROLE_COUNT)
		return own;
	/* The output holds the path of a library without a soname. */
	if (!option && arg->text[0] != '-' && strstr(arg->text, ".so"))
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

static int is_cxx(const char *path)
{
	static const char c[] =
		"c\0" "i\0" "s\0" "o\0" "a\0" "so\0";
	const char *base = strrchr(path, '/'), *dot = strrchr(base ? base : path, '.');

	return !dot || !list_has(c, dot + 1);
}

unsigned driver_words(const struct tool_row *row, const struct cmdline *c)
{
	int cxx = strstr(row->name, "++") != NULL || strcmp(row->name, "cc1plus") == 0 ||
		row->family == FAMILY_NVCC;

	for (int i = 1; i < c->count; i++)
		cxx |= c->v[i].option ? strcmp(c->v[i].option, "-x") == 0 : is_cxx(c->v[i].text);
	return (cxx ? ASKS_CXX : 0u) |
	       (row->family == FAMILY_CLANG || row->flags & TOOL_EITHER ? ASKS_PRETTY : 0u);
}

int driver_names_free(const struct tool_row *row, const struct cmdline *c,
                      const struct patch_name *names, size_t count)
{
	return c->flags & CMD_NAME_FREE ||
	       (row->flags & TOOL_XFT_FREE && nvcc_step_names_free(c, names, count));
}

/* -v: gcc and clang print the directory of the output, and names that are made of its parts. */
static int prints_parts(const struct tool_row *row, const struct cmdline *c)
{
	int compiles = row->family == FAMILY_GCC || row->family == FAMILY_CLANG;

	for (int i = 1; i < c->count && compiles; i++)
		if (strcmp(c->v[i].text, "-v") == 0)
			return 1;
	return 0;
}

int driver_output_free(const struct tool_row *row, const struct cmdline *c, int i)
{
	enum name_role role = driver_role(row, c, i, 1);

	return (role == ROLE_OUTPUT || role == ROLE_DEPFILE) && !driver_adds_to(row, c, i) &&
	       !(row->flags & TOOL_READS_OUTPUT) && !prints_parts(row, c) &&
	       (c->flags & CMD_NAME_FREE ||
	        (driver_reach(row, c, role) & ~(unsigned)REACH_DEPS) == 0);
}

int driver_output_named(const struct cmdline *c, const void *data, size_t n)
{
	return c->flags & CMD_LINK && link_enters_output(data, n);
}

int driver_target_output(const struct tool_row *row, const struct cmdline *c, int i)
{
	int output = 0;

	if (!c->v[i].is_value || driver_role(row, c, i, 1) != ROLE_TARGET ||
	    !driver_asks_depfile(c) || driver_reach(row, c, ROLE_TARGET) != REACH_DEPS ||
	    driver_reach(row, c, ROLE_OUTPUT) != 0)
		return 0;
	for (int k = 1; k < c->count; k++) {
		enum name_role role = k == i || k == i - 1 ? ROLE_OTHER
		                                           : driver_role(row, c, k, 1);

		if (role == ROLE_TARGET)
			return 0;
		if (role == ROLE_OUTPUT && c->v[k].role == ARG_OUTPUT &&
		    strcmp(c->v[k].text, c->v[i].text) == 0)
			output = k;
	}
	return output;
}

int driver_names_target(const struct tool_row *row, const struct cmdline *c, int i)
{
	if (driver_role(row, c, i, 1) != ROLE_OUTPUT)
		return 0;
	for (int k = 1; k < c->count; k++)
		if (driver_target_output(row, c, k) == i)
			return 1;
	return driver_reach(row, c, ROLE_OUTPUT) == REACH_DEPS;
}

enum depfile_layout driver_depfile_layout(const struct tool_row *row)
{
	return row->flags & TOOL_EITHER ? DEPFILE_UNKNOWN
	                                : (enum depfile_layout)driver_of(row)->depfile;
}

int driver_messages_flow(const struct tool_row *row, const struct cmdline *c)
{
	for (int i = 1; i < c->count; i++)
		if (strstr(c->v[i].text, "message-length"))
			return 0;
	return driver_of(row)->flows;
}

int driver_asks_depfile(const struct cmdline *c)
{
	static const char asks[] = "--generate-dependencies-with-compile\0" "-MD\0" "-MMD\0";

	for (int i = 1; i < c->count; i++)
		if (list_has(asks, c->v[i].text))
			return 1;
	return 0;
}

int driver_names_depfile(const struct tool_row *row, const struct cmdline *c, int i)
{
	if (!driver_asks_depfile(c) || driver_role(row, c, i, 1) != ROLE_OUTPUT)
		return 0;
	for (int k = 1; k < c->count; k++)
		if (driver_role(row, c, k, 1) == ROLE_DEPFILE)
			return 0;
	return 1;
}

int driver_is_depfile(const struct cmdline *c, const char *path)
{
	if (path_ends(path, ".d"))
		return 1;
	for (int i = 1; i < c->count; i++)
		if (c->v[i].option && strcmp(c->v[i].option, "-MF") == 0 &&
		    strcmp(path_base(c->v[i].text + c->v[i].at), path_base(path)) == 0)
			return 1;
	return 0;
}

int driver_reads_stdin(const struct tool_row *row, const struct cmdline *c)
{
	if (!driver_of(row)->stdin_source || c->flags & CMD_PCH ||
	    (c->count > 1 && strncmp(c->v[1].text, "-cc1", 4) == 0))
		return 0;
	for (int i = 1; i < c->count; i++)
		if (c->v[i].role != ARG_LITERAL && strstr(c->v[i].text, "/dev/stdin"))
			return 0;
	return 1;
}

int driver_read_text(const struct tool_row *row, struct input_text *out,
                     const struct input_text_request *r)
{
	const struct driver *d = driver_of(row);

	return d->read_text ? d->read_text(out, r) : -1;
}

int driver_drops_comments(const struct tool_row *row, const struct cmdline *c, const char *source)
{
	return row->family == FAMILY_GCC && !(row->flags & TOOL_EITHER) && comments_in(c, source) &&
	       !(c->flags & (CMD_PREPROCESS | CMD_PCH | CMD_COVERAGE | CMD_DUMP | CMD_LTO));
}

const char *driver_adds_to(const struct tool_row *row, const struct cmdline *c, int i)
{
	const struct driver *d = driver_of(row);

	return d->adds_to ? d->adds_to(c, i) : NULL;
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
	if (!driver_of(row)->stdin_width)
		return 0;
	for (int i = 1; i < c->count && !shown; i++)
		shown = strncmp(c->v[i].text, "--help", 6) == 0 ||
		        strcmp(c->v[i].text, "--target-help") == 0;
	return shown;
}

int driver_debug_is_local(const struct tool_row *row)
{
	return driver_of(row)->reach == driver_gcc_reach;
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

int driver_moves_directory(const struct tool_row *row, const struct cmdline *c)
{
	const struct driver *d = driver_of(row);

	return d->moves_directory && d->moves_directory(row, c);
}

enum line_order driver_line_order(const struct tool_row *row, const char *name,
                                  const char *directory)
{
	return driver_of(row)->lines ? gcc_order(name, directory) : LINE_ORDER_NONE;
}

static int is_object(const void *data, size_t n)
{
	return n > 4 && memcmp(data, "\177ELF", 4) == 0;
}

int driver_lines_hold(const struct tool_row *row, const void *data, size_t n, const char *name,
                      const char *directory)
{
	struct section lines;

	if (!driver_of(row)->lines)
		return 0;
	if (is_object(data, n))
		return section_named(&lines, data, n, ".debug_line_str") == 0 &&
		       gcc_order_holds(lines.data, lines.len, name, directory);
	return gcc_order_holds_text(data, n, name, directory);
}

int driver_lines_at(const struct tool_row *row, const char *text, size_t n, size_t at)
{
	return driver_of(row)->lines && gcc_order_lists(text, n, at);
}

int driver_lines_exchange(const struct tool_row *row, struct buf *out, const void *product,
                          size_t n)
{
	size_t at = out->len;

	if (!driver_of(row)->lines)
		return -1;
	buf_add(out, product, n);
	if (out->failed)
		return -1;
	return is_object(product, n) ? line_strings_exchange(out->data + at, n)
	                             : gcc_order_exchange((char *)out->data + at, n);
}

int driver_move_directory(const struct tool_row *row, struct buf *out, const void *object, size_t n,
                          const char *from, const char *to)
{
	return driver_of(row)->lines ? gcc_directory_move(out, object, n, from, to) : -1;
}

int driver_hashes_source(const struct tool_row *row, const char *path)
{
	return row->flags & TOOL_NAMES_HASHES && module_hash_covers(path);
}

void driver_source_hash(char out[SOURCE_HASH + 1], const char *real)
{
	module_hash(out, real);
}

int driver_has_maps(const struct tool_row *row)
{
	return driver_of(row)->reach_mapped != NULL;
}

int driver_width_is_stdins(const struct tool_row *row)
{
	return driver_of(row)->stdin_width == 2;
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

const char *driver_variables(const struct tool_row *row)
{
	return driver_of(row)->variables;
}

int driver_says_time(const char *words)
{
	return strstr(words, "-time") != NULL;
}

int driver_text_takes_time(const char *path, const char *text, size_t n)
{
	return d_time_in(path, text, n);
}

int driver_zone_is_fixed(const char *tz)
{
	return d_time_zone_fixed(tz);
}

const char *driver_editor(const struct tool_row *row)
{
	return driver_of(row)->editor;
}

const char *driver_refuses(const struct tool_row *row, const struct cmdline *c)
{
	const struct driver *d = driver_of(row);

	return d->refuses ? d->refuses(c) : NULL;
}

int driver_writes(const struct tool_row *row, const struct cmdline *c, const char *path)
{
	const struct driver *d = driver_of(row);

	return d->writes && d->writes(c, path);
}

int driver_library(const struct tool_row *row, const struct cmdline *c,
                   const struct listed_dir *dir, const char *file)
{
	const struct driver *d = driver_of(row);

	return d->library ? d->library(c, dir, file) : -1;
}

int driver_runs_code(const struct tool_row *row, const struct cmdline *c, const char *cwd,
                     const char *file)
{
	const struct driver *d = driver_of(row);

	return d->runs_code && d->runs_code(c, cwd, file);
}

int driver_replaced(const struct tool_row *row, const char *name, char other[LISTED_NAME_SIZE])
{
	const struct driver *d = driver_of(row);

	return d->replaced && d->replaced(name, other);
}

enum output_flaw driver_flaw(const struct tool_row *row, const void *data, size_t n, long pid)
{
	const struct driver *d = driver_of(row);

	return d->flaw ? d->flaw(data, n, pid) : FLAW_NONE;
}

int driver_sets_mode(const struct tool_row *row, const void *data, size_t n)
{
	return row->family == FAMILY_AR && !ar_is_archive(data, n);
}

const char driver_system_variables[] =
	"CPATH\0C_INCLUDE_PATH\0CPLUS_INCLUDE_PATH\0OBJC_INCLUDE_PATH\0"
	"OBJCPLUS_INCLUDE_PATH\0";

/* -isystem, -idirafter, --include-directory-after, ...: a response file may hold one. */
int driver_names_system_directories(const struct cmdline *c)
{
	for (int i = 1; i < c->count; i++)
		if (strncmp(c->v[i].text, "-i", 2) == 0 || strncmp(c->v[i].text, "--i", 3) == 0 ||
		    strncmp(c->v[i].text, "--sysroot", 9) == 0 || c->v[i].text[0] == '@')
			return 1;
	return 0;
}
