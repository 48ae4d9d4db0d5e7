/* tools/options_gcc.c - options of gcc and clang, and the search in any option table. */
#include <string.h>

#include "tools/options.h"

#include "shim/banned.h"

#define OPTION(text, shape, value, forward, set, clear) \
	{text, SHAPE_##shape, VALUE_##value, FORWARD_##forward, set, clear},

static const struct option gcc_rows[] = {
#include "tools/options_gcc.def"
};

/* Options of cc1, cc1plus and clang -cc1, beside or instead of the driver's. -Wp, and
 * -Xpreprocessor reach them too (-Wp,-MD,x takes a file where -MD takes none). */
static const struct option cc1_rows[] = {
	OPTION("-MD", SEPARATE, OUTPUT, NONE, 0, 0)
	OPTION("-MMD", SEPARATE, OUTPUT, NONE, 0, 0)
	OPTION("-add-plugin", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-auxbase", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-auxbase-strip", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-coverage-data-file", EQUAL, OUTPUT, NONE, CMD_COVERAGE, 0)
	OPTION("-coverage-notes-file", EQUAL, OUTPUT, NONE, CMD_COVERAGE, 0)
	OPTION("-debug-info-kind=", JOINED, LITERAL, NONE, OPT_STICKY_DEBUG, 0)
	OPTION("-dependency-file", SEPARATE, OUTPUT, NONE, 0, 0)
	OPTION("-diagnostic-log-file", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-dwarf-debug-flags", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-emit-llvm-bc", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-emit-module", FLAG, LITERAL, NONE, CMD_PCH, 0)
	OPTION("-emit-obj", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-emit-pch", FLAG, LITERAL, NONE, CMD_PCH, 0)
	OPTION("-fdebug-compilation-dir=", JOINED, LITERAL, NONE, 0, 0)
	OPTION("-ferror-limit", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-header-include-file", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-include-pch", SEPARATE, INPUT, NONE, OPT_USES_PCH, 0)
	OPTION("-internal-externc-isystem", SEPARATE, ANY, NONE, 0, 0)
	OPTION("-internal-isystem", SEPARATE, ANY, NONE, 0, 0)
	OPTION("-load", SEPARATE, INPUT, NONE, CMD_DUMP, 0)
	OPTION("-main-file-name", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-mrelocation-model", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-opt-record-file", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-pic-level", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-plugin", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-quiet", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-resource-dir", EQUAL, ANY, NONE, 0, 0)
	OPTION("-serialize-diagnostic-file", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-split-dwarf-file", SEPARATE, LITERAL, NONE, CMD_DUMP, 0)
	OPTION("-split-dwarf-output", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-stack-usage-file", SEPARATE, OUTPUT, NONE, CMD_DUMP, 0)
	OPTION("-target-cpu", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-target-feature", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-target-linker-version", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-triple", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-tune-cpu", SEPARATE, LITERAL, NONE, 0, 0)
};

const struct option_table options_gcc = {gcc_rows, sizeof gcc_rows / sizeof *gcc_rows, OPT_BOUND};
const struct option_table options_cc1 = {cc1_rows, sizeof cc1_rows / sizeof *cc1_rows, OPT_BOUND};

/* True when the row, whose text begins arg, takes arg in its shape. */
static int shape_fits(const struct option *o, const char *arg, size_t len, size_t *value_at)
{
	const char *eq;

	*value_at = 0;
	switch (o->shape) {
	case SHAPE_FLAG:
	case SHAPE_SEPARATE:
		return arg[len] == '\0';
	case SHAPE_JOINED:
		*value_at = len;
		return 1;
	case SHAPE_BOTH:
		*value_at = arg[len] ? len : 0;
		return 1;
	case SHAPE_EQUAL:
		*value_at = arg[len] == '=' ? len + 1 : 0;
		return arg[len] == '\0' || arg[len] == '=';
	case SHAPE_OUTFILE:
		eq = strchr(arg + len, '=');
		*value_at = eq ? (size_t)(eq + 1 - arg) : 0;
		return 1;
	}
	return 0;
}

const struct option *options_find(const struct option_table *t, const char *arg, size_t *value_at)
{
	size_t low = 0, high = t->count;

	/* Every spelling that begins arg sorts at or before it; the longest is nearest. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(t->rows[mid].text, arg) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	while (low-- > 0) {
		const struct option *o = &t->rows[low];
		size_t len = strlen(o->text);

		if (o->text[0] != arg[0] || o->text[1] != arg[1])
			break; /* every spelling has at least two characters */
		if (strncmp(arg, o->text, len) == 0 && shape_fits(o, arg, len, value_at))
			return o;
	}
	return NULL;
}

const char *options_why(const struct option *o)
{
	static const struct { const char *text, *why; } why[] = {
		{"-Z", "-Z: an unstable option"},
		{"-fbuild-session-file=",
			"-fbuild-session-*: module files are rebuilt by the clock"},
		{"-fbuild-session-timestamp=",
	         "-fbuild-session-*: module files are rebuilt by the clock"},
		{"-fmodule-mapper=", "-fmodule-mapper: asks another program where modules are"},
		{"-time=", "-time=: appends to a file"},
		{"-clean", "--clean-targets: removes files"},
		{"-clean-targets", "--clean-targets: removes files"},
		{"-fdevice-time-trace", "--fdevice-time-trace: writes times"},
		{"-run", "--run: runs what was compiled"},
		{"-run-args", "--run: runs what was compiled"},
		{"-time", "--time: writes times"},
		{"-wrapper", "-wrapper: another program runs around each pass"},
		{"-error-handling-script", "--error-handling-script: a script runs on failure"},
		{"-incremental", "--incremental: gold patches the output that is there"}};

	for (size_t i = 0; i < sizeof why / sizeof *why; i++)
		if (strcmp(o->text + (o->text[1] == '-'), why[i].text) == 0)
			return why[i].why;
	return o->text;
}
