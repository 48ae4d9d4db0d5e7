/* tools/drivers/gcc.c - gcc, clang, cc1 and cc1plus, compiling or linking: the places that names in
 * their command lines reach.
 *
 * Measured with gcc 12 and clang 14 (docs/internals/names.md). Without -g the object of C and C++
 * holds no directory, and nothing computed from a directory, unless the text asks. It does not hold
 * the paths of -o, -MF, a response file or the working directory. With -g gcc writes two strings,
 * the source's name and the working directory, in an order that follows from both. Base names are
 * in symbols, and bind. */
#include "tools/drivers/drivers.h"

#include <string.h>

#include "shim/list.h"
#include "tools/asks/asks.h"
#include "tools/cmdline/cmdline.h"
#include "shim/list.h"
#include "tools/options/options.h"

#include "shim/banned.h"

/* Rows of tools/options/gcc_options.def that let no name through, except as the roles of their
 * values say. */
static const char plain[] =
	"--assemble\0" "--compile\0" "--define-macro\0" "--include-directory\0" "--optimize\0"
	"--output\0" "--pedantic\0" "--std\0" "--stdlib\0" "--sysroot\0" "--target\0"
	"--undefine-macro\0" "--warn-\0" "-C\0" "-D\0" "-E\0" "-I\0" "-L\0" "-MD\0" "-MF\0"
	"-MMD\0" "-MP\0" "-MQ\0" "-MT\0" "-O\0" "-P\0" "-S\0" "-U\0" "-W\0" "-Wl,\0" "-Xlinker\0"
	"-ansi\0" "-c\0" "-frandom-seed=\0" "-g0\0" "-ggdb0\0" "-idirafter\0"
	"-imacros\0" "-include\0" "-iquote\0" "-isysroot\0" "-isystem\0" "-l\0" "-m\0" "-no\0"
	"-o\0" "-pedantic\0" "-pg\0" "-pie\0" "-pipe\0" "-pthread\0" "-r\0" "-rdynamic\0" "-s\0"
	"-shared\0" "-static\0" "-std=\0" "-stdlib=\0" "-target\0" "-u\0" "-undef\0" "-w\0"
	"-z\0";
/* DWARF 5, the default of -g. */
static const char debug[] =
	"-g\0" "-g1\0" "-g2\0" "-g3\0" "-gdwarf-5\0" "-ggdb\0";
/* Names get into strings in the order of a hash, unless maps hide them. */
static const char earlier_debug[] =
	"-gdwarf\0" "-gdwarf-2\0" "-gdwarf-3\0" "-gdwarf-4\0";
/* clang's debug information has the value in the place of the working directory. */
static const char directories[] =
	"-fdebug-compilation-dir\0" "-ffile-compilation-dir=\0";
/* Options that gcc adds for cc1 and cc1plus. Other options ask for dumps; these only name the
 * dumps. */
static const char added[] =
	"-dumpbase\0" "-dumpbase-ext\0" "-dumpdir\0" "-imultiarch\0" "-quiet\0";
static const char offload[] = "-foffload-options=-l_GCC_";
/* Values of --param with numbers: parts of -march=native, and what distributions add. */
static const char numbers[] =
	"l1-cache-line-size=\0" "l1-cache-size=\0" "l2-cache-size=\0" "ssp-buffer-size=\0";
/* They leave the lines to the assembler. */
static const char debug_less[] =
	"-gno-column-info\0" "-gno-pubnames\0" "-gno-record-gcc-switches\0" "-gno-split-dwarf\0"
	"-gno-strict-dwarf\0";
/* -x c, and no value that could be a name. */
static const char languages[] =
	"-x\0" "-xc\0" "-xc++\0" "c\0" "c++\0" "none\0";
/* Options for the assembler. */
static const char assembler[] =
	"--64\0" "--noexecstack\0";

static int is_clang(const struct tool_row *row)
{
	return row->family == FAMILY_CLANG;
}

static int is_cc1(const struct tool_row *row)
{
	return row->family == FAMILY_CC1;
}

static int is_number(const char *value)
{
	const char *equals = strchr(value, '=');

	return equals && list_has_n(numbers, value, (size_t)(equals - value) + 1) &&
	       !equals[1 + strspn(equals + 1, "0123456789")];
}

