/* remote/config_check.c - checks the settings of remote stores, and the files that they name. */
#include <errno.h>
#include <string.h>

#include "remote/backends.h"
#include "remote/remote.h"
#include "remote/remote_config.h"

#include "shim/banned.h"

int remote_config_check(const struct settings *set, char *const envp[], struct arena *a,
                        struct fault *fault)
{
	struct remote_config c;
	struct backend b;
	const char *wrong;

	memset(&c, 0, sizeof c);
	wrong = remote_config_limits(&c, set);
	if (wrong)
		return fault_set(fault, EINVAL, "%s", wrong);
	if (places_load(c.place, set, envp, a, fault) < 0 ||
	    remote_config_load(&c, set, envp, a, fault) < 0)
		return -1;
	if (!places_are_named(set)) {
		c.place[0] = (struct remote_place){.scheme = "redis", .host = "host", .path = "",
		                                   .set = set, .envp = envp};
		c.places = 1;
	}
	for (unsigned i = 0; i < c.places; i++) {
		if (backend_open(&b, &c.place[i], a, fault) < 0)
			return -1;
		b.ops->close(&b);
	}
	return 0;
}
