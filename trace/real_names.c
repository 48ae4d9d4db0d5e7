/* trace/real_names.c - opens that are followed by a question for the file's real name. */
#include "trace/real_names.h"

#include <string.h>

#include "shim/trace.h"
#include "tools/drivers/drivers.h"

#include "shim/banned.h"

/* LLVM asks once in a process whether this directory is there, behind its first open. */
static const char descriptors[] = "/proc/self/fd";

static int is_question(unsigned op)
{
	return op == TRACE_PRESENT || op == TRACE_STAT || op == TRACE_ABSENT || op == TRACE_GETENV;
}

void tree_named_event(struct tree *t, const struct event *e)
{
	const size_t n = sizeof descriptors - 1;

	if (!t->opened || is_question(e->op))
		return;
	if (e->op == TRACE_READLINK && e->pid == t->opened_by &&
	    strncmp(e->a, descriptors, n) == 0 && e->a[n] == '/')
		t->file[t->opened - 1].named++;
	t->opened = 0;
}

void tree_named_open(struct tree *t, const struct event *e, const struct tree_file *f)
{
	if (e->op != TRACE_READ)
		return;
	t->opened = (size_t)(f - t->file) + 1;
	t->opened_by = e->pid;
}

enum tree_assembler tree_assembler(const struct tree *t)
{
	unsigned release = 0;
	int inside = 0;

	for (size_t i = 0; i < t->process_count && !inside; i++)
		inside = t->process[i].hello && own_assembler_in(t->process[i].program);
	if (!inside)
		return TREE_ASSEMBLER_APART;
	for (size_t i = 0; i < t->count; i++) {
		unsigned n = own_assembler_release(t->file[i].path);

		release = n > release ? n : release;
	}
	return own_assembler_shows(release) ? TREE_ASSEMBLER_SHOWN : TREE_ASSEMBLER_HIDDEN;
}
