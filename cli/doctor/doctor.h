/* cli/doctor/doctor.h - declarations that the parts of `reprise doctor` share.
 *
 * A check has a name, a level and a text, and a remedy if the user has to change something.
 * Findings are printed at once, or collected for --json. No text holds a password, a key or the
 * value of a variable that may hold one. TOOL. */
#pragma once

#include <json-c/json.h>
#include <time.h>

#include "cli/cli.h"

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE, /* worth knowing: a choice, or something that cannot be changed */
	DOCTOR_MEND
};
struct doctor {
	struct cli *cli;
	struct json_object *checks, *figures; /* NULL: text */
	struct json_object *ranks;            /* what each rank reported; NULL: no rank was asked */
	const char *there;                    /* the command on the ranks; NULL: as here */
	unsigned mend;
};

/* --- check_settings.c: settings that cannot be obeyed --- */

/* Each says a line for each setting that cannot be obeyed, and returns the number of lines.
 * cli_check_settings checks for malformed values, unknown names and words that are ignored.
 * cli_check_remote_settings checks for settings that turn the remote store off, or would if it were
 * configured. No line holds a secret. */
typedef void cli_say(void *arg, const char *line);
/* Says a line, and returns 1. */
int cli_tell(cli_say *say, void *arg, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int cli_check_settings(struct cli *c, cli_say *say, void *arg);
int cli_check_remote_settings(struct cli *c, cli_say *say, void *arg);
/* Says one line if Kubernetes set variables for a service called reprise or reprise-*. */
void cli_check_services(struct cli *c, cli_say *say, void *arg);

/* --- job_checks.c: the seed stores of REPRISE_SEED_DIRS --- */

void doctor_seeds(struct doctor *d);

/* Settings as they may be shown. */

/* The value as it may be shown: screens are shared and reports are sent around, so no secret is in
 * it. */
const char *shown_setting(struct cli *c, int id);

/* --- job_checks.c: checks of what a job will do --- */

/* Checks the object, and which compilers are served. */
void doctor_job(struct doctor *d);

/* --- launch_probe.c: the probe on each rank of a job --- */

/* Starts the probe with argv, a launcher and its arguments, and says what each
 * rank sees. */
void doctor_launch(struct doctor *d, int argc, char **argv);

/* --- process_view.c: what a process of a job sees --- */

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
/* How many wait for a publisher, and since when the oldest does. */
struct doctor_queue {
	const char *name, *figure;
	const char *what, *others; /* behind a number */
	int silent;                /* nothing is said where none waits */
	int (*pending)(struct store *s, size_t *count, int64_t *oldest);
	size_t (*elsewhere)(struct store *s);
};
void doctor_waiting(struct doctor *d, struct store *s, const struct doctor_queue *q);
/* Adds a number for --json. */
void doctor_figure(struct doctor *d, const char *name, double value);

/* --- remote_checks.c: checks of the remote store --- */

/* Checks the Redis server; s->dir may be NULL. */
void doctor_remote(struct doctor *d, struct store *s);
