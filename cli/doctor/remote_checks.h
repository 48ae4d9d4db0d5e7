/* cli/doctor/remote_checks.h - checks of the remote store. TOOL. */
#ifndef CLI_DOCTOR_REMOTE_CHECKS_H
#define CLI_DOCTOR_REMOTE_CHECKS_H

#include "cli/doctor/doctor.h"

/* Checks the Redis server; s->dir may be NULL. */
void doctor_remote(struct doctor *d, struct store *s);

#endif
