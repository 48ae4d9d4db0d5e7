/* units/shape/files_read.h - whether the process read a file while it made a unit.
 *
 * For a class whose key may leave out the content of files that its compiler reads, such as device
 * libraries of the user (TRAIT_READS_NOTHING). The time from the look-up in vain to the completion
 * counts, and all threads do. Not counted are Python's own files (*.py, *.pyc), shared objects, and
 * files below /proc, /sys and /dev.
 *
 * The set lives in the object's own memory and holds the last 64 look-ups. A unit whose look-up is
 * no longer there counts as one that read a file. No lock, no system call. SIGNAL. */
#ifndef UNITS_SHAPE_FILES_READ_H
#define UNITS_SHAPE_FILES_READ_H

/* The process looked for this path in vain. */
void files_read_begin(const char *path);
/* The process opened this path for reading. */
void files_read_add(const char *path);
/* 1: no file was read since the first of the look-ups of this path that are known. */
int files_read_none(const char *path);

#endif
