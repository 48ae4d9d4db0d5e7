/* tools/options/options.h - option tables of the tool families, one line an option.
 *
 * The search takes the longest spelling that begins an argument and has a fitting shape. Effects
 * are the CMD_* flags of cmdline.h and the OPT_* bits below, which never leave tools/. Pure
 * code. THREAD. */
#pragma once

#include <stddef.h>

#include "tools/cmdline/cmdline.h"

/* How an option takes its value. */
enum option_shape {
	SHAPE_FLAG,     /* -c              exactly this */
	SHAPE_JOINED,   /* -O2 -Wall       the rest of the argument, which may be empty */
	SHAPE_SEPARATE, /* -Xlinker x      the next argument */
	SHAPE_BOTH,     /* -ox, -o x */
	SHAPE_EQUAL,    /* --sysroot=x, --sysroot x */
	SHAPE_OUTFILE   /* -fopt-info-vec=x, -a=x: a path after the first '=', if there is one */
};
/* Kind of the value. */
enum option_value {
	VALUE_ANY,     /* may hold paths: searched for them */
	VALUE_LITERAL, /* never a path */
	VALUE_OUTPUT,
	VALUE_LIST,    /* an output, to which the tool adds where it is there */
	VALUE_INPUT
};
/* The program that gets the value. */
enum option_forward {
	FORWARD_NONE,
	FORWARD_LANGUAGE,
	FORWARD_AS,
	FORWARD_LD,
	FORWARD_CPP,
	FORWARD_CC1
};

enum {
	OPT_BOUND = 1 << 16,        /* result may depend on the cwd */
	OPT_NO_LINK = 1 << 17,      /* a mode that stops before the linker */
	OPT_COMPILE = 1 << 18,      /* -c, -S */
	OPT_SYNTAX = 1 << 19,       /* -fsyntax-only and the like: no output */
	OPT_USES_PCH = 1 << 20,     /* may read a precompiled header or module */
	OPT_NO_PCH_TIMES = 1 << 21,
	OPT_NO_CONFIG = 1 << 22,
	OPT_STICKY_DEBUG = 1 << 23, /* as CMD_DEBUG, but -g0 does not undo it */
	OPT_BYPASS = 1 << 24,       /* bypass; options_why() says why */
	OPT_LAUNCHER = 1 << 25      /* mold -run: starts another program */
};

/* With its NUL. A pointer here would be relocated in every process of a job, tool or not. */
#define OPTION_TEXT 32
struct option {
	char text[OPTION_TEXT];
	enum option_shape shape : 8;
	enum option_value value : 8;
	enum option_forward forward : 8;
	unsigned set, clear;
};
/* How the tools of a table read arguments that are no options. */
enum option_operands {
	OPERANDS_PATHS, /* each is one path; "-" is standard input */
	OPERANDS_ANY,   /* likewise, or a comma list of paths (ptxas), or not known */
	OPERANDS_AS,    /* one path; "-", "--" and no operand at all are standard input */
	OPERANDS_LD     /* one path; "-" is no standard input */
};
struct option_table {
	const struct option *rows; /* ascending by strcmp */
	size_t count;
	unsigned unknown; /* effects of an unknown option */
	enum option_operands operands;
};

extern const struct option_table options_gcc, options_cc1, options_as, options_ld, options_ptxas,
	options_nvcc, options_cudafe, options_cicc, options_fatbinary, options_nvlink,
	options_rustc, options_generic, options_tileiras;

/* The row for an argument, or NULL. *value_at: where a joined value begins, 0 when the value is the
 * next argument or there is none. */
const struct option *options_find(const struct option_table *t, const char *arg, size_t *value_at);
/* Why a row with OPT_BYPASS bypasses. */
const char *options_why(const struct option *o);

/* How the tables of options are written, one line an option. */

#define OPTION(text, shape, value, forward, set, clear) \
	{text, SHAPE_##shape, VALUE_##value, FORWARD_##forward, set, clear},
#define OPTION_TABLE(rows, unknown, operands) \
	{rows, sizeof rows / sizeof *rows, unknown, OPERANDS_##operands}

/* --- f_options.c: options -f of gcc and clang --- */

/* True for an -f option, or its negation, that only decides how code is made. */
int options_f_known(const char *arg);
