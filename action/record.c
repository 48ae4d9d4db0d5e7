/* action/record.c - a miss: one process records for all processes that ask for the same key. */
#include "action/action.h"

#include <string.h>
#include <sys/wait.h>

#include "action/nest.h"
#include "action/stream_texts.h"
#include "action/supervise.h"
#include "judge/input/input.h"
#include "judge/inputs.h"
#include "judge/lookup.h"
#include "judge/output/output.h"
#include "judge/proof_verbs.h"
#include "judge/recorded.h"
#include "judge/start_event.h"
#include "judge/wait/flight.h"
#include "judge/wait/leader.h"
#include "keying/memo_file.h"
#include "shim/buf.h"
#include "shim/kernel/sys.h"
#include "shim/loader/childenv.h"
#include "shim/trace.h"
#include "store/job/counters.h"
#include "store/lock.h"
#include "store/tracefile.h"
#include "tools/chance.h"
#include "tools/cmdline/jobserver.h"
#include "tools/driver.h"
#include "trace/tree.h"

#include "shim/banned.h"

/* The clock of file times ticks every 1 to 10 ms. */
#define SETTLE_NS 500000
#define SETTLE_MOST 25

/* The value that attaches the processes below to the trace. */
static const char *marker(struct action *a, const char *trace)
{
	const char *nests = start_nests(&a->start)
	                            ? arena_cat(&a->start.arena, CHILDENV_NESTS, trace, NULL)
	                            : NULL;

	return nests ? nests : trace;
}

/* In the child: closes descriptors that the tool must not have, and attaches the trace. */
static void enter_child(struct action *a, const struct supervisor *s, struct lock *lock,
                        struct tracefile *trace)
{
	const char *asks;

	lock_forget(lock);
	tracefile_forget(trace);
	memo_close(&a->start.memo);
	if (a->start.call.nested)
		trace_detach(); /* from the parent action's trace */
	if (!s->unheard && trace_attach(trace->path) == 0) {
		childenv_set_trace(marker(a, trace->path));
		trace_hello();
		leader_tell(&a->start);
		asks = chance_argument(a->start.call.argc, a->start.call.argv);
		if (asks)
			trace_text(TRACE_CHANCE, 0, asks, "", CHANCE_RANDOM);
	} else { /* the recorder refuses, and the passes below need not try */
		childenv_set_trace(CHILDENV_UNTRACED);
	}
	strict_check(a);
}

static enum reason ended_badly(const struct action *a, const struct supervisor *s)
{
	if (!WIFEXITED(s->status))
		return REASON_UNSTORED_SIGNAL;
	if (s->lost)
		return REASON_UNSTORED_FAILED;
	if (WEXITSTATUS(s->status) != 0 && !failure_may_be_known(a->start.row))
		return REASON_UNSTORED_FAILED;
	return REASON_NONE;
}

/* Test suites may need the raw trace. */
static void keep_trace_copy(struct action *a, const void *bytes, size_t n)
{
	const char *path = invocation_env(&a->start.call, "REPRISE_TRACE_KEEP");
	int fd = path ? sys_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;

	if (fd < 0)
		return;
	sys_write_all(fd, bytes, n);
	sys_close(fd);
}

