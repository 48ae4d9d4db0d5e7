/* action/serve.c - a tool serves itself: key, look-up and replay, otherwise recording. */
#include "action/serve.h"

#include <string.h>
#include <sys/resource.h>

#include "action/action.h"
#include "action/nest.h"
#include "action/remote_store.h"
#include "judge/lookup.h"
#include "judge/name/name_list.h"
#include "judge/proof_verbs.h"
#include "judge/start_event.h"
#include "judge/wait/flight.h"
#include "keying/memo_file.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "shim/trace.h"
#include "store/lock.h"

#include "shim/banned.h"

/* Under a small RLIMIT_FSIZE our own write must fail, and must not kill the tool by SIGXFSZ. */
static void guard_file_size(struct action *a)
{
	struct rlimit now = {RLIM_INFINITY, RLIM_INFINITY};

	SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &now);
	a->file_size = now.rlim_cur;
	a->size_limited = a->file_size < TRACE_CAPACITY;
	if (a->size_limited)
		a->xfsz = signal_handler(SIGXFSZ, SIG_IGN);
}

/* The processes below belong to this start and were never recorded apart from it. The compiler of a
 * launcher is a start of its own. A miss may be left to the parent action. */
static void bypass(struct action *a, enum reason reason)
{
	if (a->start.call.nested)
		nest_bypassed(a);
	else if (reason != REASON_BYPASS_LAUNCHER)
		action_untraced(a);
	start_report(&a->start, reason_rows[reason].group == REASON_GROUP_MISS ? "miss" : "bypass",
	             reason, "");
	judge_event(&a->start, EVENT_BYPASS, reason);
	action_free(a);
}

/* Hosts are big, so the umask is read in a cheap way. It is safe here, because no thread exists
 * yet. */
static unsigned read_umask(void)
{
	unsigned mask = (unsigned)SYS1(SYS_umask, 077);

	SYS1(SYS_umask, mask);
	return mask;
}

static int chosen_for_verify(const struct action *a)
{
	uint64_t percent = setting_number(&a->start.set, SETTING_VERIFY);

	return percent &&
	       (uint64_t)(sys_now_ns(CLOCK_MONOTONIC) / 1000 + sys_getpid()) % 100 < percent;
}

static int prepare(struct action *a)
{
	char cwd[PATH_SIZE];
	ssize_t n = sys_getcwd(cwd, sizeof cwd);

	if (n <= 1 || cwd[0] != '/')
		return -1;
	a->start.call.cwd = arena_memdup(&a->start.arena, cwd, (size_t)n - 1);
	a->start.call.cwd_len = (size_t)n - 1;
	a->start.call.umask = read_umask();
	if (!a->start.call.cwd)
		return -1;
	judge_names_begin(&a->start);
	memo_open(&a->start.memo, a->start.store.node_dir);
	start_prober(&a->start);
	return 0;
}

/* Opens store and log, and reports what had to be passed over. -1: there is no store. */
static int open_store(struct action *a)
{
	struct start *s = &a->start;
	int rc = store_open(&s->store, &s->set, s->call.envp, &s->arena, &s->verdict.fault);

	s->store.reads = ENTRY_MAPS;
	log_init(&s->set, s->store.dir, s->store.runtime_dir, s->call.base, s->call.envp,
	         &s->arena);
	if (s->store.passed)
		log_once("store-passed", "%s: the store is %s", s->store.passed, s->store.dir);
	if (s->store.passed_runtime)
		log_once("runtime-passed", "%s: the runtime directory is %s",
		         s->store.passed_runtime, s->store.node_dir ? s->store.node_dir : "none");
	if (rc == 0 && s->store.dir)
		return 0;
	log_once("store", "no usable store, compiles run for real: %s", s->verdict.fault.text);
	return -1;
}

/* Completes the action key. REASON_NONE, or why the tool runs without Reprise. refused: a reason
 * that is known before. */
static enum reason find_key(struct action *a, enum reason refused)
{
	struct start *s = &a->start;
	enum reason reason;

	if (open_store(a) < 0)
		return REASON_BYPASS_STORE;
	if (refused != REASON_NONE)
		return refused;
	if (s->row->flags & TOOL_LAUNCHER)
		return REASON_BYPASS_LAUNCHER;
	if (!setting_number(&s->set, SETTING_LOCAL)) {
		start_detail(s, "REPRISE_LOCAL is off");
		return REASON_BYPASS_STORE;
	}
	if (prepare(a) < 0) {
		start_detail(s, "no working directory");
		return REASON_BYPASS_ARGUMENTS;
	}
	reason = action_command(s);
	return reason == REASON_NONE ? action_key(s) : reason;
}

