/* judge/invocation.c - variables and paths of a started tool. */
#include "judge/invocation.h"

#include "shim/path.h"
#include "shim/settings/settings.h"

#include "shim/banned.h"

const char *invocation_env(const struct invocation *call, const char *name)
{
	return env_get(call->envp, name);
}

int invocation_response(const struct invocation *call, int i)
{
	while (++i < call->argc)
		if (call->argv[i][0] == '@')
			return i;
	return 0;
}

const char *invocation_whole(const struct invocation *call, const char *path, struct arena *a)
{
	char *whole = path[0] == '/' ? arena_strdup(a, path)
	                             : arena_cat(a, call->cwd, "/", path, NULL);

	if (whole)
		path_tidy(whole);
	return whole;
}
