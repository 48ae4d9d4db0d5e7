/* cli/doctor.h - declarations that the parts of `reprise doctor` share.
 *
 * A check has a name, a level and a text, and a remedy if the user has to change something.
 * Findings are printed at once, or collected for --json. No text holds a password, a key or the
 * value of a variable that may hold one. TOOL. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <json-c/json.h>
#include <time.h>

#include "cli/cli.h"
#include "remote/server.h"

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE, /* worth knowing: a choice, or something that cannot be changed */
	DOCTOR_MEND
};
struct doctor {
	struct cli *cli;
	struct json_object *checks, *figures; /* NULL: text */
	struct json_object *ranks;            /* what each rank reported; NULL: no rank was asked */
	unsigned mend;
};
/* cli/doctor_say.c: prints or collects a finding. remedy NULL: none. */
void doctor_say(struct doctor *d, enum doctor_level level, const char *name, const char *remedy,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Adds a number for --json. */
void doctor_figure(struct doctor *d, const char *name, double value);

/* cli/doctor_job.c: checks the object, and which compilers are served. */
void doctor_job(struct doctor *d);
/* cli/doctor_remote.c: checks the Redis server; s->dir may be NULL. */
void doctor_remote(struct doctor *d, struct store *s);

/* cli/doctor_probe.c: true if the object is in this process. */
int doctor_is_preloaded(void);
/* Describes what this process sees, as an object that the caller owns, with the strings host, rank,
 * user, version, preload (yes; named: LD_PRELOAD names the object, but it is not loaded; no), off
 * ("yes" if a setting turns Reprise off), store, store_fault, remote and job. */
struct json_object *doctor_describe(struct cli *c);
/* The probe that a launcher starts on each rank. It writes one line: DOCTOR_PROBE_MARK, token, and
 * such an object. If the object is preloaded, the line also has compiler ("" for none), first and
 * second (hit, miss, unstored: ..., bypass: ..., "" if no compile was seen), and the number status,
 * the compiler's. Returns an exit status. */
#define DOCTOR_PROBE_MARK "reprise-probe-"
int doctor_probe(struct cli *c, const char *token);
/* cli/doctor_launch.c: starts the probe with argv, a launcher and its arguments, and says what each
 * rank sees. */
void doctor_launch(struct doctor *d, int argc, char **argv);

/* State of the two files that ask the server. */
struct remote_check {
	struct doctor *d;
	struct remote *r;
	struct wire wire;
	struct fault fault;
	int is_cluster, is_replica, answers;
};
/* People wait for the answer; a server that needs longer is useless for look-ups anyway. */
#define DOCTOR_PATIENCE_NS 3000000000ll
/* cli/doctor_server.c: checks how the server answers, its memory and its cluster. 0, or -1 if it
 * does not answer. */
int doctor_server(struct remote_check *c);
const char *doctor_remedy(enum wire_status s, const struct remote_config *c);
int64_t doctor_now_ns(clockid_t clock);

#endif
