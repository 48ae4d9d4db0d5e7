/* remote/breaker.h - failures of a remote store, shared by all processes of an agent.
 *
 * Its state is memory that they share (remote/remote_memory.h), changed by atomics only. There is
 * no lock, and a killed process does not delay other processes for long.
 *
 * The breaker opens, for all processes, after BREAKER_FAILURES failures in a row. It also opens at
 * the first timeout if no process had an answer for BREAKER_FRESH_NS. While it is open, no process
 * asks until a back-off has passed (BREAKER_FIRST_NS .. BREAKER_LONGEST_NS, doubling, +-25 %). Then
 * one process asks. This is the probe: success closes the breaker, failure doubles the back-off. A
 * process that saw a failure never asks again.
 *
 * If no process had an answer lately, one process asks first. The other processes wait for it for
 * BREAKER_PATIENCE_NS and then continue without the remote. So a remote that hangs costs one
 * deadline, not one for each process of a parallel build.
 *
 * The breaker also stops the look-ups of a class of actions in one job, when they cost
 * BREAKER_BUDGET_NS more than their hits saved. 1 % of the time that passes is added to the budget.
 * This does not apply if a look-up costs less than BREAKER_SMALL_PERCENT of the time that such an
 * action takes. So cheap actions do not use a slow remote, while costly actions still ask.
 *
 *     if (breaker_ask(&b, class) > BREAKER_PROBE) ...local only...
 *     ... operation, within breaker_limit(&b, ...) ...
 *     breaker_done(&b, class, outcome, waited_ns, saved_ns);     // after every GO and PROBE
 *
 * THREAD. */
#pragma once

#include <stdint.h>

#include "remote/remote.h"
#include "store/store.h"

#define BREAKER_FAILURES 3
#define BREAKER_BUDGET_NS 500000000ll
#define BREAKER_FIRST_NS 1000000000ll
#define BREAKER_LONGEST_NS 60000000000ll
/* First back-off, as doublings of BREAKER_FIRST_NS, after a timeout without a recent answer: a
 * wrong address is not an outage that ends soon. */
#define BREAKER_UNKNOWN_LEVEL 3
#define BREAKER_FRESH_NS 10000000000ll
/* Some round trips within a data centre; 7 waiting processes may lose this much, beside the one
 * that asks. Three times this, where a remote was seen to be slow, or begins with a handshake. */
#define BREAKER_PATIENCE_NS 30000000ll
#define BREAKER_SMALL_PERCENT 5
/* No operation lasts longer: a process that asked and did not come back was killed. */
#define BREAKER_STALE_NS 5000000000ll
/* Classes of look-ups with budgets of their own: the budgets of remote/remote.h. */
#define BREAKER_CLASSES 16

/* PROBE: go, as the only process. CLASS: such look-ups cost more than they save. */
enum breaker_answer { BREAKER_GO, BREAKER_PROBE, BREAKER_OPEN, BREAKER_CLASS };
/* ABANDONED: the operation says nothing about the remote. */
enum breaker_outcome { BREAKER_SUCCESS, BREAKER_TIMEOUT, BREAKER_REFUSED, BREAKER_GARBAGE,
                       BREAKER_ABANDONED };

/* For tests: a clock that does not sleep. */
struct breaker_clock {
	int64_t (*now)(void);
	void (*sleep)(int64_t ns);
};
#define BREAKER_ACCOUNTS 160
/* Times are CLOCK_BOOTTIME ns, and 0 before the first. */
struct breaker_shared {
	int64_t failures;     /* in a row */
	int64_t level;        /* doublings of the back-off */
	int64_t retry_at;     /* 0: closed */
	int64_t probe_at;     /* when the current probe began; 0: there is none */
	int64_t success_at;   /* the last answer */
	int64_t asking_since; /* when the process that asks first began; 0: there is none */
	int64_t latency;      /* mean of answers */
	int64_t last;         /* the last failure, enum breaker_outcome */
	int64_t muted_until;  /* nothing is published */
	int64_t impatient_until; /* no lease is waited for */
	int64_t waited, saved;   /* ns in all */
	int64_t wall[BREAKER_CLASSES]; /* mean duration of actions */
	/* One for a job and class. balance: ns, which may fall to -BREAKER_BUDGET_NS; at: its last
	 * refill. */
	struct breaker_account {
		int64_t tag, balance, at;
	} account[BREAKER_ACCOUNTS];
};
struct breaker {
	struct breaker_shared *shared;
	struct store *store;
	uint64_t job;
	int is_slow;    /* set by the caller: the first answer takes many round trips */
	int failed;     /* this process saw a failure */
	int probing;
	int64_t leading;  /* when this process began to ask first; 0: it does not */
	int64_t reserved; /* part of the budget that the current look-up reserves */
	const struct breaker_clock *clock; /* NULL: the kernel's */
};
/* store: of the counters. */
void breaker_init(struct breaker *b, struct breaker_shared *shared, struct store *s,
                  const char *job);
enum breaker_answer breaker_ask(struct breaker *b, unsigned class);
/* Time limit of an operation after GO or PROBE; ns is its usual limit. Probes of a remote that did
 * not answer are short at first. */
int64_t breaker_limit(const struct breaker *b, int64_t ns);
/* saved_ns: value of a hit, which is its recorded wall time. A unit has no such time: for it, the
 * least time that a unit takes. 0 for an absence. Counts waits, timeouts and openings in the
 * store's counters. */
void breaker_done(struct breaker *b, unsigned class, enum breaker_outcome o, int64_t waited_ns,
                  int64_t saved_ns);
/* For a put, which does not ask the breaker: the remote answered. */
void breaker_note_answer(struct breaker *b);
/* Notes how long an action of that class took. */
void breaker_note_duration(struct breaker *b, unsigned class, int64_t wall_ns);
/* Turns publishing off for a while, because the remote refuses writes of this user. */
#define BREAKER_PUBLISHING_OFF_NS 3600000000000ll
void breaker_set_publishing_off(struct breaker *b);
int breaker_publishing_is_off(const struct breaker *b);
/* Notes that this node waited in vain for another node's compile: the lease's holder does not
 * publish. For a while no process of the node waits for leases. */
#define BREAKER_LEASE_WAIT_OFF_NS 600000000000ll
void breaker_lease_wait_failed(struct breaker *b);
int breaker_lease_wait_is_off(const struct breaker *b);
void breaker_read(const struct breaker *b, struct breaker_state *out);
