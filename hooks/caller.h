/* hooks/caller.h - which library asks, in a tool that also runs foreign libraries.
 *
 * rustc loads procedural macros and calls them. rustc's own random bytes never reach a result, but
 * those of a macro may (tools/chance.h). So the stack is walked from the hook down, past libc and
 * Rust's standard library: the first other object is the one that asks. */
#pragma once

#include "hooks/event.h"
#include "tools/chance.h"

/* Not 0 where it matters which object asks. Hooks check only this. */
extern int caller_matters;

/* Constructor only, in a traced process. */
void caller_begin(void);
struct caller {
	/* Path of the object that asks, if it was loaded after the program's start, as the loader
	 * has it; "?" if the stack does not show who asks; "" for the tool itself. */
	const char *guest;
	int shared; /* it asks through a standard library that the tool uses, too */
};
/* THREAD. Keeps errno. */
struct caller caller_find(void);

/* Records that a tool asks for time or random bytes. */

/* CHILD. Once for each call site in a process: a compiler may ask thousands of times. Not in a
 * host, where the texts of a compile are examined instead (jit/source_text.h). The record is
 * written before the mark. Where it matters which object asks (hooks/caller.h), each call is looked
 * at. */
#define CHANCE_EVENT(kind, what)                                            \
	do {                                                                \
		static int told_;                                           \
		if (trace_active && trace_process() &&                      \
		    (caller_matters ||                                      \
		     !__atomic_load_n(&told_, __ATOMIC_RELAXED)))           \
			chance_event(kind, what, &told_);                   \
	} while (0)
/* CHILD; where it matters who asks: THREAD. */
void chance_event(enum chance_kind kind, const char *what, int *told);
/* THREAD. A device of random bytes was opened, and caller_matters. If a library opened it, that is
 * recorded besides the open. */
void chance_opened(const char *path);
