/* cli/doctor.h - what the parts of `reprise doctor` share.
 *
 * A check has a name, a level and a text; where something is to be mended, what to do about it. They are printed as
 * they come, or collected for --json. No text holds a password, a key or what a variable that could hold one is
 * set to. TOOL. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <json-c/json.h>

#include "cli/cli.h"

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE, /* worth knowing; a choice, or what nobody can change */
	DOCTOR_MEND
};
struct doctor {
	struct cli *cli;
	struct json_object *checks, *figures; /* NULL: text */
	unsigned mend;
};
/* remedy NULL: none. */
void doctor_say(struct doctor *d, enum doctor_level level, const char *name, const char *remedy,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* A number of its own for --json. */
void doctor_figure(struct doctor *d, const char *name, double value);

/* cli/doctor_job.c: the object, and which compilers would be served. */
void doctor_job(struct doctor *d);
/* cli/doctor_remote.c: the Redis server; s->dir may be NULL. */
void doctor_remote(struct doctor *d, struct store *s);

#endif