/* 1: the start is to be keyed again. */
static int takes_another_key(struct start *s)
{
	return 0
#define AGAIN(call) || (call)
#include "proofs/proofs.def"
	;
}

/* Looks for a result in the local store and in the remote one. 1 and *r, or 0, and start_missed()
 * knows why. *bypass: why the start has no key without its line table, or without the names in its
 * objects. */
static int find_result(struct action *a, struct result **r, enum reason *bypass)
{
	struct start *s = &a->start;
	int hit;

	s->preprocessor.expand = action_expand;
	if (setting_number(&s->set, SETTING_RECACHE)) {
		start_missed(s, REASON_MISS_RECACHE);
		return 0;
	}
	hit = judge_lookup(s, r);
	if (!hit && takes_another_key(s)) {
		*bypass = action_key(s);
		s->verdict.seen_count = 0;
		s->verdict.miss.reason = REASON_NONE;
		if (*bypass != REASON_NONE)
			return 0;
		hit = judge_lookup(s, r);
	}
	return hit || remote_store_lookup(a, r);
}

/* What a unit will carry need not be stored twice: a cold node paid for it in each compile. Where
 * the same is compiled once more, no unit served it. */
static int carried_first(struct action *a)
{
	return a->carried && start_is_new(&a->start) &&
	       !memo_seen_before(&a->start.memo, &a->start.k1);
}

/* REASON_NONE, or why a miss is not recorded. */
static enum reason record_refused(struct action *a)
{
	struct start *s = &a->start;

	if (setting_number(&s->set, SETTING_READONLY) || !s->store.writable)
		return REASON_BYPASS_READONLY;
	if (!s->store.runtime_dir) {
		log_once("runtime", "no usable runtime directory: %s", s->verdict.fault.text);
		return REASON_BYPASS_RUNTIME;
	}
	if (nest_first(a) || carried_first(a)) {
		s->verdict.detail[0] = '\0';
		return REASON_MISS_FIRST;
	}
	return REASON_NONE;
}

/* 1: a start whose own result serves better than the one that was found runs now, and writes the
 * same files. Its result is waited for: a replay could put a file into its hands. A run that begins
 * later looks again under the lock, and finds what this start found. */
static int is_running(struct action *a)
{
	struct start *s = &a->start;
	const struct candidate *c = s->verdict.held;

#define WAITS(call) || (call)
	if (!c || !s->store.runtime_dir || !(0
#include "proofs/proofs.def"
	                                     ))
		return 0;
	judge_flight(s);
	return lock_busy(s->store.runtime_dir, &s->flight) && record_refused(a) == REASON_NONE;
}

/* Replays, records, or returns why the tool runs without Reprise. */
static enum reason serve(struct action *a, enum reason refused)
{
	struct result *r = NULL;
	enum reason reason = find_key(a, refused);
	int hit;

	if (reason != REASON_NONE)
		return reason;
	hit = find_result(a, &r, &reason);
	if (reason != REASON_NONE)
		return reason;
	if (hit && is_running(a)) {
		a->start.verdict.miss = (struct miss){.reason = REASON_MISS_NEW};
	} else if (hit && chosen_for_verify(a)) {
		start_missed(&a->start, REASON_MISS_VERIFY);
		a->expected = r;
	} else if (hit) {
		reason = action_replay(a, r);
		if (reason == REASON_BYPASS_REPLAY)
			return reason;
		start_missed(&a->start, reason);
	}
	reason = record_refused(a);
	if (reason == REASON_NONE)
		action_record(a);
	return reason;
}

void action_serve(const struct tool_start *t, const struct settings *set, struct arena arena)
{
	/* Not on the stack: the child of a recording goes on into main without this frame, and the
	 * constructor has little stack to spare. */
	struct action *a = arena_alloc_aligned(&arena, sizeof *a, _Alignof(struct action));
	enum reason reason;

	if (!a)
		return;
	a->start.arena = arena;
	a->start.set = *set;
	a->start.row = t->row;
	a->start.call = (struct invocation){.exe = t->exe, .execfn = t->execfn,
	                                    .base = path_base(t->exe), .argc = t->argc,
	                                    .argv = t->argv, .envp = t->envp, .cwd = ""};
	a->carried = t->carried;
	if (t->nested != NESTED_NOT)
		nest_begin(a);
	if (t->nested == NESTED_WATCHED ||
	    (t->nested != NESTED_NOT && !setting_number(&a->start.set, SETTING_NEST))) {
		action_arguments(&a->start);
		nest_bypassed(a);
		action_free(a);
		return;
	}
	start_times_begin(&a->start.times);
	guard_file_size(a);
	strict_begin(a);
	reason = serve(a, t->refused);
	if (reason != REASON_NONE)
		bypass(a, reason);
}
