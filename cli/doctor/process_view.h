/* cli/doctor/process_view.h - what a process of a job sees. TOOL. */
#ifndef CLI_DOCTOR_PROCESS_VIEW_H
#define CLI_DOCTOR_PROCESS_VIEW_H

#include "cli/doctor/doctor.h"

/* True if the object is in this process. */
int doctor_is_preloaded(void);
/* Describes what this process sees, as an object that the caller owns, with the strings host, rank,
 * user, version, preload (yes; named: LD_PRELOAD names the object, but it is not loaded; no), off
 * ("yes" if a setting turns Reprise off), store, store_fault, remote and job. */
struct json_object *doctor_describe(struct cli *c);
/* The probe that a launcher starts on each rank. It writes one line: DOCTOR_PROBE_MARK, token, and
 * such an object. If the object is preloaded, the line has four more members: compiler ("" for
 * none), first, second, and the number status, which is the compiler's. first and second are hit,
 * miss, unstored: ..., bypass: ..., or "" if no compile was seen. Returns an exit status. */
#define DOCTOR_PROBE_MARK "reprise-probe-"
int doctor_probe(struct cli *c, const char *token);

/* Findings of `reprise doctor`. */

/* Prints or collects a finding. remedy NULL: none. */
void doctor_say(struct doctor *d, enum doctor_level level, const char *name, const char *remedy,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Adds a number for --json. */
void doctor_figure(struct doctor *d, const char *name, double value);

#endif
