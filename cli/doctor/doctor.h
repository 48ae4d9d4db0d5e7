/* cli/doctor/doctor.h - declarations that the parts of `reprise doctor` share.
 *
 * A check has a name, a level and a text, and a remedy if the user has to change something.
 * Findings are printed at once, or collected for --json. No text holds a password, a key or the
 * value of a variable that may hold one. TOOL. */
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

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
	unsigned mend;
};

#endif
