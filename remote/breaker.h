/* remote/breaker.h - remote trouble, shared by all processes of the node.
 *
 * <runtime>/remote.<name>, one page a store and remote, atomics only: no lock, and nothing that a killed process
 * leaves behind holds anyone up for long. A damaged page is made anew.
 *
 * It opens, for all, on BREAKER_FAILURES failures in a row, and on the first timeout where nobody had an answer for
 * BREAKER_FRESH_NS. Open: nobody asks until a back-off has passed (BREAKER_FIRST_NS .. BREAKER_LONGEST_NS, doubling,
 * +-25 %); then one process asks, the probe; success closes, failure doubles. A process that saw a failure never
 * asks again.
 *
 * Where nobody had an answer lately, one process asks first: the others give it BREAKER_PATIENCE_NS and then go on
 * without, so that a remote that hangs costs one deadline and not one for each process of a parallel build.
 *
 * For one job it also closes a class of actions to look-ups whose cost is BREAKER_BUDGET_NS beyond what hits
 * of that class saved (1 % of the time that passes is added), unless a look-up costs less than BREAKER_SMALL_PERCENT
 * of what such an action takes: so cheap actions go without a slow remote while costly ones still ask.
 *
 *     if (breaker_ask(&b, class) > BREAKER_PROBE) ...local only...
 *     ... operation, within breaker_limit(&b, ...) ...
 *     breaker_done(&b, class, outcome, waited_ns, saved_ns);     // after every GO and PROBE
 *
 * THREAD. Without a runtime directory: BREAKER_GO until this process's first failure. */
#ifndef REMOTE_BREAKER_H
#define REMOTE_BREAKER_H

#include <stdint.h>

#include "shim/digest.h"
#include "store/store.h"

#define BREAKER_FAILURES 3
#define BREAKER_BUDGET_NS 500000000ll
#define BREAKER_FIRST_NS 1000000000ll
#define BREAKER_LONGEST_NS 60000000000ll
/* First back-off, as doublings of BREAKER_FIRST_NS, after a timeout where nobody had an answer lately: a wrong
 * address is no outage that ends soon. */
#define BREAKER_UNKNOWN_LEVEL 3
#define BREAKER_FRESH_NS 10000000000ll
/* Some round trips within a data centre, and what 7 waiting processes may lose beside the one that asks. */
#define BREAKER_PATIENCE_NS 30000000ll
#define BREAKER_SMALL_PERCENT 5
/* No operation lasts longer: who asked and did not come back was killed. */
#define BREAKER_STALE_NS 5000000000ll
/* Kinds of look-ups that are judged apart, as the caller numbers them: actions below UNITS (action/far.c), the frameworks'
 * units and sets from there on (cli/fetch.c). */
#define BREAKER_CLASSES 16
#define BREAKER_UNITS 14

enum breaker_answer { BREAKER_GO, BREAKER_PROBE /* go, alone */, BREAKER_OPEN, BREAKER_CLASS /* too dear */ };
/* ABANDONED: nothing was learned of the remote. */
enum breaker_outcome { BREAKER_SUCCESS, BREAKER_TIMEOUT, BREAKER_REFUSED, BREAKER_GARBAGE, BREAKER_ABANDONED };

/* For tests: time without sleeping. */
struct breaker_clock {
	int64_t (*now)(void);
	void (*sleep)(int64_t ns);
};
struct breaker {
	int64_t *page;  /* NULL: none */
	struct store *store;
	uint64_t job;
	int failed;     /* this process saw a failure */
	int probing;
	int64_t leading;  /* when this process began to ask first, 0: it does not */
	int64_t reserved; /* of the budget, by the ask under way */
	int64_t held_ns;  /* time spent waiting for another's answer, in all */
	const struct breaker_clock *clock; /* NULL: the kernel's */
};
/* What a job's budget is kept under. Pure. */
uint64_t breaker_job(const char *job);
/* remote: digest of where it is. */
void breaker_init(struct breaker *b, struct store *s, const struct digest *remote, const char *job);
enum breaker_answer breaker_ask(struct breaker *b, unsigned class);
/* How long an operation after GO or PROBE may take that has ns normally: probes of a remote that was not there
 * are short at first. */
int64_t breaker_limit(const struct breaker *b, int64_t ns);
/* saved_ns: what a hit was worth (recorded wall; of a unit, which has none, the least that one takes), 0 for an absence.
 * Counts waits, timeouts and openings in the store's counters. */
void breaker_done(struct breaker *b, unsigned class, enum breaker_outcome o, int64_t waited_ns,
                  int64_t saved_ns);
/* Somebody who did not ask (the publisher) had an answer. */
void breaker_note_answer(struct breaker *b);
/* What an action of that class took. */
void breaker_note_duration(struct breaker *b, unsigned class, int64_t wall_ns);
/* Publishing is off for a while, as the remote does not take what this user writes; or it is not. */
#define BREAKER_PUBLISHING_OFF_NS 3600000000000ll
void breaker_set_publishing_off(struct breaker *b, int off);
int breaker_publishing_is_off(const struct breaker *b);
/* Another node's compile was waited for in vain: its lease is held by somebody who does not publish. Then for a while no
 * process of the node waits so. */
#define BREAKER_LEASE_WAIT_OFF_NS 600000000000ll
void breaker_lease_wait_failed(struct breaker *b);
int breaker_lease_wait_is_off(const struct breaker *b);
/* For stats and doctor. 0, or -1 without a page. last: a word for the last failure, "" for none. */
struct breaker_state { int is_open; int64_t retry_in_ns, waited_ns, saved_ns; const char *last; };
int breaker_read(const struct breaker *b, struct breaker_state *out);
void breaker_close(struct breaker *b);

#endif
