/* units/find/peers.h - in which directories the ranks of this host look for their graphs.
 *
 * The names of AOTAutograd's graphs of torch 2.6 and 2.7 cannot bear a rank's mark
 * (units/find/listing.h). Such a graph must not be in a directory where two ranks look. A rank's
 * directory is known when the rank looks there. Then the rank records it in <runtime>/ranks (table
 * above peers.c). A rank has a directory to itself if all other ranks of its launch on this host
 * have recorded other directories.
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
#pragma once

#include "units/find/unit_lookup.h"

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

/* Graphs that ranks of this job made on this host.
 *
 * Ranks that look in one directory find each other's new graphs there, and torch itself uses them.
 * Such a graph then belongs to the set of the rank that opened it, if two conditions hold. The rank
 * has no graph under that key. And the rank that made the graph differs from it only in its number:
 * world, CPU features and torch are the same. Otherwise the next start, in an empty directory,
 * would lack the graph. A graph of unknown origin does not count, such as a graph that a host with
 * another CPU left on a shared file system.
 *
 * <runtime>/made holds hints (table above peers.c). A record that is lost costs a compile.
 * THREAD; not in a vfork child. */

#define MADE_SLOTS 16384u
/* l: of a member, in a process with a rank. */
void made_tell(struct unit_lookup *l);
/* 1: such a rank has made this member, and this rank has made no member of the set. */
int made_by_peer(struct unit_lookup *l);
