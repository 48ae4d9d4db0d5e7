/* judge/tree_kernel.c - what may be done with the kernel's own paths, and by which programs. */
#include "judge/tree_kernel.h"

#include <string.h>

#include "judge/tree_failed.h"
#include "judge/tree_process.h"
#include "judge/tree_special.h"
#include "shim/trace.h"
#include "tools/chance.h"
#include "tools/jobserver.h"
#include "tools/script.h"
#include "tools/tool.h"

#include "shim/banned.h"

/* A shell, or a program by which scripts read files, may pass on what it reads. */
static int reads_for_script(const struct tree_process *p, const struct event *e)
{
	return p && !p->declared && e->op == TRACE_READ && tree_special_tells(e->a) &&
	       (p->language != SCRIPT_NONE || script_filter(p->program));
}

/* 1: the question is about a descriptor of the process, which the next start may lack. LLVM asks
 * whether the list is there, and for the name of a file that it has opened. */
static int asks_descriptor(const struct tree_process *p, const struct event *e)
{
	static const char list[] = "/proc/self/fd";

	if (!tree_special_descriptor(e->a))
		return 0;
	if (p && p->language == SCRIPT_NONE && strcmp(e->a, list) == 0 && e->op != TRACE_LIST)
		return 0;
	return !(p && tool_known(p->program) && e->op == TRACE_READLINK);
}

/* bash opens the terminal when it starts. */
static int tries_terminal(const struct tree_process *p, const struct event *e)
{
	return p && script_tries_terminal(p->program) &&
	       (e->op == TRACE_UPDATE || e->op == TRACE_FAILED) &&
	       !(e->flags & (TRACE_FLAG_KEEPS | TRACE_FLAG_READING));
}

/* Python, for example, lists the descriptors to close them. */
static int closes_descriptors(const struct tree_process *p, const struct event *e)
{
	return p && p->declared && strcmp(e->a, "/proc/self/fd") == 0;
}

/* What may be done with a terminal or device: 1, and nothing depends on it; 0: it is a question as
 * one to any path; -1: nothing is stored. */
static int special_use(const struct tree_process *p, const struct event *e,
                       enum tree_special special)
{
	if (closes_descriptors(p, e))
		return 1;
	if (asks_descriptor(p, e))
		return -1;
	if (special == SPECIAL_TERMINAL && tries_terminal(p, e))
		return 1;
	switch (e->op) {
	case TRACE_STAT:
	case TRACE_PRESENT:
	case TRACE_ABSENT:
	case TRACE_READLINK:
	case TRACE_REALPATH:
		return tree_special_descriptor(e->a);
	case TRACE_FAILED: /* a question for permissions, or an open. rustc tries the terminal. */
		if (e->arg & TRACE_ASKED_ANY)
			return 0;
		return p && tool_known(p->program) && !(e->flags & TRACE_FLAG_READING) ? 1 : -1;
	default:
		return -1;
	}
}

int tree_kernel_event(struct tree *t, const struct event *e)
{
	enum tree_special special = tree_special(e->a);
	const struct tree_process *p;
	int use;

	if ((e->op == TRACE_FAILED || e->op == TRACE_EXEC_FAILED) &&
	    tree_of_machine(e->arg & TRACE_LOWER_HALF, special)) {
		tree_refuse(t, REASON_UNSTORED_SYSTEM, tree_copy(t, e->a));
		return 1;
	}
	if (t->jobserver && jobserver_is(t->jobserver, e->a)) {
		t->jobserver_left &= e->op != TRACE_UNLINK;
		return 1;
	}
	p = special == ORDINARY ? NULL : tree_process_of(t, e->pid);
	if (special != ORDINARY && reads_for_script(p, e))
		tree_refuse(t, REASON_UNSTORED_SCRIPT, tree_copy(t, e->a));
	if (special == IGNORED)
		return 1;
	if (special == SPECIAL_RANDOM) {
		if (e->op == TRACE_READ || e->op == TRACE_UPDATE)
			tree_chance(t, e->pid, CHANCE_RANDOM, "/dev/urandom", "");
		return 1;
	}
	if (special != SPECIAL_TERMINAL && special != SPECIAL_DEVICE)
		return 0;
	use = special_use(p, e, special);
	if (use < 0)
		tree_refuse(t, special == SPECIAL_TERMINAL ? REASON_UNSTORED_TERMINAL
		                                           : REASON_UNSTORED_DEVICE,
		            tree_copy(t, e->a));
	return use != 0;
}
