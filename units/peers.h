/* units/peers.h - in which directories the ranks of this host look for their graphs.
 *
 * The names of AOTAutograd's graphs of torch 2.6 and 2.7 cannot bear a rank's mark (units/mark.h).
 * Such a graph must not be in a directory where two ranks look. A rank's directory is known when
 * the rank looks there. Then the rank records it in <runtime>/ranks (table above peers.c). A rank
 * has a directory to itself if all other ranks of its launch on this host have recorded other
 * directories.
 *
 * A launch is the process that started the ranks, with the world's size, MASTER_ADDR and
 * MASTER_PORT. It is the nearest parent whose environment does not have this rank yet, so a script
 * between parent and rank does not matter. Directories are compared by their names after links are
 * resolved; two names of one directory by a mount are not seen. A dead rank's record does not
 * count.
 *
 *     peers_tell(&p, l);            // before any lock: others wait for this record
 *     if (peers_apart(&p, 0) || is_alone() || peers_apart(&p, 1))
 *             lay();
 *
 * THREAD; not in a vfork child. No descriptor is open during a wait. */
#ifndef UNITS_PEERS_H
#define UNITS_PEERS_H

#include "units/lookup.h"

/* The file is sparse: a launch of eight ranks takes a page. */
#define PEERS_SLOTS 65536u
/* Ranks of a host, or of a world whose hosts share a directory: each costs a question. */
#define PEERS_MAX 256
/* For records of other ranks, in all of a process's life. */
#define PEERS_WAIT_NS 3000000000ll
struct peers {
	const char *runtime_dir;
	/* ranks of this host; 0: the table is not used for this unit or directory */
	unsigned long locals;
	unsigned long local;
	int class;
	struct digest launch, root;
};
/* For what l looks for; it keeps b's strings. */
void peers_tell(struct peers *p, struct unit_lookup *l);
/* 1: each other rank has recorded one other directory. 0: a rank has recorded the same directory,
 * or several directories, or none in time. */
int peers_apart(const struct peers *p, int wait);

#endif
