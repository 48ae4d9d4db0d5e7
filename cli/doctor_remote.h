/* cli/doctor_remote.h - checks of the remote store. TOOL. */
#ifndef CLI_DOCTOR_REMOTE_H
#define CLI_DOCTOR_REMOTE_H

#include "cli/doctor.h"

/* Checks the Redis server; s->dir may be NULL. */
void doctor_remote(struct doctor *d, struct store *s);

#endif
