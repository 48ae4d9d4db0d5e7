/* hooks/chance.h - records that a tool asks for time or random bytes. */
#ifndef HOOKS_CHANCE_H
#define HOOKS_CHANCE_H

#include "hooks/caller.h"
#include "hooks/event.h"
#include "tools/chance.h"

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

#endif
