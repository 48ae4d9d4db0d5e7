/* cli/doctor/job_checks.h - checks of what a job will do. TOOL. */
#ifndef CLI_DOCTOR_JOB_CHECKS_H
#define CLI_DOCTOR_JOB_CHECKS_H

#include "cli/doctor/doctor.h"

/* Checks the object, and which compilers are served. */
void doctor_job(struct doctor *d);

#endif
