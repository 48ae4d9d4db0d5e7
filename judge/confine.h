/* judge/confine.h - what an entry that others made may do here: decided before it fills the local store.
 *
 * A result writes only what this command line stands for:
 *   - a path that an argument names and that is no input, or that a variable which names outputs does
 *     (DEPENDENCIES_OUTPUT), spelled as there;
 *   - a file that such a tool lays beside: in the cwd or the directory of a named output, called as a
 *     named file up to its first dot, with an ending from a table (x.o, x.d, x.gcno; a.out);
 *   - these by their absolute names, where the candidate holds in this cwd alone (gcc and clang ask
 *     getcwd under --coverage and -gsplit-dwarf);
 * never with setuid, setgid or sticky bits, never a failing status of a tool whose failures are not
 * kept, never more than CONFINE_BYTES_MAX in all nor longer than CONFINE_WALL_MAX. Paths are compared as
 * spelled, which the action key fixes: what was allowed once holds for every later start with that key, in
 * whatever directory. Nothing follows from what the file system holds; action/replay.c follows a symbolic
 * link in the last place only for what the tool is run for. `ar x` and tools that were added by name write
 * what no argument names: their results do not travel.
 *
 * A candidate names the result that its own inputs and this action's key lead to (K2), not another
 * action's; its sets of absent names have the digests they claim, since the memo vouches by digest;
 * what is digested for it are regular files outside of /dev, /proc and /sys, of CONFINE_READ_MAX bytes
 * in all (probes refuse what is no regular file, and never block). What of this needs no start is store/foreign.h.
 *
 * Constructor of a tool only; confine_inputs: THREAD. Memory: the action's arena. */
#ifndef JUDGE_CONFINE_H
#define JUDGE_CONFINE_H

#include "judge/start.h"

/* As many as a result of ours may have: RESULT_BYTES_MAX. */
#define CONFINE_BYTES_MAX (1ull << 30)
/* What a result says that its run took, ns, enters sums, and how long nodes wait for one another. */
#define CONFINE_WALL_MAX (86400ull * 1000000000)
/* A link of torch's CUDA libraries reads 4 GB. */
#define CONFINE_READ_MAX (16ull << 30)

/* NULL, or why not, for people. k2: the key under which the result would be asked for. */
const char *confine_candidate(struct start *a, const struct candidate *c, const struct digest *k2);
/* THREAD. The half of it that is asked of a candidate which lies in the local store already: what it has this start read. */
const char *confine_inputs(struct start *a, const struct candidate *c);
/* c: the candidate that leads to it, which confine_candidate let in. */
const char *confine_result(struct start *a, const struct candidate *c, const struct result *r);

/* 1 when the path is what the tool is run for: an output that is named, or the usual one of a named
 * source. Pure. */
int confine_asked_for(struct start *a, const char *path);

#endif
