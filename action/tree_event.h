/* action/tree_event.h - between tree.c (paths), tree_special.c (kernel files), tree_failed.c (errors) and tree_process.c
 * (processes, variables, clocks) only. */
#ifndef ACTION_TREE_EVENT_H
#define ACTION_TREE_EVENT_H

#include "action/tree.h"

/* One record of a trace, its strings ended by NUL. */
struct event {
	unsigned op, flags, pid, arg;
	const char *a, *b;
	size_t a_len, b_len;
};

void tree_refuse(struct tree *t, enum reason reason, const char *detail);
void tree_no_memory(struct tree *t);
const char *tree_copy(struct tree *t, const char *text);
void *tree_doubled(struct tree *t, void *v, size_t count, size_t *cap, size_t size);

/* What a path is to the tree: a file like any other; a kernel file that says nothing which could shape an output; one
 * that may be looked at, and neither opened nor run. */
enum tree_special { ORDINARY, IGNORED, SPECIAL_TERMINAL, SPECIAL_DEVICE };
enum tree_special tree_special(const char *path);

/* action/tree_failed.c: whose doing an error is that an open, a look or a start ended with. of_machine: of the moment and the
 * machine, and of nothing that an input could hold. denies: of permissions. */
int tree_of_machine(unsigned error, enum tree_special special);
int tree_denies(unsigned error);

struct tree_process *tree_process_of(struct tree *t, uint32_t pid);
void tree_process_event(struct tree *t, const struct event *e);
void tree_env_event(struct tree *t, const struct event *e);
void tree_clock_event(struct tree *t, const struct event *e);
/* The file that f was when it was opened or run; 0: not known. */
void tree_identity(struct tree *t, struct tree_file *f, unsigned identity);
/* EXEC or SPAWN of f, after tree_process_event(). */
void tree_started(struct tree *t, const struct event *e, struct tree_file *f);
void tree_check_processes(struct tree *t, uint32_t main_pid);

#endif