/* --param x=1, in one argument or two. */
static int is_parameter(const struct cmdline_arg *arg)
{
	const char *equals = strchr(arg->text, '=');

	if (arg->is_value)
		return is_number(arg->text);
	return !equals || is_number(equals + 1);
}

/* -B/dir, in one argument or two: programs and crt files are inputs, and nothing holds its name.
 * What a relative one means depends on the working directory. */
static int is_absolute_prefix(const struct cmdline_arg *arg)
{
	return arg->is_value ? arg->text[0] == '/' : !arg->text[2] || arg->text[2] == '/';
}

static int is_added(const struct cmdline *c, int i)
{
	const struct cmdline_arg *arg = &c->v[i];

	/* The driver's own library for other processors. */
	if (strncmp(arg->text, offload, sizeof offload - 1) == 0)
		return 1;
	return list_has(added, arg->option);
}

/* -Wa,--noexecstack: no path, no listing. */
static int is_plain_assembler(const char *list)
{
	char word[64];

	for (size_t n; ; list += n + 1) {
		n = strcspn(list, ",");
		if (n >= sizeof word)
			return 0;
		memcpy(word, list, n);
		word[n] = '\0';
		if (!list_has(assembler, word))
			return 0;
		if (!list[n])
			return 1;
	}
}

/* -fdebug-compilation-dir=x. Without a value, clang enters the working directory. */
static int gives_directory(const struct tool_row *row, const struct cmdline *c, int i)
{
	const struct cmdline_arg *arg = &c->v[i];
	const char *equals = strchr(arg->text, '=');

	if (!is_clang(row) || !list_has(directories, arg->option))
		return 0;
	if (arg->is_value)
		return arg->text[0] != '\0';
	return equals ? equals[1] != '\0' : i + 1 < c->count && c->v[i + 1].text[0];
}

/* What the arguments of a command hold. */
enum {
	MAP = FACT_OWN,    /* a prefix map: plain where the map is known */
	EARLIER = 8,       /* -gdwarf-4 and the like */
	MAPPED_EARLIER = 16, /* the same: plain where a map hides names in debug information */
	COMPILES = 32,     /* an operand that is no object, archive or library */
	TO_PREPROCESS = 64,/* an operand that is known for the names of outputs alone */
	UNKNOWN = 128,     /* an operand of another ending */
	LANGUAGE = 256,    /* -x */
	DEPS = 512,        /* -MD, -MMD */
	TARGET = 1024,     /* -MT, -MQ */
	DIRECTORY = 2048,  /* gives_directory() */
	PIPE = 4096,       /* -pipe */
};

/* C, C++, preprocessed assembler, objects and archives. Assembler that is not preprocessed yet is
 * known for the names of outputs alone. It is not known which words of such a text ask for its own
 * name. */
static unsigned operand_facts(const char *text)
{
	static const char endings[] =
		"C\0" "a\0" "c\0" "c++\0" "cc\0" "cp\0" "cpp\0" "cxx\0" "o\0" "s\0" "so\0";
	static const char to_preprocess[] = "S\0" "sx\0", linked[] = "a\0" "o\0" "so\0";
	const char *base = strrchr(text, '/'), *dot = strrchr(base ? base : text, '.');
	unsigned facts = text[0] == '-' && text[1] ? FACT_BOUND : 0;

	if (!dot || !list_has(linked, dot + 1))
		facts |= COMPILES;
	if (text[0] == '@' || (dot && list_has(endings, dot + 1)))
		return facts;
	return facts | (dot && list_has(to_preprocess, dot + 1) ? TO_PREPROCESS : UNKNOWN);
}

/* FACT_BOUND, unless the option is known to let no name through, except as the roles of its values
 * say. */
