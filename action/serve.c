/* action/serve.c - a tool serves itself: key, look-up and replay, otherwise recording. */
#include "action/serve.h"

#include <string.h>
#include <sys/resource.h>

#include "action/actionkey.h"
#include "action/command.h"
#include "action/remote_store.h"
#include "judge/lookup.h"
#include "action/nest.h"
#include "action/record.h"
#include "action/replay.h"
#include "action/state.h"
#include "action/strict.h"
#include "shim/log.h"
#include "shim/signals.h"
#include "shim/sys.h"
#include "shim/trace.h"

#include "shim/banned.h"

/* Under a small RLIMIT_FSIZE our own write must fail, and must not kill the tool by SIGXFSZ. */
static void guard_file_size(struct action *a)
{
	struct rlimit now = {RLIM_INFINITY, RLIM_INFINITY};

	SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &now);
	a->size_limited = now.rlim_cur != RLIM_INFINITY && now.rlim_cur < TRACE_CAPACITY;
	if (a->size_limited)
		a->xfsz = signal_handler(SIGXFSZ, SIG_IGN);
}

/* The processes below belong to this start and were never recorded apart from it. The compiler of a
 * launcher is a start of its own. A miss may be left to the parent action. */
static void bypass(struct action *a, enum reason reason)
{
	if (a->start.nested)
		nest_bypassed(a);
	else if (reason != REASON_BYPASS_LAUNCHER)
		action_untraced(a);
	start_report(&a->start, reason_rows[reason].group == REASON_GROUP_MISS ? "miss" : "bypass",
	             reason, "");
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
	a->start.cwd = arena_memdup(&a->start.arena, cwd, (size_t)n - 1);
	a->start.cwd_len = (size_t)n - 1;
	a->start.umask = read_umask();
	names_init(&a->start.names, &a->start.arena, sys_getuid(), start_env(&a->start, "TMPDIR"),
	           setting_text(&a->start.set, SETTING_TEMP_ROOTS),
	           setting_text(&a->start.set, SETTING_BASE_DIRS),
	           a->start.envp);
	if (a->start.row->flags & TOOL_NAMES_PID)
		names_own(&a->start.names, (unsigned)sys_getpid());
	memo_open(&a->start.memo, a->start.store.node_dir);
	start_prober(&a->start);
	return a->start.cwd ? 0 : -1;
}

void action_serve(const struct tool_row *row, const char *exe, const char *execfn, int argc,
                  char **argv, char **envp, struct settings *set, struct arena *arena, int nested,
                  enum reason refused)
{
	/* Not on the stack: the child of a recording goes on into main without this frame, and the
	 * constructor has little stack to spare. */
	struct action *a = arena_alloc_aligned(arena, sizeof *a, _Alignof(struct action));
	struct result *r = NULL;
	enum reason reason;
	int hit;

	if (!a)
		return;
	a->start.arena = *arena;
	a->start.set = *set;
	a->start.row = row;
	a->start.exe = exe;
	a->start.execfn = execfn;
	a->start.base = path_base(exe);
	a->start.argc = argc;
	a->start.argv = argv;
	a->start.envp = envp;
	a->start.cwd = "";
	if (nested)
		nest_begin(a);
	if (nested == NESTED_WATCHED || (nested && !setting_number(&a->start.set, SETTING_NEST))) {
		action_arguments(&a->start);
		nest_bypassed(a);
		*arena = a->start.arena;
		arena_free(arena);
		return;
	}
	a->start.started_ns = sys_now_ns(CLOCK_MONOTONIC);
	a->start.started_at = sys_now_ns(CLOCK_REALTIME_COARSE);
	guard_file_size(a);
	strict_begin(a);

	int store_rc = store_open(&a->start.store, &a->start.set, envp, &a->start.arena,
	                          &a->start.verdict.fault);
	log_init(&a->start.set, a->start.store.dir, a->start.store.runtime_dir, a->start.base, envp,
	         &a->start.arena);
	if (a->start.store.passed)
		log_once("store-passed", "%s: the store is %s", a->start.store.passed,
		         a->start.store.dir);
	if (a->start.store.passed_runtime)
		log_once("runtime-passed", "%s: the runtime directory is %s",
		         a->start.store.passed_runtime,
		         a->start.store.node_dir ? a->start.store.node_dir : "none");
	if (store_rc < 0 || !a->start.store.dir) {
		log_once("store", "no usable store, compiles run for real: %s",
		         a->start.verdict.fault.text);
		bypass(a, REASON_BYPASS_STORE);
		return;
	}
	if (refused != REASON_NONE) {
		bypass(a, refused);
		return;
	}
	if (row->flags & TOOL_LAUNCHER) {
		bypass(a, REASON_BYPASS_LAUNCHER);
		return;
	}
	if (!setting_number(&a->start.set, SETTING_LOCAL)) {
		start_detail(&a->start, "REPRISE_LOCAL is off");
		bypass(a, REASON_BYPASS_STORE);
		return;
	}
	if (prepare(a) < 0) {
		start_detail(&a->start, "no working directory");
		bypass(a, REASON_BYPASS_ARGUMENTS);
		return;
	}
	reason = action_command(&a->start);
	if (reason == REASON_NONE)
		reason = action_key(&a->start);
	if (reason != REASON_NONE) {
		bypass(a, reason);
		return;
	}
	if (setting_number(&a->start.set, SETTING_RECACHE)) {
		a->start.verdict.reason = REASON_MISS_RECACHE;
		hit = 0;
	} else {
		hit = judge_lookup(&a->start, &r);
		if (!hit && action_accept_sloppy(&a->start)) {
			reason = action_key(&a->start);
			a->start.verdict.seen_count = 0;
			hit = reason == REASON_NONE && judge_lookup(&a->start, &r);
		}
	}
	if (reason != REASON_NONE) {
		bypass(a, reason);
		return;
	}
	if (!hit && a->start.verdict.reason != REASON_MISS_RECACHE)
		hit = remote_store_lookup(a, &r);
	if (hit && chosen_for_verify(a)) {
		a->start.verdict.reason = REASON_MISS_VERIFY;
		a->expected = r;
		hit = 0;
	}
	if (hit) {
		a->start.verdict.reason = action_replay(a, r);
		if (a->start.verdict.reason == REASON_BYPASS_REPLAY) {
			bypass(a, a->start.verdict.reason);
			return;
		}
	}
	if (setting_number(&a->start.set, SETTING_READONLY) || !a->start.store.writable) {
		bypass(a, REASON_BYPASS_READONLY);
		return;
	}
	if (!a->start.store.runtime_dir) {
		log_once("runtime", "no usable runtime directory: %s", a->start.verdict.fault.text);
		bypass(a, REASON_BYPASS_RUNTIME);
		return;
	}
	if (nest_first(a)) {
		a->start.verdict.detail[0] = '\0';
		bypass(a, REASON_MISS_FIRST);
		return;
	}
	action_record(a);
}
