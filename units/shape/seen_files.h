/* units/shape/seen_files.h - the files that this process looked at: by stat, and sources in Python
 * by open, too.
 *
 * Python asks for the state of each source that it imports or runs, and a program that runs a text
 * by exec has read it. So a file that the process never looked at is no source of its program, even
 * if the file exists and has the expected content.
 *
 * The set lives in the object's own memory and holds a digest of device and inode of each file.
 * Once a quarter of its room is used, it takes only sources in Python (*.py). So a program that
 * looks at all its data does not fill the set. When the set is full, further files stay unknown. No
 * lock, no system call. SIGNAL. */
#pragma once

#include <stdint.h>

#define SEEN_FILES_SLOTS 32768u
/* The set is full: a search ends at a free slot soon. */
#define SEEN_FILES_MOST (SEEN_FILES_SLOTS / 4 * 3)

/* path: the name under which the process looked at it. device: as st_dev of struct stat. */
void seen_files_add(const char *path, uint64_t device, uint64_t inode);
int seen_files_have(uint64_t device, uint64_t inode);

/* Units that this process looked for in vain.
 *
 * JAX looks for a program, compiles it, and looks again before it writes it. If the program were
 * placed between the two, JAX would leave it as it is, and would not write the file of its time of
 * use (<name>-atime). JAX before its pull request 39883 then fails at each later write to a limited
 * cache. So such a unit stays absent for this process. Once the table is full, no further unit is
 * placed. */

#define ABSENT_SLOTS 4096u
/* 1: the process looked for this path in vain, or the table is full. */
int absent_is_known(const char *path);
void absent_add(const char *path);

/* Whether the process read a file while it made a unit.
 *
 * For a class whose key may leave out the content of files that its compiler reads, such as device
 * libraries of the user (TRAIT_READS_NOTHING). The time from the look-up in vain to the completion
 * counts, and all threads do. Not counted are Python's own files (*.py, *.pyc), shared objects, and
 * files below /proc, /sys and /dev.
 *
 * The set lives in the object's own memory and holds the last 64 look-ups. A unit whose look-up is
 * no longer there counts as one that read a file. No lock, no system call. SIGNAL. */

/* The process looked for this path in vain. */
void files_read_begin(const char *path);
/* The process opened this path for reading. */
void files_read_add(const char *path);
/* 1: no file was read since the first of the look-ups of this path that are known. */
int files_read_none(const char *path);
