/* cli/doctor_job.h - checks of what a job will do. TOOL. */
#ifndef CLI_DOCTOR_JOB_H
#define CLI_DOCTOR_JOB_H

#include "cli/doctor.h"

/* Checks the object, and which compilers are served. */
void doctor_job(struct doctor *d);

#endif
