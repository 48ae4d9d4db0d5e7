/* tools/options/options.c - the search in any option table. */
#include "tools/options/options.h"

#include <string.h>

#include "shim/banned.h"

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
