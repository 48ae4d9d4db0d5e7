/* shim/job.h - the name of the job that a process belongs to. */
#ifndef SHIM_JOB_H
#define SHIM_JOB_H

#include "shim/settings.h"

/* THREAD. Name of this process's job: REPRISE_JOB, else the scheduler's id, else "session-<sid>".
 * Never NULL. *variable, if requested: the variable that it came from, or NULL. */
const char *settings_job(const struct settings *s, char *const envp[], struct arena *a,
                         const char **variable);

#endif
