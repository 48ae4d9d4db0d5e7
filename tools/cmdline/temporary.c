/* tools/cmdline/temporary.c - finds temporary files by the form of name that the row's driver
 * gives. */

#include "names/name_shape.h"
#include "tools/cmdline/cmdline.h"
#include "tools/driver.h"

#include "shim/banned.h"

static const char variables[TEMPORARY_VARIABLES][8] = {"TMPDIR", "TMP", "TEMP", "TEMPDIR"};

int temporary_begin(struct temporary *t, const struct tool_row *row, const struct cmdline *c)
{
	enum temporary_names names = driver_of(row)->temporary;

	*t = (struct temporary){.row = row};
	if (names != TEMPORARY_PID)
		return names != TEMPORARY_HIDDEN;
	/* nvcc asks for TMPDIR alone, whatever the trace shows; compressed debug information shows
	 * nothing. */
	t->read = 1;
	t->named = cmdline_holds(c, "-gz");
	return 1;
}

const char *temporary_variable(size_t v)
{
	return variables[v];
}

void temporary_read(struct temporary *t, const char *name, const char *value)
{
	if (driver_of(t->row)->temporary == TEMPORARY_PID)
		return;
	for (size_t v = 0; v < TEMPORARY_VARIABLES; v++)
		if (strcmp(name, variables[v]) == 0) {
			t->read |= 1u << v;
			t->dir[v] = value && *value ? value : "/tmp/";
		}
}

int temporary_possible(const struct temporary *t)
{
	return t->read != 0;
}

int temporary_elsewhere(const struct temporary *t)
{
	enum temporary_names names = driver_of(t->row)->temporary;

	return !t->named && (names == TEMPORARY_HIDDEN || names == TEMPORARY_SCRATCH);
}

void temporary_look(struct temporary *t, const void *data, size_t n, int stream)
{
	const char *p = data, *end = p + n;

	switch (driver_of(t->row)->temporary) {
	case TEMPORARY_PID:
		t->named |= memmem(data, n, "/tmpxft_", 8) != NULL;
		/* -v and --dryrun begin some twenty lines with this, PATH's line among them. The
		 * line may lie across two chunks. */
		t->search |= stream && memmem(data, n, "#$ ", 3);
		return;
	case TEMPORARY_ANY:
		for (size_t i = 0; i < TEMPORARY_VARIABLES; i++)
			t->named |= t->dir[i] && memmem(data, n, t->dir[i], strlen(t->dir[i]));
		return;
	case TEMPORARY_SCRATCH:
		while (!t->named && p < end && (p = memchr(p, '/', (size_t)(end - p))) != NULL) {
			p++;
			t->named = name_is_scratch(p, (size_t)(end - p));
		}
		return;
	case TEMPORARY_HIDDEN:
		return;
	}
}
