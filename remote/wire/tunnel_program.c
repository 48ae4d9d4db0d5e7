/* remote/wire/tunnel_program.c - finds reprise-remote. */
#include "remote/wire/tunnel_program.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/loader/object.h"

#include "shim/banned.h"

int tunnel_program_find(char out[PATH_SIZE])
{
	/* Beside the agent; build tree; beside PREFIX/bin/reprise; beside
	 * PREFIX/lib/reprise/libreprise.so. */
	static const char places[][40] = {"reprise-remote", "libexec/reprise-remote",
	                                  "../libexec/reprise/reprise-remote",
	                                  "../../libexec/reprise/reprise-remote"};
	char self[PATH_SIZE];
	const char *object = object_path();
	ssize_t n = (ssize_t)strlen(object);

	if (n)
		memcpy(self, object, (size_t)n + 1);
	else
		n = sys_readlink("/proc/self/exe", self, sizeof self - 1);
	if (n <= 0)
		return -1;
	self[n] = '\0';
	self[path_dir_len(self)] = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (path_join(out, PATH_SIZE, self, places[i]) < PATH_SIZE &&
		    sys_access(out, X_OK) == 0)
			return 0;
	return -1;
}
