/* hooks/chance.h - records that a tool asks for time or random bytes. */
#ifndef HOOKS_CHANCE_H
#define HOOKS_CHANCE_H

#include "hooks/event.h"
#include "tools/chance.h"

/* CHILD. Once for each call site in a process: a compiler may ask thousands of times. Not in a
 * host, where the texts of a compile are examined instead (jit/source_text.h). The record is
 * written before the mark. */
#define CHANCE_EVENT(kind, what)                                                     \
	do {                                                                         \
		static int told_;                                                    \
		if (trace_active && trace_process() &&                               \
		    !__atomic_load_n(&told_, __ATOMIC_RELAXED)) {                    \
			trace_text(TRACE_CHANCE, 0, what, NULL, kind);               \
			__atomic_store_n(&told_, 1, __ATOMIC_RELEASE);               \
		}                                                                    \
	} while (0)

#endif
