/* A prober with the fixture's memo, and a second one as a new process has it. */
#pragma once

#include "keying/probe.h"

#include <errno.h>

#include "keying/memo_file.h"
#include "memo_fixture.h"

static struct arena arena;
static struct prober prober;

static inline void probe_setup(void)
{
	memo_setup();
	prober_init(&prober, &arena, &memo, NULL);
}

static inline void probe_teardown(void)
{
	arena_free(&arena);
	memo_teardown();
}

/* As in a new process: only the memo remembers. */
static inline void anew(void)
{
	const char *run_dir = memo.dir;

	memo_close(&memo);
	arena_free(&arena);
	memo_open_mapped(&memo, run_dir);
	prober_init(&prober, &arena, &memo, NULL);
}
