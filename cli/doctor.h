/* cli/doctor.h - what the parts of `reprise doctor` share.
 *
 * A check has a name, a level and a text; where something is to be mended, what to do about it. They are printed as
 * they come, or collected for --json. No text holds a password, a key or what a variable that could hold one is
 * set to. TOOL. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <json-c/json.h>
#include <time.h>

#include "cli/cli.h"
#include "remote/remote.h"

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE, /* worth knowing; a choice, or what nobody can change */
	DOCTOR_MEND
};
struct doctor {
	struct cli *cli;
	struct json_object *checks, *figures; /* NULL: text */
	struct json_object *ranks;            /* what each said of itself; NULL: none was asked */
	unsigned mend;
};
/* cli/doctor_say.c. remedy NULL: none. */
void doctor_say(struct doctor *d, enum doctor_level level, const char *name, const char *remedy,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* A number of its own for --json. */
void doctor_figure(struct doctor *d, const char *name, double value);

/* cli/doctor_job.c: the object, and which compilers would be served. */
void doctor_job(struct doctor *d);
/* cli/doctor_remote.c: the Redis server; s->dir may be NULL. */
void doctor_remote(struct doctor *d, struct store *s);

/* cli/doctor_probe.c: true where the object is in this process. */
int doctor_is_preloaded(void);
/* What this process sees, for the caller to put: an object with the strings host, rank, user,
 * version, preload (yes; named: LD_PRELOAD names it, it is not here; no), off ("yes" where a
 * setting turns Reprise off), store, store_fault, remote and job. */
struct json_object *doctor_describe(struct cli *c);
/* What a launcher starts on each rank: writes one line, DOCTOR_PROBE_MARK, token, such an object.
 * Where the object is preloaded it has compiler ("" for none), first and second (hit, miss,
 * unstored: ..., bypass: ..., "" where no compile was seen), and the number status, the compiler's.
 * An exit status. */
#define DOCTOR_PROBE_MARK "reprise-probe-"
int doctor_probe(struct cli *c, const char *token);
/* cli/doctor_launch.c: starts the probe by argv, a launcher and its arguments, and says what each
 * rank saw. */
void doctor_launch(struct doctor *d, int argc, char **argv);

/* For the two files that ask the server. */
struct remote_check {
	struct doctor *d;
	struct remote *r;
	struct wire wire;
	struct fault fault;
	int is_cluster, is_replica, answers;
};
/* A person waits; a server that needs longer is of no use to a look-up anyway. */
#define DOCTOR_PATIENCE_NS 3000000000ll
/* cli/doctor_server.c: how it answers, its memory, its cluster. 0, or -1 when it does not answer. */
int doctor_server(struct remote_check *c);
const char *doctor_remedy(enum wire_status s, const struct remote_config *c);
int64_t doctor_now_ns(clockid_t clock);

#endif