static void read_trace(struct action *a, struct tree *t, const char *trace, pid_t child)
{
	struct jobserver_start start = {a->start.row, &a->start.cmd, a->start.call.envp,
	                                &a->start.arena};
	const char *jobserver = jobserver_fifo(&start);
	int fd = sys_open(trace, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
	uint64_t tail = 0;
	void *map;

	if (fd >= 0 && sys_pread(fd, &tail, sizeof tail, 8) != (ssize_t)sizeof tail)
		tail = 0;
	if (tail > TRACE_CAPACITY)
		tail = TRACE_CAPACITY; /* overflow is flagged: the head alone is enough */
	map = fd >= 0 && tail ? sys_mmap(NULL, tail, PROT_READ, MAP_SHARED, fd, 0) : NULL;
	if (fd >= 0)
		sys_close(fd);
	if (!map || sys_mmap_failed(map)) {
		tree_read(t, "", 0, (uint32_t)child, jobserver, NULL, &a->start.arena);
		return;
	}
	keep_trace_copy(a, map, tail);
	tree_read(t, map, tail, (uint32_t)child, jobserver,
	          setting_text(&a->start.set, SETTING_WRAPPERS), &a->start.arena);
}

/* With REPRISE_VERIFY: compares the stored result with the real result. The real result wins, and
 * both are kept. */
static void verify(struct action *a, struct result *now)
{
	struct buf old = BUF_INIT(&a->start.arena);
	struct digest d;
	char hex[DIGEST_HEX + 1];

	if (!a->expected)
		return;
	counters_add(&a->start.store, COUNTER_VERIFIED, 1);
	if (judge_same_result(&a->start, a->expected, now))
		return;
	for (size_t i = 0; i < a->expected->out_count; i++)
		a->expected->out[i].data =
			result_output_bytes(&a->expected->out[i], &a->start.arena);
	result_encode(&old, a->expected, COMPRESS_ALWAYS);
	digest_of(&d, old.data, old.len);
	digest_hex(&d, hex);
	store_put(&a->start.store, STORE_RESULT, &d, 0, old.data, old.len, &a->start.verdict.fault);
	start_detail(&a->start, "the replaced result is kept as result %s", hex);
	start_report(&a->start, "error", REASON_ERROR_VERIFY, "");
}

static enum reason proofs_record(struct start *s, struct tree *t, struct candidate *c,
                                 const struct result *r)
{
	enum reason reason = REASON_NONE;

#define RECORD(call) \
	if (reason == REASON_NONE) \
		reason = call;
#include "proofs/proofs.def"
	return reason;
}

static enum reason judge_run(struct action *a, struct supervisor *s, struct tree *t,
                             struct candidate *c, struct result *r)
{
	enum reason reason = ended_badly(a, s);

	if (reason != REASON_NONE)
		return reason;
	if (t->reason != REASON_NONE) {
		start_detail(&a->start, "%s", t->detail ? t->detail : "");
		return t->reason;
	}
	if (s->stdin_left)
		return REASON_UNSTORED_STDIN;
	if (action_stdin_changed(&a->start.source)) {
		start_detail(&a->start, "standard input");
		return REASON_UNSTORED_INPUT_CHANGED;
	}
	/* The prober's answers describe the time before the run. Another candidate may have named a
	 * file that has changed since. */
	start_prober(&a->start);
	r->wall_ns = (uint64_t)start_times_took(&a->start.times);
	/* The first reason, or REASON_NONE. */
	reason = judge_inputs(&a->start, t, c) ?:
	         judge_outputs(&a->start, t, &(struct recorded){s->child, s->status, &s->capture},
	                       r) ?:
	         judge_random_digits(&a->start, t, r) ?: judge_linker_time(&a->start, t, r) ?:
	         judge_generated(&a->start, t, r) ?:
	         judge_temporary(&a->start, t, c, r) ?:
	         judge_cwd(&a->start, t, c, r) ?: proofs_record(&a->start, t, c, r);
	if (reason != REASON_NONE)
		return reason;
	verify(a, r);
	return judge_store(&a->start, c, r);
}

/* c receives the stored candidate. */
static enum reason judge(struct action *a, struct supervisor *s, const char *trace,
                         struct candidate *c)
{
	struct result *r = arena_alloc(&a->start.arena, sizeof *r);
	struct tree *t = arena_alloc(&a->start.arena, sizeof *t);
	enum reason reason = REASON_UNSTORED_TRACE;

	if (r && t) {
		read_trace(a, t, trace, s->child);
		reason = judge_run(a, s, t, c, r);
	}
	/* A result that contains the pid is not reusable, but the parent action may still be
	 * stored. */
	a->start.verdict.held = reason == REASON_NONE || reason == REASON_UNSTORED_PID ? c : NULL;
	nest_recorded(a, reason, r, t);
	return reason;
}

_Noreturn static void supervise(struct action *a, struct supervisor *s, struct lock *lock,
                                struct tracefile *trace)
{
	char history[DIGEST_HEX + 1] = "";
	enum reason miss = a->start.verdict.miss.reason, reason;
	struct candidate c = {0};
	int64_t wall;

	s->keep[0] = lock->fd;
	s->keep[1] = trace->fd;
	supervise_run(s);
	a->start.times.ended_at = sys_now_ns(CLOCK_REALTIME);
	wall = a->start.times.ran_ns = start_times_took(&a->start.times);
	if (miss == REASON_MISS_NEW)
		key_history_store(&a->start, history);
	start_detail(&a->start, "%s", a->start.verdict.miss.detail);
	start_report(&a->start, "miss", miss, history);
	if (s->lost) {
		start_detail(&a->start, "wait4 refuses to say how %s ended", a->start.call.base);
		start_report(&a->start, "error", REASON_ERROR_INTERNAL, "");
	}
	reason = judge(a, s, trace->path, &c);
	tracefile_remove(trace);
	if (reason != REASON_NONE) {
		lock_mark_unstorable(lock, &a->start.flight);
		start_report(&a->start, "unstored", reason, "");
	}
	if (reason == REASON_NONE)
		start_detail(&a->start, "%s", a->start.verdict.miss.detail);
	judge_event(&a->start, reason == REASON_NONE ? EVENT_MISS : EVENT_UNSTORED,
	            reason == REASON_NONE ? miss : reason);
	lock_release(lock);
	remote_flight_done(a, &c.result, reason == REASON_NONE, wall);
	action_close_remote(a);
	strict_end(a);
	supervise_finish(s);
}

/* Nothing is open or changed. The caller goes on into main as without Reprise. */
static void give_up(struct action *a, struct lock *lock, enum reason reason)
{
	if (a->start.call.nested)
		nest_bypassed(a);
	else
		action_untraced(a);
	start_report(&a->start, "bypass", reason, "");
	judge_event(&a->start, EVENT_BYPASS, reason);
	lock_release(lock);
	/* Nothing will be published, so no node should wait for it. */
	if (a->leased)
		remote_flight_done(a, NULL, 0, 0);
	action_free(a);
}

/* A real run was asked for. */
static int must_run(const struct action *a)
{
	return a->start.verdict.miss.reason == REASON_MISS_RECACHE ||
	       a->start.verdict.miss.reason == REASON_MISS_VERIFY;
}

/* Another process may have stored a result meanwhile. Returns when that result cannot be
 * replayed. */
static void look_again(struct action *a, struct lock *lock)
{
	struct result *r = NULL;

	if (must_run(a))
		return;
	/* Answers from before the wait are stale. */
	start_prober(&a->start);
	if (!judge_lookup(&a->start, &r))
		return;
	lock_release(lock);
	start_missed(&a->start, action_replay(a, r));
}

/* Waits while another node compiles the same action. */
static void wait_for_others(struct action *a, struct lock *lock)
{
	struct result *r = NULL;

	if (must_run(a) || !remote_flight_wait(a, &r))
		return;
	/* A process that waits for the lock finds the result in the local store. */
	if (!a->fetched)
		lock_release(lock);
	start_missed(&a->start, action_replay(a, r));
}

/* nvcc's host compile includes a file that the step before has just written. After the next tick of
 * the clock the file is old. */
static void wait_for_tick(struct action *a)
{
	struct timespec tick = {0, SETTLE_NS};
	struct start_times *t = &a->start.times;

	t->ran_at = t->started_at;
	if (!a->start.call.nested || a->start.cmd.flags & CMD_PREPROCESS ||
	    !(a->start.row->flags & TOOL_SETTLES))
		return;
	for (int i = 0; i < SETTLE_MOST && t->ran_at <= t->started_at; i++) {
		if (i)
			SYS4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &tick, NULL);
		t->ran_at = sys_now_ns(CLOCK_REALTIME_COARSE);
	}
	if (t->ran_at < t->started_at)
		t->ran_at = t->started_at;
}

