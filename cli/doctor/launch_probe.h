/* cli/doctor/launch_probe.h - the probe on each rank of a job. TOOL. */
#ifndef CLI_DOCTOR_LAUNCH_PROBE_H
#define CLI_DOCTOR_LAUNCH_PROBE_H

#include "cli/doctor/doctor.h"

/* Starts the probe with argv, a launcher and its arguments, and says what each
 * rank sees. */
void doctor_launch(struct doctor *d, int argc, char **argv);

#endif