static unsigned plain_facts(const struct tool_row *row, const struct cmdline *c, int i)
{
	const struct cmdline_arg *arg = &c->v[i];
	int is_plain;

	if (is_cc1(row) && is_added(c, i))
		is_plain = 1;
	else if (strcmp(arg->option, "-f") == 0)
		is_plain = options_f_known(arg->text);
	else if (strcmp(arg->option, "-g") == 0)
		return list_has(debug, arg->text)           ? 0
		       : list_has(earlier_debug, arg->text) ? MAPPED_EARLIER
		                                            : FACT_BOUND;
	else if (strcmp(arg->option, "-gno-") == 0)
		is_plain = list_has(debug_less, arg->text);
	else if (strcmp(arg->option, "--param") == 0)
		is_plain = is_parameter(arg);
	else if (strcmp(arg->option, "-B") == 0)
		is_plain = is_absolute_prefix(arg);
	else if (prefix_map_is(arg->option))
		return MAP;
	/* gcc prints names as they are. clang prints the working directory as well. */
	else if (strcmp(arg->text, "-v") == 0)
		is_plain = row->family == FAMILY_GCC && !(row->flags & TOOL_EITHER);
	else if (list_has(directories, arg->option))
		is_plain = gives_directory(row, c, i);
	else if (strcmp(arg->option, "-Wa,") == 0)
		is_plain = is_plain_assembler(arg->text + 4);
	else if (strcmp(arg->option, "-W") == 0)
		is_plain = !strchr(arg->text, ',');
	else if (strcmp(arg->option, "-x") == 0)
		is_plain = list_has(languages, arg->text);
	else if (strcmp(arg->option, "-Wl,") == 0 || strcmp(arg->option, "-Xlinker") == 0)
		is_plain = c->flags & CMD_LINK && link_plain(c, i);
	else
		is_plain = list_has(plain, arg->option);
	return is_plain ? 0 : FACT_BOUND;
}

unsigned driver_gcc_fact(const struct tool_row *row, const struct cmdline *c, int i)
{
	static const char deps[] = "-MD\0" "-MMD\0", targets[] = "-MQ\0" "-MT\0";
	const struct cmdline_arg *arg = &c->v[i];

	if (!arg->option)
		return operand_facts(arg->text);
	return plain_facts(row, c, i) |
	       (list_has(earlier_debug, arg->text) ? EARLIER : 0u) |
	       (gives_directory(row, c, i) ? DIRECTORY : 0u) |
	       (strcmp(arg->option, "-x") == 0 ? LANGUAGE : 0u) |
	       (strcmp(arg->option, "-pipe") == 0 ? PIPE : 0u) |
	       (list_has(deps, arg->option) ? DEPS : 0u) |
	       (list_has(targets, arg->option) ? TARGET : 0u);
}

static int operands_known(const struct cmdline *c, enum name_role role)
{
	unsigned others = role == ROLE_OUTPUT || role == ROLE_DEPFILE ? UNKNOWN
	                                                              : UNKNOWN | TO_PREPROCESS;

	return c->facts & LANGUAGE || !(c->facts & others);
}

/* The command holds nothing that takes a name of this role elsewhere than reach() says. */
static int all_plain(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	const unsigned bound = CMD_COVERAGE | CMD_LTO | CMD_STDIN | CMD_PCH | CMD_NESTS |
	                       (is_cc1(row) ? 0 : CMD_DUMP);
	const unsigned maps = CMD_MAPS_DEBUG | CMD_MAPS_MACRO;

	return !(c->flags & bound) && operands_known(c, role) &&
	       driver_plain(c) &&
	       (!(c->facts & MAP) || c->flags & maps) &&
	       (!(c->facts & MAPPED_EARLIER) || c->flags & CMD_MAPS_DEBUG);
}

/* Only links: to objects and libraries, -g adds nothing. */
static int compiles_nothing(const struct cmdline *c)
{
	return c->flags & CMD_LINK && !(c->facts & (COMPILES | LANGUAGE));
}

/* What a name reaches in debug information. hidden: CMD_MAPS_ flags for this name. */
static unsigned debug_reach(const struct tool_row *row, const struct cmdline *c, unsigned hidden)
{
	if ((c->flags & (CMD_DEBUG | CMD_DEBUG_ANYWHERE)) != CMD_DEBUG ||
	    hidden & CMD_MAPS_DEBUG || compiles_nothing(c))
		return 0;
	if (c->facts & EARLIER)
		return REACH_ANYTHING;
	return is_clang(row) ? REACH_DEBUG : REACH_LINES;
}

/* Preprocessed text holds the names of its sources, and not the name of its output. It holds the
 * working directory with -g, or where -fworking-directory asks for it, which is not plain. */
static unsigned reach_text(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	if (role == ROLE_OUTPUT)
		return 0;
	if (is_clang(row) || row->flags & TOOL_EITHER || c->flags & CMD_DEBUG)
		return REACH_ANYTHING;
	return role == ROLE_CWD    ? 0
	       : role == ROLE_BASE ? REACH_ASKED | REACH_TEXT
	                           : REACH_ANYTHING;
}

