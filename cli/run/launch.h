/* cli/run/launch.h - the environment of a job. TOOL. */
#ifndef CLI_RUN_LAUNCH_H
#define CLI_RUN_LAUNCH_H

#include "cli/cli.h"

/* Appends the object to LD_PRELOAD and sets REPRISE_JOB, for the program that is started next. job:
 * the job's name, with a list for `reprise export --job`; NULL: the job keeps its name. command:
 * the program, or NULL. Returns 0; 1 if the object is of another architecture, or if the program
 * cannot run with it: it is then not used, which is said unless quiet; -1 after a message. */
int cli_launch(struct cli *c, const char *who, const char *job, const char *command, int quiet);

/* JAX's compilation cache for a job: `reprise run --jax`. */

/* Sets the variables of JAX's compilation cache that the user has not set. who: begins messages.
 * 0, or -1 with errno. A directory that cannot be used is reported, and leaves the cache off. */
int cli_launch_jax(const char *who, int quiet);

#endif
