/* cli/run/preload.h - objects of Reprise among those that are preloaded. TOOL. */
#ifndef CLI_RUN_PRELOAD_H
#define CLI_RUN_PRELOAD_H

#include <stddef.h>

#define PRELOAD_VERSION 64
/* The version of an object's file. 0, or -1: it is no object of Reprise. */
int preload_version(const char *library, char out[PRELOAD_VERSION]);
/* Where LD_PRELOAD and /etc/ld.so.preload list another build than ours, says which of them serves
 * and which step back. The caller frees the text. NULL: there is no other one. ours is appended to
 * LD_PRELOAD, as reprise-run does, if it is not listed. */
char *preload_several(const char *ours);

/* Where the object is. */

/* Finds libreprise.so from the place of this program, as an absolute path that
 * LD_PRELOAD can hold. 0, or -1 after a message (no message if who is NULL). */
int cli_find_library(char *out, size_t cap, const char *who);

/* Whether the loader preloads the object into a program. */

/* Says why it would not; NULL if it would. */
const char *program_unserved(const char *path);
/* What it says of a script: its interpreter decides. */
#define PROGRAM_IS_SCRIPT "a script"

#endif
