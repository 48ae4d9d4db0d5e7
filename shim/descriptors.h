/* shim/descriptors.h - closes descriptors in a process that must not keep those of the job.
 *
 * Processes that wait for the end of a pipe or socket of the job must not wait for a process of
 * Reprise. CHILD. */
#ifndef SHIM_DESCRIPTORS_H
#define SHIM_DESCRIPTORS_H

/* Closes all descriptors but keep[0..n). */
void descriptors_close_others(const int *keep, int n);

#endif
