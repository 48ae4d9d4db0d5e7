/* judge/output/confine.h - what an entry of another user may do here. The check runs before the
 * entry fills the local store.
 *
 * A result writes only files that this command line accounts for:
 *   - a path that an argument names, or a variable that names outputs (DEPENDENCIES_OUTPUT). The
 *     spelling must be the same, and the path must be no input;
 *   - a file that such a tool writes beside an output: in the cwd or the directory of a named
 *     output. Its name begins as a named file does up to the first dot, and its ending stands in a
 *     table (x.o, x.d, x.gcno; a.out);
 *   - these files by their absolute names, if the candidate holds in this cwd alone (gcc and clang
 *     ask getcwd under --coverage and -gsplit-dwarf).
 * A result never sets setuid, setgid or sticky bits. It never has a failing status if the tool's
 * failures are not stored. It never exceeds CONFINE_BYTES_MAX in all, or CONFINE_WALL_MAX in time.
 *
 * Paths are compared as spelled, and the action key fixes the spelling. So a permission holds for
 * every later start with that key, in any directory. The content of the file system does not
 * matter. action/replay.c follows a symbolic link in the last place only for the main outputs. `ar
 * x` and tools that were added by name write files that no argument names: their results are not
 * shared.
 *
 * A candidate must name the result that follows from its own inputs and this action's key (K2), not
 * the result of another action. Its sets of absent names must have the digests that they claim,
 * since the memo trusts the digest. It may make this start digest only regular files outside /dev,
 * /proc and /sys, of CONFINE_READ_MAX bytes in all. Probes refuse other files, and never block. The
 * checks that need no start are in store/entry/candidate.h.
 *
 * Constructor of a tool only; confine_inputs: THREAD. Memory: the action's arena. */
#pragma once

#include "judge/start.h"

/* The limit of our own results: RESULT_BYTES_MAX. */
#define CONFINE_BYTES_MAX (1ull << 30)
/* The run time in a result, ns. It enters sums, and the time that nodes wait for one another. */
#define CONFINE_WALL_MAX (86400ull * 1000000000)
/* A link of torch's CUDA libraries reads 4 GB. */
#define CONFINE_READ_MAX (16ull << 30)

/* NULL, or the reason of a refusal as text for people. k2: the key that leads to the result. */
const char *confine_candidate(struct start *s, const struct candidate *c, const struct digest *k2);
/* THREAD. The part of confine_candidate() for a candidate that is in the local store already:
 * checks the files that it makes this start read. */
const char *confine_inputs(struct start *s, const struct candidate *c);
/* c: the candidate that names the result. confine_candidate() has accepted it. */
const char *confine_result(struct start *s, const struct candidate *c, const struct result *r);

/* 1: the path is a main output of the tool: an output that the command names, or the default output
 * of a named source. Pure. */
int confine_asked_for(struct start *s, const char *path);
