/* jit/compile_bypass.c - a compile that ran for real without Reprise. */
#include "jit/jit.h"

#include <errno.h>

#include "judge/start_event.h"
#include "shim/kernel/signals.h"
#include "store/job/counters.h"

#include "shim/banned.h"

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
