/* units/peers.h - where the ranks of this host look for their graphs.
 *
 * The framework takes the first entry of a name that fits, so graphs of two ranks must not stand in one directory. Which
 * one a rank uses is known when it looks: it says so then in <runtime>/ranks (table above peers.c), and a rank that finds
 * that all others of its launch on this host have said another directory has its own to itself.
 *
 * A launch is the process that started the ranks, with the world's size, MASTER_ADDR and MASTER_PORT: the nearest process
 * above whose environment did not have this rank yet, so that a script between the two does not matter. Directories are told
 * apart by their names once links are resolved; that two names are one directory by a mount is not seen. What a dead rank said
 * counts no more.
 *
 *     peers_tell(&p, l);            // before any lock: others wait for this word
 *     if (peers_apart(&p, 0) || sets_agree() || peers_apart(&p, 1))
 *             lay();
 *
 * THREAD; not in a vfork child. No descriptor is open while it waits. */
#ifndef UNITS_PEERS_H
#define UNITS_PEERS_H

#include "units/lookup.h"

#define PEERS_SLOTS 4096u
/* Ranks of a host, or of a world whose hosts share a directory. Asking for each would take as long as there are. */
#define PEERS_MAX 256
/* In the life of a process, for others that have said nothing yet. */
#define PEERS_WAIT_NS 3000000000ll
struct peers {
	const char *runtime_dir;
	unsigned long locals; /* ranks of this host; 0: what is looked for, or where, is not for this table */
	unsigned long local;
	int class;
	struct digest launch, root;
};
/* For what l looks for; it keeps b's strings. */
void peers_tell(struct peers *p, struct unit_lookup *l);
/* 1: all others have said, and one other directory each. 0: one has said the same or several, or not all have in time. */
int peers_apart(const struct peers *p, int wait);

#endif
