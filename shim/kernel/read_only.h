/* shim/kernel/read_only.h - a process, and all that it starts, that can change no file.
 *
 * For a program that Reprise runs only to see what it prints, beside the job's own run of the
 * program. A compiler also writes files that its options do not name: SUNPRO_DEPENDENCIES, dumps, a
 * report of diagnostics. A list of such files might be incomplete. So a system call filter
 * (seccomp) answers EROFS to such calls: those that open a file for writing, or change a name, a
 * mode or a time. Descriptors that are open already can be written. */
#pragma once

/* From here on, for good. Returns 0, or -errno: this process can have no filter, and may write. It
 * also loses what set-user-ID programs would give (PR_SET_NO_NEW_PRIVS). CHILD. */
int read_only_enter(void);
