/* units/lookup.h - one unit, from the local store or through the fetcher, put where a framework looks for it.
 *
 * All of a question's state: settings and store are opened anew each time, so that nothing is kept in a host and what the
 * program has set meanwhile counts. The parts of units/host.h; THREAD, not in a vfork child. errno is not kept. */
#ifndef UNITS_LOOKUP_H
#define UNITS_LOOKUP_H

#include "remote/absent.h"
#include "shim/arena.h"
#include "shim/settings.h"
#include "store/store.h"
#include "units/scope.h"
#include "units/shape.h"

struct unit_lookup {
	struct arena arena;
	struct settings set;
	struct store store;
	char *const *envp;
	const char *path;          /* absolute, as asked */
	struct unit_path u;        /* of path */
	const struct unit_row *row;
	const char *unit, *name;   /* absolute path of the unit; its name as it enters keys */
	const char *scope;
	struct digest key;
	struct absent asked;       /* what the remote was asked for lately */
	int remote;                /* 1: the class may come from a remote store; 0: it may not; -1: there is none */
	int64_t began;             /* this process, s since 1970; 0, as unit_lookup_open leaves it: not known */
	uint64_t made;             /* for complete: inode of what was renamed to path; 0: it was opened there */
	const char *why;           /* this unit was not brought */
};

/* 0; -1: nothing is carried here, l->why says so where there is something to say. forked as unit_scope has it.
 * unit_lookup_close in either case. */
int unit_lookup_open(struct unit_lookup *l, const char *path, int forked, char *const envp[]);
void unit_lookup_close(struct unit_lookup *l);
/* Lays what there is. 1: l->path stands there now. */
int unit_lookup_run(struct unit_lookup *l);
/* Of this unit the job used that parcel: in its list (store/used.h), where it has one. */
void unit_lookup_used(struct unit_lookup *l, const struct digest *parcel);
/* 1: the local store has a record in b's set that names this parcel. */
int unit_lookup_has(struct unit_lookup *l, const struct digest *parcel);

#endif
