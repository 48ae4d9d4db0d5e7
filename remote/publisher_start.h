/* remote/publisher_start.h - starts the publisher from a supervisor, a replay or the fetcher.
 *
 * The job must not notice it: neither by its wait(2) nor by SIGCHLD (shim/hidden_child.h). The
 * publisher keeps no descriptor of the job. It runs in a session and process group of its own, in
 * /, with default signals, without LD_PRELOAD, and at a lower priority than the job. The program is
 * the `reprise` that belongs to the object (shim/command.h). Only where no other thread runs, as in
 * a supervisor and in a tool's constructor. */
#ifndef REMOTE_PUBLISHER_START_H
#define REMOTE_PUBLISHER_START_H

#include "remote/remote.h"

/* object: path of libreprise.so (shim/object.h). 1: a publisher was started; 0: none is needed (one
 * runs, or nothing may be published); -1 with *fault, and a warning once a job: there is no
 * `reprise`, or the system refused. */
int publisher_start(struct remote *r, const char *object, char *const envp[], struct fault *fault);
/* The same, if an earlier job left something to send: it ended before its publisher, or found no
 * server. */
int publisher_resume(struct remote *r, const char *object, char *const envp[], struct fault *fault);

#endif
