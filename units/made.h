/* units/made.h - graphs that ranks of this job made on this host.
 *
 * Ranks that look in one directory find each other's new graphs there: torch itself takes them. A
 * graph that a rank opened so belongs to its set from then on, if the rank has none under that
 * key, and a rank that differs from it by its number alone made it: the same world, CPU features
 * and torch. Otherwise the next start, in an empty directory, would lack it. A graph of unknown
 * origin, as one that a host with another CPU left on a shared file system, is not taken.
 *
 * <runtime>/made holds hints (table above made.c). A record that is lost costs a compile.
 * THREAD; not in a vfork child. */
#ifndef UNITS_MADE_H
#define UNITS_MADE_H

#include "units/lookup.h"

#define MADE_SLOTS 16384u
/* l: of a member, in a process with a rank. */
void made_tell(struct unit_lookup *l);
/* 1: such a rank has made this member, and this rank none of the set. */
int made_by_peer(struct unit_lookup *l);

#endif