static unsigned reach(const struct tool_row *row, const struct cmdline *c, enum name_role role,
                      unsigned hidden)
{
	int deps = (c->facts & DEPS) != 0;
	unsigned lines = debug_reach(row, c, hidden);
	/* gas enters directories of headers, in order of appearance. */
	unsigned table = lines == REACH_LINES ? REACH_TABLE : lines ? REACH_ANYTHING : 0;
	/* clang 14 spells the place of a lambda unmapped. */
	unsigned asked = hidden & CMD_MAPS_MACRO && !is_clang(row) && !(row->flags & TOOL_EITHER)
	                         ? 0 : REACH_ASKED;

	/* The tool may be gcc or clang, and only gcc has these tables. A link with -g puts the
	 * strings into a new order. */
	if (!all_plain(row, c, role) ||
	    (lines && (row->flags & TOOL_EITHER || c->flags & CMD_LINK)))
		return REACH_ANYTHING;
	/* cc1 takes a file behind -MD. */
	if (is_cc1(row) && (deps || c->flags & CMD_PREPROCESS))
		return REACH_ANYTHING;
	if (c->flags & CMD_PREPROCESS)
		return deps ? REACH_ANYTHING : reach_text(row, c, role);
	switch (role) {
	case ROLE_SOURCE: return asked | lines | (deps ? REACH_DEPS : 0);
	case ROLE_BASE: return compiles_nothing(c) ? 0 : REACH_ANYTHING;
	case ROLE_CWD: return lines && c->facts & DIRECTORY ? 0 : lines;
	case ROLE_MAP: return hidden ? 0 : REACH_ANYTHING;
	case ROLE_OUTPUT: return deps && !(c->facts & TARGET) ? REACH_DEPS : 0;
	case ROLE_DEPFILE:
	case ROLE_RESPONSE: return 0;
	case ROLE_TARGET: return REACH_DEPS;
	case ROLE_INCLUDE: return asked | table | (deps ? REACH_DEPS : 0);
	/* gcc spells a header there by its real path, if that is shorter. */
	case ROLE_SYSTEM: return asked | table | REACH_LENGTH | (deps ? REACH_DEPS : 0);
	case ROLE_LIBRARY: return 0;
	default: return REACH_ANYTHING;
	}
}

unsigned driver_gcc_reach(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	return reach(row, c, role, 0);
}

unsigned driver_gcc_reach_mapped(const struct tool_row *row, const struct cmdline *c,
                                 enum name_role role)
{
	return reach(row, c, role, c->flags & (CMD_MAPS_DEBUG | CMD_MAPS_MACRO));
}

/* gcc -g that links: only its link binds the names. Mapped names do not reach it. */
int driver_gcc_has_steps(const struct tool_row *row, const struct cmdline *c)
{
	return row->family == FAMILY_GCC && !(row->flags & TOOL_EITHER) && c->flags & CMD_LINK &&
	       (c->flags & (CMD_DEBUG | CMD_DEBUG_ANYWHERE | CMD_MAPS_DEBUG)) == CMD_DEBUG &&
	       !(c->facts & PIPE) && !compiles_nothing(c) && all_plain(row, c, ROLE_SOURCE);
}

static enum output_flaw flaw(const void *data, size_t n, long pid)
{
	return gcc_module_is_dated(data, n) ? FLAW_DATED : FLAW_NONE;
}

const struct driver driver_gcc = {
	.fact = driver_gcc_fact,
	.reach = driver_gcc_reach,
	.maps = 1,
	.flaw = flaw,
	.fails_by_input = gcc_failure,
	.temporary = TEMPORARY_SCRATCH,
	.jobserver = JOBSERVER_LINK,
	.output = "a.out",
	.linked = 1,
	.stdin_width = 2,
	.stdin_source = 1,
	.depfile = DEPFILE_GCC,
	.flows = 1,
	.lines = 1,
};
const struct driver driver_cc1 = {
	.fact = driver_gcc_fact,
	.reach = driver_gcc_reach,
	.maps = 1,
	.flaw = flaw,
	.stdin_width = 2,
	.depfile = DEPFILE_GCC,
	.flows = 1,
	.lines = 1,
};
const struct driver driver_lto1 = {.stdin_width = 1};
