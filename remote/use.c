/* remote/use.c - what the settings let a process exchange with the remote store. */
#include "remote/config.h"
#include "remote/remote.h"

#include "shim/banned.h"

int remote_use_load(struct remote_use *out, const struct settings *set, char *const envp[],
                    struct arena *a)
{
	struct remote_config c;
	struct fault ignored;

	if (remote_config_load(&c, set, envp, a, &ignored) < 0 || c.scheme == REMOTE_NONE)
		return 0;
	*out = (struct remote_use){c.classes, c.units, c.readonly};
	return 1;
}

const char *remote_use_address(const struct settings *set, char *const envp[], struct arena *a,
                               struct fault *fault)
{
	struct remote_config c;

	return remote_config_load(&c, set, envp, a, fault) < 0 ? NULL : remote_config_print(&c, a);
}
