/* jit/compile_start.c - a compile inside a process as a start. */
#include "jit/jit.h"

#include "jit/state.h"
#include "shim/kernel/sandbox.h"
#include "shim/kernel/sys.h"
#include "shim/trace.h"

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
