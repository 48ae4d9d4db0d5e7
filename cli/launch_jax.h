/* cli/launch_jax.h - JAX's compilation cache for a job: `reprise run --jax`. TOOL. */
#ifndef CLI_LAUNCH_JAX_H
#define CLI_LAUNCH_JAX_H

/* Sets the variables of JAX's compilation cache that the user has not set. who: begins messages.
 * 0, or -1 with errno. A directory that cannot be used is reported, and leaves the cache off. */
int cli_launch_jax(const char *who, int quiet);

#endif
