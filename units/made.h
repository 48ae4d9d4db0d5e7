/* units/made.h - graphs that ranks of this job made on this host.
 *
 * Ranks that look in one directory find each other's new graphs there, and torch itself uses them.
 * Such a graph then belongs to the set of the rank that opened it, if two conditions hold. The rank
 * has no graph under that key. And the rank that made the graph differs from it only in its number:
 * world, CPU features and torch are the same. Otherwise the next start, in an empty directory,
 * would lack the graph. A graph of unknown origin does not count, such as a graph that a host with
 * another CPU left on a shared file system.
 *
 * <runtime>/made holds hints (table above made.c). A record that is lost costs a compile.
 * THREAD; not in a vfork child. */
#ifndef UNITS_MADE_H
#define UNITS_MADE_H

#include "units/lookup.h"

#define MADE_SLOTS 16384u
/* l: of a member, in a process with a rank. */
void made_tell(struct unit_lookup *l);
/* 1: such a rank has made this member, and this rank has made no member of the set. */
int made_by_peer(struct unit_lookup *l);

#endif
