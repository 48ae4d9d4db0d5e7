/* units/bring.h - one unit, from the local store or through the fetcher, put where a framework looks for it.
 *
 * All of a question's state: settings and store are opened anew each time, so that nothing is kept in a host and what the
 * program has set meanwhile counts. The parts of units/host.h; THREAD, not in a vfork child. errno is not kept. */
#ifndef UNITS_BRING_H
#define UNITS_BRING_H

#include "remote/negative_cache.h"
#include "shim/arena.h"
#include "shim/settings.h"
#include "store/store.h"
#include "units/scope.h"
#include "units/shape.h"

struct bring {
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
	struct negative_cache asked;       /* what the remote was asked for lately */
	int remote;                /* 1: the class may come from a remote store; 0: it may not; -1: there is none */
	int64_t began;             /* this process, s since 1970; 0, as bring_open leaves it: not known */
	uint64_t made;             /* for complete: inode of what was renamed to path; 0: it was opened there */
	const char *why;           /* this unit was not brought */
};

/* 0; -1: nothing is carried here, b->why says so where there is something to say. forked as unit_scope has it.
 * bring_close in either case. */
int bring_open(struct bring *b, const char *path, int forked, char *const envp[]);
void bring_close(struct bring *b);
/* Lays what there is. 1: b->path stands there now. */
int bring(struct bring *b);
/* Of this unit the job used that parcel: in its list (store/job_list.h), where it has one. */
void bring_list(struct bring *b, const struct digest *parcel);
/* 1: the local store has a record in b's set that names this parcel. */
int bring_lists(struct bring *b, const struct digest *parcel);

#endif
