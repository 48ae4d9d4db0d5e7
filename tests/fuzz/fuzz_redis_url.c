/* REDIS_URL on any bytes. Accepted URLs are usable: a host or a socket, a port, no blank in a name.
 * No text for people holds the password. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "remote/remote.h"
#include "remote/remote_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct remote_config c = {.port = REMOTE_PORT};
	char *url = arena_memdup(&a, data, size);
	const char *wrong = remote_url_parse(&c, url, &a);
	const char *shown = remote_url_print(url, &a), *printed;

	if (wrong) {
		/* Constant words, nothing of the URL. */
		const char *want = arena_cat(&a, "(malformed, not shown: ", wrong, ")", NULL);
		if (!*wrong || strcmp(shown, want) != 0)
			abort();
		arena_free(&a);
		return 0;
	}
	printed = remote_config_print(&c, &a);
	if (c.scheme == REMOTE_UNIX ? !c.socket || c.socket[0] != '/' || strlen(c.socket) > 107
	                            : !c.host || !*c.host || strlen(c.host) > 255 || !c.port ||
	                              c.port > 65535 || strpbrk(c.host, " /@#?\n"))
		abort();
	if (c.user && !*c.user)
		abort();
	/* Printed, it is the same server; and the credentials are gone. */
	struct remote_config again = {.port = REMOTE_PORT};
	if (c.scheme != REMOTE_UNIX && !strchr(c.host, '%') &&
	    (remote_url_parse(&again, printed, &a) || strcmp(again.host, c.host) ||
	     again.port != c.port || again.db != c.db || again.user || again.password))
		abort();
	arena_free(&a);
	return 0;
}
