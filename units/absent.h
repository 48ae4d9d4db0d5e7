/* units/absent.h - units that this process looked for in vain.
 *
 * JAX looks for a program, compiles it, and looks again before it writes it. If the program were
 * placed between the two, JAX would leave it as it is, and would not write the file of its time of
 * use (<name>-atime). JAX before its pull request 39883 then fails at each later write to a limited
 * cache. So such a unit stays absent for this process. Once the table is full, no further unit is
 * placed. THREAD. */
#ifndef UNITS_ABSENT_H
#define UNITS_ABSENT_H

#define ABSENT_SLOTS 4096u
/* 1: the process looked for this path in vain, or the table is full. */
int absent_is_known(const char *path);
void absent_add(const char *path);

#endif
