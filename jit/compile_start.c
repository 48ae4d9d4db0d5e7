/* jit/compile_start.c - a compile inside a process as a start. */
#include "jit/jit.h"

#include <errno.h>

#include "judge/start_event.h"
#include "shim/kernel/sandbox.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"
#include "shim/trace.h"
#include "store/job/counters.h"

#include "shim/banned.h"

static int add_command(struct start *s, const struct program *p)
{
	struct invocation *call = &s->call;
	int options = p ? p->option_count : 0, argc = 0;

	call->argv = arena_alloc(&s->arena, ((size_t)options + 3) * sizeof *call->argv);
	if (!call->argv)
		return -1;
	call->argv[argc++] = (char *)s->row->name;
	for (int i = 0; i < options; i++)
		call->argv[argc++] = (char *)p->options[i];
	if (p && p->name)
		call->argv[argc++] = (char *)p->name;
	call->argc = argc;
	return 0;
}

/* --- public, in header order --- */

int compile_permitted(void)
{
	return jit_on && !trace_process() && !trace_thread() &&
	       !settings_disabled(jit_environment()) && sandbox_permits();
}

int compile_start(struct start *s, struct tool_row *row, enum jit_id id, const char *name,
                  const struct program *p)
{
	char cwd[PATH_SIZE];
	ssize_t n = sys_getcwd(cwd, sizeof cwd);

	s->call.envp = (char **)jit_environment();
	settings_load(&s->set, s->call.envp, &s->arena);
	if (setting_number(&s->set, SETTING_FORCE_DISABLE) ||
	    !setting_number(&s->set, SETTING_INPROCESS))
		return -1;
	/* A directory that was removed has no name. */
	if (n <= 1 || cwd[0] != '/')
		n = 1;
	compile_key_row(row, id);
	s->row = row;
	s->call.exe = s->call.execfn = "";
	s->call.base = name;
	s->call.inside = 1;
	s->call.cwd = arena_memdup(&s->arena, cwd, (size_t)n - 1);
	s->call.cwd_len = (size_t)n - 1;
	if (!s->call.cwd || add_command(s, p) < 0)
		return -1;
	start_times_begin(&s->times);
	if (store_open(&s->store, &s->set, s->call.envp, &s->arena, &s->verdict.fault) < 0)
		s->store.dir = NULL;
	return 0;
}

/* --- a compile without Reprise --- */

static struct program_bypass why(const struct start *s, const struct call *c)
{
	if (!s->store.dir)
		return (struct program_bypass){REASON_BYPASS_STORE, s->verdict.fault.text};
	if (c->program && c->program->bypass.reason != REASON_NONE)
		return c->program->bypass;
	if (c->program)
		return (struct program_bypass){REASON_BYPASS_SYSTEM, "no memory"};
	return (struct program_bypass){
		REASON_BYPASS_LIBRARY,
		c->library && !c->library->unseen
			? "Reprise has not seen how the program was made"
			: "the library was loaded after a fork"};
}

static void report(struct start *s, const struct start_times *t, const struct call *c)
{
	struct program_bypass because = why(s, c);

	s->times = *t;
	start_detail(s, "%s", because.text ? because.text : "");
	start_report(s, "bypass", because.reason, "");
	judge_event(s, EVENT_BYPASS, because.reason);
	counters_close(&s->store);
}

/* --- public, in header order --- */

void compile_begins(struct start_times *t, const struct call *c)
{
	start_times_begin(t);
	if (!c->program)
		return;
	c->program->counted = 0;
	if (!c->program->off)
		c->program->bypass.reason = REASON_NONE;
}

void compile_ends(const struct start_times *t, const struct call *c)
{
	enum jit_id id = entry_library(c->entry);
	struct arena arena = ARENA_INIT;
	struct tool_row row;
	struct start *s;
	struct signals_size held;
	int error = errno;

	/* A handle or a function that is not there: nothing was compiled. */
	if ((c->program && c->program->counted) || !call_pointer(c, 0) ||
	    (!c->library && !c->real) || !compile_permitted())
		goto out;
	s = arena_alloc_aligned(&arena, sizeof *s, _Alignof(struct start));
	if (!s)
		goto out;
	s->arena = arena;
	held = signals_size_hold();
	if (compile_start(s, &row, id, c->library ? c->library->name : libraries_label(id),
	                  c->program) == 0)
		report(s, t, c);
	signals_size_release(&held);
	arena = s->arena;
	arena_free(&arena);
out:
	errno = error;
}
