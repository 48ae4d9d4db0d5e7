/* cli/doctor_say.h - findings of `reprise doctor`. TOOL. */
#ifndef CLI_DOCTOR_SAY_H
#define CLI_DOCTOR_SAY_H

#include "cli/doctor.h"

/* Prints or collects a finding. remedy NULL: none. */
void doctor_say(struct doctor *d, enum doctor_level level, const char *name, const char *remedy,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Adds a number for --json. */
void doctor_figure(struct doctor *d, const char *name, double value);

#endif
