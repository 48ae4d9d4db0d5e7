/* judge/name/bind_roles.h - what the roles of a command's arguments let each name reach. THREAD. */
#ifndef JUDGE_NAME_BIND_ROLES_H
#define JUDGE_NAME_BIND_ROLES_H

#include "judge/start.h"

/* Adds to reach[i], of NAMES_MOST elements, the REACH_ bits (tools/driver.h) of name i of the
 * candidate. REACH_ANYTHING: an argument spells the name outside a path, or the name cannot be
 * found or exchanged in a result. c has at most NAMES_MOST names. */
void judge_bind_roles(struct start *s, const struct candidate *c, unsigned *reach);

#endif
