/* cli/doctor_server.h - checks of the Redis server. TOOL. */
#ifndef CLI_DOCTOR_SERVER_H
#define CLI_DOCTOR_SERVER_H

#include <time.h>

#include "cli/doctor.h"
#include "remote/server.h"

/* State of the checks that ask the server. */
struct remote_check {
	struct doctor *d;
	struct remote *r;
	struct wire wire;
	struct fault fault;
	int is_cluster, is_replica, answers;
};
/* People wait for the answer; a server that needs longer is useless for look-ups anyway. */
#define DOCTOR_PATIENCE_NS 3000000000ll
/* Checks how the server answers, its memory and its cluster. 0, or -1 if it
 * does not answer. */
int doctor_server(struct remote_check *c);
const char *doctor_remedy(enum wire_status s, const struct remote_config *c);
int64_t doctor_now_ns(clockid_t clock);

#endif
