/* action/serve.c - a tool serves itself: key, look up, replay; else record. */
#include "action/serve.h"

#include <string.h>
#include <sys/resource.h>

#include "action/actionkey.h"
#include "action/command.h"
#include "action/far.h"
#include "action/lookup.h"
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

/* Under a small RLIMIT_FSIZE a write of ours must fail, not kill the tool by SIGXFSZ. */
static void guard_file_size(struct action *a)
{
	struct rlimit now = {RLIM_INFINITY, RLIM_INFINITY};

	SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &now);
	a->size_limited = now.rlim_cur != RLIM_INFINITY && now.rlim_cur < TRACE_CAPACITY;
	if (a->size_limited)
		a->xfsz = signal_handler(SIGXFSZ, SIG_IGN);
}

/* What runs below is this start's business as well, and was never recorded apart from it; a launcher's
 * compiler is a start of its own. A miss may be left to the whole. */
static void bypass(struct action *a, enum reason reason)
{
	if (a->nested)
		nest_bypassed(a);
	else if (reason != REASON_BYPASS_LAUNCHER)
		action_untraced(a);
	action_report(a, reason_rows[reason].group == REASON_GROUP_MISS ? "miss" : "bypass", reason, "");
	action_free(a);
}

/* Hosts are big: the umask is read in the way that costs nothing and is safe here, where no thread
 * exists yet. */
static unsigned read_umask(void)
{
	unsigned mask = (unsigned)SYS1(SYS_umask, 077);

	SYS1(SYS_umask, mask);
	return mask;
}

static int chosen_for_verify(const struct action *a)
{
	uint64_t percent = setting_number(&a->set, SETTING_VERIFY);

	return percent && (uint64_t)(sys_now_ns(CLOCK_MONOTONIC) / 1000 + sys_getpid()) % 100 < percent;
}

static int prepare(struct action *a)
{
	char cwd[PATH_SIZE];
	ssize_t n = sys_getcwd(cwd, sizeof cwd);

	if (n <= 1 || cwd[0] != '/')
		return -1;
	a->cwd = arena_memdup(&a->arena, cwd, (size_t)n - 1);
	a->cwd_len = (size_t)n - 1;
	a->umask = read_umask();
	names_init(&a->names, &a->arena, sys_getuid(), action_env(a, "TMPDIR"),
	           setting_text(&a->set, SETTING_TEMP_ROOTS), setting_text(&a->set, SETTING_BASE_DIRS),
	           a->envp);
	if (a->row->flags & TOOL_NAMES_PID)
		names_own(&a->names, (unsigned)sys_getpid());
	memo_open(&a->memo, a->store.node_dir);
	action_prober(a);
	return a->cwd ? 0 : -1;
}

void action_serve(const struct tool_row *row, const char *exe, const char *execfn, int argc,
                  char **argv, char **envp, struct settings *set, struct arena *arena, int nested,
                  enum reason refused)
{
	/* Not on the stack: the child of a recording goes on into main with this frame gone, and the
	 * constructor's caller has little to spare. */
	struct action *a = arena_alloc_aligned(arena, sizeof *a, _Alignof(struct action));
	struct result *r = NULL;
	enum reason reason;
	int hit;

	if (!a)
		return;
	a->arena = *arena;
	a->set = *set;
	a->row = row;
	a->exe = exe;
	a->execfn = execfn;
	a->base = path_base(exe);
	a->argc = argc;
	a->argv = argv;
	a->envp = envp;
	a->cwd = "";
	if (nested)
		nest_begin(a);
	if (nested == NESTED_WATCHED || (nested && !setting_number(&a->set, SETTING_NEST))) {
		action_arguments(a);
		nest_bypassed(a);
		*arena = a->arena;
		arena_free(arena);
		return;
	}
	a->started_ns = sys_now_ns(CLOCK_MONOTONIC);
	a->started_at = sys_now_ns(CLOCK_REALTIME_COARSE);
	guard_file_size(a);
	strict_begin(a);

	int store_rc = store_open(&a->store, &a->set, envp, &a->arena, &a->fault);
	log_init(&a->set, a->store.dir, a->store.runtime_dir, a->base, envp, &a->arena);
	if (a->store.passed)
		log_once("store-passed", "%s: the store is %s", a->store.passed, a->store.dir);
	if (a->store.passed_runtime)
		log_once("runtime-passed", "%s: the runtime directory is %s",
		         a->store.passed_runtime, a->store.node_dir ? a->store.node_dir : "none");
	if (store_rc < 0 || !a->store.dir) {
		log_once("store", "no usable store, compiles run for real: %s", a->fault.text);
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
	if (!setting_number(&a->set, SETTING_LOCAL)) {
		action_detail(a, "REPRISE_LOCAL is off");
		bypass(a, REASON_BYPASS_STORE);
		return;
	}
	if (prepare(a) < 0) {
		action_detail(a, "no working directory");
		bypass(a, REASON_BYPASS_ARGUMENTS);
		return;
	}
	reason = action_command(a);
	if (reason == REASON_NONE)
		reason = action_key(a);
	if (reason != REASON_NONE) {
		bypass(a, reason);
		return;
	}
	if (setting_number(&a->set, SETTING_RECACHE)) {
		a->reason = REASON_MISS_RECACHE;
		hit = 0;
	} else {
		hit = action_lookup(a, &r);
		if (!hit && action_accept_sloppy(a)) {
			reason = action_key(a);
			a->seen_count = 0;
			hit = reason == REASON_NONE && action_lookup(a, &r);
		}
	}
	if (reason != REASON_NONE) {
		bypass(a, reason);
		return;
	}
	if (!hit && a->reason != REASON_MISS_RECACHE)
		hit = far_lookup(a, &r);
	if (hit && chosen_for_verify(a)) {
		a->reason = REASON_MISS_VERIFY;
		a->expected = r;
		hit = 0;
	}
	if (hit) {
		a->reason = action_replay(a, r);
		if (a->reason == REASON_BYPASS_REPLAY) {
			bypass(a, a->reason);
			return;
		}
	}
	if (setting_number(&a->set, SETTING_READONLY) || !a->store.writable) {
		bypass(a, REASON_BYPASS_READONLY);
		return;
	}
	if (!a->store.runtime_dir) {
		log_once("runtime", "no usable runtime directory: %s", a->fault.text);
		bypass(a, REASON_BYPASS_RUNTIME);
		return;
	}
	if (nest_first(a)) {
		a->detail[0] = '\0';
		bypass(a, REASON_MISS_FIRST);
		return;
	}
	action_record(a);
}
