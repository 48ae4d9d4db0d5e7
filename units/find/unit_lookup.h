/* units/find/unit_lookup.h - a framework looks for a unit: the unit is taken from the local store,
 * or through the agent, and placed where the framework looks.
 *
 * A struct unit_lookup is the state of one question. Settings and store are opened for each, so
 * that a host keeps nothing, and variables that the program has set meanwhile count. Part of
 * units/host.h. THREAD; not in a vfork child. errno is not kept. */
#pragma once

#include "shim/arena.h"
#include "shim/settings/settings.h"
#include "store/agent.h"
#include "store/store.h"
#include "units/scope/scope.h"
#include "units/shape/shape.h"

struct unit_lookup {
	struct arena arena;
	struct settings set;
	struct store store;
	char *const *envp;
	const char *path;          /* absolute, as asked */
	struct unit_path u;        /* of path */
	const struct unit_row *row;
	const char *unit, *name;   /* absolute path of the unit; its name as it is keyed */
	const char *scope;
	struct digest key;
	/* mark in the names of graphs that are placed for this rank (units/find/listing.h); 0: they
	 * get their own names */
	uint64_t mark;
	/* 1: a remote store may be asked for the class; 0: it may not; -1: there is none */
	int remote;
	int filled;                /* the next unit to be placed came from the remote store */
	int64_t begun;             /* ns of CLOCK_MONOTONIC: no event holds the time since */
	/* start of this process, as unit_lookup_open was told: s and ns since 1970 */
	int64_t began, began_ns;
	/* for complete(): inode that was renamed to path; 0: the file was opened there */
	uint64_t made;
	const char *why;           /* why the unit was not placed */
};

/* 0, or -1: the class is off in this process, and l->why may say why. began_ns: start of this
 * process, since 1970; 0: not known. forked as for unit_scope. The caller owes unit_lookup_close
 * in either case. */
int unit_lookup_open(struct unit_lookup *l, const char *path, int64_t began_ns, int forked,
                     char *const envp[]);
void unit_lookup_close(struct unit_lookup *l);
/* Places what the stores have. 1: l->path is there now. */
int unit_lookup_run(struct unit_lookup *l);
/* Asks at most once in NEGATIVE_CACHE_S. Without a remote store, the local store holds all that any
 * store has. */
static inline enum agent_answer unit_lookup_ask(struct unit_lookup *l, enum store_class class,
                                                const struct digest *key)
{
	enum agent_answer answer = AGENT_ABSENT;

	if (l->remote > 0)
		answer = agent_fill_once(&l->store, &l->set, l->envp, class, key, &l->arena,
		                         &l->why);
	if (class == STORE_UNIT)
		l->filled = answer == AGENT_FILLED;
	return answer;
}
/* Notes in the job's list (store/job/job_list.h), if the job has one, that the job used this parcel
 * of the unit. */
void unit_lookup_used(struct unit_lookup *l, const struct digest *parcel);
/* 1: a record of l's set in the local store names this parcel. parcel NULL: there is a record. */
int unit_lookup_has(struct unit_lookup *l, const struct digest *parcel);
