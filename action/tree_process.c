/* action/tree_process.c - who ran in a tree, and whether everybody reported. */
#include <string.h>

#include "action/tree_event.h"
#include "keying/tool.h"
#include "shim/path.h"
#include "shim/trace.h"

/* What libc runs for system and popen. */
#define SYSTEM_SHELL "/bin/sh"

struct tree_process *tree_process_of(struct tree *t, uint32_t pid)
{
	struct tree_process *p;

	/* Newest first: pids are reused. */
	for (size_t i = t->process_count; i-- > 0;)
		if (t->process[i].pid == pid)
			return &t->process[i];
	if (t->process_count == t->process_cap) {
		void *v = tree_doubled(t, t->process, t->process_count, &t->process_cap, sizeof *t->process);

		if (!v) {
			tree_no_memory(t);
			return NULL;
		}
		t->process = v;
	}
	p = &t->process[t->process_count++];
	*p = (struct tree_process){.pid = pid, .program = ""};
	return p;
}

void tree_process_event(struct tree *t, const struct event *e)
{
	struct tree_process *p = tree_process_of(t, e->pid), *parent;

	if (!p)
		return;
	switch (e->op) {
	case TRACE_HELLO:
		p->program = path_base(tree_copy(t, e->a));
		p->parent = e->arg;
		p->hello = 1;
		p->bye = 0;
		p->expected = 0;
		parent = tree_process_of(t, e->arg);
		if (parent && parent->systems > 0 && strcmp(e->b, SYSTEM_SHELL) == 0)
			parent->systems--;
		break;
	case TRACE_FORKED:
		parent = tree_process_of(t, e->arg);
		p = tree_process_of(t, e->pid);
		if (p && parent)
			p->program = parent->program;
		if (p) {
			p->hello = 1;
			p->bye = 0;
		}
		break;
	case TRACE_BYE:
		p->bye = 1;
		break;
	case TRACE_EXEC: /* by this pid: a vfork or fork child, or the process itself */
		p->expected = 1;
		break;
	case TRACE_EXEC_FAILED:
		p->expected = 0;
		break;
	case TRACE_SPAWN:
		p = tree_process_of(t, e->arg);
		if (p && !p->hello)
			p->expected = 1;
		break;
	case TRACE_SYSTEM:
		p->systems++;
		break;
	case TRACE_SCRIPT:
		/* lto-wrapper runs make on rules that it has written itself. */
		parent = strcmp(e->a, "make") == 0 ? tree_process_of(t, p->parent) : NULL;
		if (parent && strstr(parent->program, "lto-wrapper"))
			break;
		tree_refuse(t, REASON_UNSTORED_SCRIPT, tree_copy(t, e->a));
		break;
	default:
		break;
	}
}

void tree_env_event(struct tree *t, const struct event *e)
{
	for (size_t i = 0; i < t->env_count; i++)
		if (strcmp(t->env[i].name, e->a) == 0)
			return; /* the first question: later ones may see what the tree set */
	if (t->env_count == t->env_cap) {
		void *v = tree_doubled(t, t->env, t->env_count, &t->env_cap, sizeof *t->env);

		if (!v) {
			tree_no_memory(t);
			return;
		}
		t->env = v;
	}
	t->env[t->env_count++] = (struct tree_env){
		tree_copy(t, e->a), e->flags & TRACE_FLAG_UNSET ? NULL : tree_copy(t, e->b)};
}

/* localtime is called by these compilers for __TIME__ and __DATE__ alone; of a program nothing is known
 * of, any use counts. */
void tree_clock_event(struct tree *t, const struct event *e)
{
	struct tree_process *p = tree_process_of(t, e->pid);
	const struct tool_row *row = p ? tool_find(p->program, NULL) : NULL;

	if (e->arg == 1 && (!row || row->flags & TOOL_TIME_BY_LOCALTIME))
		tree_refuse(t, REASON_UNSTORED_TIME, p ? p->program : "");
}

void tree_check_processes(struct tree *t, uint32_t main_pid)
{
	const struct tree_process *tool = tree_process_of(t, main_pid);

	/* It could not map the trace (a limit on address space): nothing is known of what it did. */
	if (!tool || !tool->hello)
		tree_refuse(t, REASON_UNSTORED_TRACE, "the tool did not report");
	for (size_t i = 0; i < t->process_count; i++) {
		const struct tree_process *p = &t->process[i];

		if (p->expected || p->systems > 0)
			tree_refuse(t, REASON_UNSTORED_UNTRACED, p->program);
		else if (p->hello && !p->bye)
			tree_refuse(t, REASON_UNSTORED_ALIVE, p->program);
	}
}
