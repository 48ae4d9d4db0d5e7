/* action/state.h - what the steps of an action share: words, reports, paths, names. Memory: the action's arena. */
#ifndef ACTION_STATE_H
#define ACTION_STATE_H

#include "action/action.h"

/* THREAD. Words for `reprise explain`; printf of fault_set's kinds. */
void action_detail(struct action *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* THREAD. Value of a variable in the tool's environment, NULL when unset. */
const char *action_env(const struct action *a, const char *name);
/* THREAD. Answers that were kept so far are forgotten. */
void action_prober(struct action *a);
/* THREAD. What it starts are actions of their own (action/nest.h); not below one of which that is true already. */
int action_nests(const struct action *a);
/* The tool runs without us, and what it starts with it; but the steps of one that nests are tools
 * below it as below any program. */
void action_untraced(const struct action *a);
/* THREAD. The spec of a path as a traced process used it: relative spelling under the action's cwd is 'C'.
 * *bound is set when the spec cannot be independent of the cwd. */
void action_spec(struct action *a, const char *path, int relative, int *bound, struct buf *out);
/* THREAD. Result's names as a flat list. */
void action_flat_names(const struct bound_name *from, size_t n, struct patch_name *out);
/* result_output_streams(), but never where a tool reads what it writes. */
int action_streams(const struct action *a, const struct result_output *o);
/* THREAD. Journal line and counters for a start that was no hit. */
void action_report(struct action *a, const char *verdict, enum reason reason, const char *trail);
/* Connections and secrets go; for the process that is about to fork. A later call of far.h opens anew. */
void action_close_remote(struct action *a);
/* Everything that was taken; the action is gone. */
void action_free(struct action *a);

#endif