void action_record(struct action *a)
{
	struct supervisor *s = arena_alloc_aligned(&a->start.arena, sizeof *s,
	                                           _Alignof(struct supervisor));
	struct lock lock = LOCK_INIT;
	enum lock_status locked;
	struct tracefile *trace = arena_alloc(&a->start.arena, sizeof *trace);
	int waited;
	pid_t pid;

	/* From here on the memo holds no descriptor, so the child has none to close. */
	memo_map(&a->start.memo);
	if (!s || !trace || a->size_limited) {
		give_up(a, &lock, s && trace ? REASON_BYPASS_FSIZE : REASON_BYPASS_SYSTEM);
		return;
	}
	if (!stream_texts_recordable(a)) {
		give_up(a, &lock, REASON_BYPASS_STDIO);
		return;
	}
	locked = single_flight(&a->start, &lock, &waited);
	if (locked == LOCK_UNSTORABLE) {
		give_up(a, &lock, REASON_BYPASS_CONTENDED);
		return;
	}
	/* With or without a wait, another process may have stored between our look-up and our
	 * lock. */
	if (locked == LOCK_HELD || waited)
		look_again(a, &lock);
	/* After a wait that did not serve, the start runs at once. Processes that come later may
	 * wait for it. */
	if (locked == LOCK_HELD && !waited)
		wait_for_others(a, &lock);
	action_close_remote(a);
	if (!stream_texts_have_readers(a, 6)) {
		give_up(a, &lock, REASON_BYPASS_STDIO);
		return;
	}
	/* The wait for other nodes or processes is not part of the tool's time, which bounds the
	 * waits of others. */
	a->start.times.started_ns = sys_now_ns(CLOCK_MONOTONIC);
	wait_for_tick(a);
	if (tracefile_make(trace, a->start.store.runtime_dir, a->start.call.umask) < 0) {
		give_up(a, &lock, REASON_BYPASS_RUNTIME);
		return;
	}
	if (!a->start.call.nested &&
	    driver_has_steps(a->start.row, &a->start.cmd))
		a->start.cmd.flags |= CMD_NESTS;
	pid = supervise_prepare(s, a);
	if (pid == 0)
		pid = supervise_fork(s);
	if (pid == 0) {
		enter_child(a, s, &lock, trace);
		return;
	}
	if (pid < 0) {
		supervise_abandon(s);
		tracefile_remove(trace);
		give_up(a, &lock, REASON_BYPASS_SYSTEM);
		return;
	}
	if (a->start.names.own.len)
		names_own(&a->start.names, (unsigned)pid);
	supervise(a, s, &lock, trace);
}
