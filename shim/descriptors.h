/* shim/descriptors.h - descriptors of a process that must hold none of the job's.
 *
 * Whoever waits for the end of a pipe or socket of the job must not wait for a process of ours. CHILD. */
#ifndef SHIM_DESCRIPTORS_H
#define SHIM_DESCRIPTORS_H

/* Closes all but keep[0..n). */
void descriptors_close_others(const int *keep, int n);

#endif
