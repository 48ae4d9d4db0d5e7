/* remote/remote_memory.h - what the processes of an agent know of each remote store: the state of
 * its breaker (remote/breaker.h), and keys that it did not have a moment ago.
 *
 * The agent maps it before it forks (remote_memory_make). It is changed by atomics only: there is
 * no lock, and a killed process delays no other. A new agent begins with none. With the absences a
 * cold start asks once for each key, not once for each attempt. At worst an entry that another node
 * publishes meanwhile is found some seconds late. THREAD. */
#pragma once

#include "remote/breaker.h"
#include "remote/remote_place.h"

#define ABSENT_S 5
/* A new key replaces another key in its slot, which its bytes 8 to 11 choose. */
#define ABSENT_SLOTS 4096u
struct absent_keys {
	struct { uint64_t key; int64_t at; } slot[ABSENT_SLOTS]; /* CLOCK_MONOTONIC ns */
};
struct remote_memory {
	struct {
		struct breaker_shared breaker;
		struct absent_keys absent;
	} of[PLACES_MAX]; /* by the store's number in the settings */
};

/* 1 if the key was noted in the last ABSENT_S. */
int absent_known(const struct absent_keys *t, const struct digest *key);
void absent_note(struct absent_keys *t, const struct digest *key);
void absent_forget(struct absent_keys *t, const struct digest *key);
/* What remote_memory_use named; otherwise new memory of the arena, NULL without memory. */
struct remote_memory *remote_memory_here(struct arena *a);
