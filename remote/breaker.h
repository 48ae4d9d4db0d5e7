/* remote/breaker.h - remote trouble, shared by all processes of the node.
 *
 * <runtime>/remote, one page, mapped, atomics only: no lock, so that a killed process leaves nothing
 * behind. One page a store and remote (the page holds the remote's digest; another remote starts anew).
 *
 * It opens for all on BREAKER_FAILURES failures in a row (timeouts, refusals, garbage) - the first
 * timeout counts double while no success was ever seen - and for one job when what its look-ups cost is more
 * than BREAKER_BUDGET_NS beyond what their hits saved, by class: cheap actions may be skipped while costly ones
 * are still asked for. Open: nobody asks until now > retry_at (exponential back-off BREAKER_FIRST_NS ..
 * BREAKER_LONGEST_NS, +-25 % jitter); then one process (compare-and-swap on the probe word, stale after
 * a deadline) asks; success closes, failure doubles.
 *
 *     if (breaker_ask(&b, class, &now) != BREAKER_GO) ...local only...
 *     ... operation ...
 *     breaker_done(&b, class, outcome, waited_ns, saved_ns);
 *
 * THREAD. Without a runtime directory: BREAKER_GO until this process's first failure. */
#ifndef REMOTE_BREAKER_H
#define REMOTE_BREAKER_H

#include <stdint.h>

#include "shim/digest.h"
#include "store/store.h"

#define BREAKER_FAILURES 3
#define BREAKER_BUDGET_NS 1000000000ll
#define BREAKER_FIRST_NS 1000000000ll
#define BREAKER_LONGEST_NS 60000000000ll

enum breaker_answer { BREAKER_GO, BREAKER_PROBE /* go, alone */, BREAKER_OPEN, BREAKER_CLASS /* too dear */ };
enum breaker_outcome { BREAKER_SUCCESS, BREAKER_TIMEOUT, BREAKER_REFUSED, BREAKER_GARBAGE };

struct breaker_page;
struct breaker {
	struct breaker_page *page; /* NULL: none */
	struct digest remote, job;
	int failed;                /* this process saw a failure */
	int probing;
};
void breaker_init(struct breaker *b, struct store *s, const struct digest *remote, const char *job);
enum breaker_answer breaker_ask(struct breaker *b, unsigned class);
/* saved_ns: what a hit was worth (recorded wall), 0 for an absence. Counts remote_wait and openings in the
 * store's counters. */
void breaker_done(struct breaker *b, struct store *s, unsigned class, enum breaker_outcome o,
                  int64_t waited_ns, int64_t saved_ns);
/* For stats and doctor: a line for people. State as of now. */
struct breaker_state { int open; int64_t retry_in_ns, waited_ns, saved_ns; unsigned failures; const char *last; };
int breaker_read(const struct breaker *b, struct breaker_state *out);

#endif
