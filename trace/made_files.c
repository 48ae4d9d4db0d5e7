/* trace/made_files.c - which files the tree made, replaced and removed, and by which program. */
#include "trace/made_files.h"

#include <string.h>

#include "shim/trace.h"
#include "tools/tool.h"
#include "trace/processes.h"

#include "shim/banned.h"

/* The tree may have written into a file that has other names: a replay over a link would not. */
static int is_in_place(const struct tree_file *f)
{
	const unsigned other = TREE_GONE | TREE_DIR | TREE_RENAMED | TREE_UNLINKED;

	return tree_is(f, TREE_MADE, other) &&
	       (f->style ? (enum write_style)f->style : tool_write_style(f->program)) !=
	               WRITE_UNLINK;
}

/* A program that renames most of its outputs asked for this one, and then created it in its place:
 * it would have removed an old file. Examples are clang --serialize-diagnostics, and lld
 * --no-mmap-output-file. */
static int would_remove(const struct tree_file *f, const struct event *e, const char *program)
{
	return f->flags & TREE_ABSENT && e->op == TRACE_WRITE &&
	       tool_write_style(program) == WRITE_RENAME;
}

/* An old file could have shaped the new one, or the program could have removed it. */
static int is_fresh(const struct tree_file *f, const struct event *e, const char *program)
{
	const unsigned looked = TREE_MINDED | TREE_ABSENT;

	return !(f->flags & (TREE_UNLINKED | TREE_MADE)) &&
	       ((f->flags & looked) == looked || would_remove(f, e, program) ||
	        (e->op == TRACE_WRITE && e->flags & TRACE_FLAG_KEEPS));
}

/* The one open for reading was not a read: TOOL_HOLDS_OUTPUT. */
static int was_held(struct tree *t, const struct tree_file *f, const struct event *e)
{
	const struct tree_process *p = tree_process_of(t, e->pid);

	return p && p->holds_output && f->opens == 1 && f->reader == e->pid &&
	       !(f->flags & TREE_MADE);
}

/* --- public, in header order --- */

void tree_make(struct tree *t, struct tree_file *f, const struct event *e)
{
	const struct tree_process *p = tree_process_of(t, e->pid);
	const char *program = p ? p->program : "";

	if (f->flags & TREE_READ && !(f->flags & TREE_MADE))
		tree_refuse(t, REASON_UNSTORED_READ_WRITE, f->path);
	if (is_fresh(f, e, program))
		f->flags |= TREE_FRESH;
	/* The program that makes an output decides how an existing file is replaced. A program that
	 * writes into the output later does not: objcopy writes into the object that `as` made. */
	if (!(f->flags & TREE_MADE) || f->flags & TREE_GONE) {
		f->made_mode = e->op == TRACE_WRITE || e->op == TRACE_TEMP ? e->arg : 0;
		f->flags &= ~(unsigned)TREE_CHMOD;
		f->program = program;
		f->maker = e->pid;
		f->style = 0;
		if (e->flags & TRACE_FLAG_NESTED)
			f->style = e->flags & TRACE_FLAG_UNLINKS ? WRITE_UNLINK : WRITE_TRUNCATE;
		else if (e->op == TRACE_WRITE && e->flags & TRACE_FLAG_ONLY)
			f->style = tool_write_style_plain(f->program);
	}
	f->made = 0;
	if (e->op == TRACE_WRITE && e->b_len == sizeof f->made)
		memcpy(&f->made, e->b, sizeof f->made);
	if (!(f->flags & TREE_MADE))
		f->is_chosen = e->op != TRACE_TEMP;
	/* A file that the tree made earlier did not exist before the tree. */
	if (e->flags & TRACE_FLAG_EXISTED && !(f->flags & TREE_MADE))
		f->flags |= TREE_EXISTED;
	f->flags = (f->flags | TREE_MADE) & ~(unsigned)TREE_GONE;
}

void tree_removed(struct tree *t, struct tree_file *f, const struct event *e)
{
	if (was_held(t, f, e)) {
		f->flags &= ~(unsigned)TREE_READ;
		f->opens = f->identity = 0;
	}
	if (is_in_place(f))
		f->replaced = 1;
	if (f->flags & TREE_MADE)
		f->flags |= TREE_GONE;
	if (!(f->flags & TREE_MADE) || f->flags & TREE_EXISTED)
		f->flags |= TREE_UNLINKED, f->remover = e->pid;
}

void tree_rename(struct tree *t, const struct event *e)
{
	struct tree_file *from = tree_file_of(t, e->a, e->a_len, e->flags & TRACE_FLAG_RELATIVE);
	struct tree_file *to = tree_file_of(t, e->b, e->b_len, e->flags & TRACE_FLAG_RELATIVE_B);

	from = from ? tree_find(t, from->path) : NULL; /* the array may have moved */
	if (!from || !to || from == to)
		return;
	if (!(from->flags & TREE_MADE) || from->flags & TREE_DIR) {
		tree_refuse(t, REASON_UNSTORED_OUTPUT, from->path);
		return;
	}
	if (is_in_place(to))
		to->replaced = 1;
	tree_make(t, to, e);
	to->flags = (to->flags & ~(unsigned)TREE_CHMOD) | TREE_RENAMED | (from->flags & TREE_CHMOD);
	to->made_mode = from->made_mode;
	to->made = from->made;
	to->program = from->program;
	to->style = from->style;
	tree_removed(t, from, e);
}
