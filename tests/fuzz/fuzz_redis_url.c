/* An element of REMOTE_URL, or REDIS_URL, on any bytes. Accepted URLs are usable: a host or a
 * socket, a port, no blank in a name. No text for people holds the password. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "remote/remote.h"
#include "remote/remote_place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct remote_place p = {0}, again = {0};
	char *url = arena_memdup(&a, data, size);
	size_t n = strlen(url);
	const char *wrong = place_parse(&p, url, n, &a), *shown = remote_url_print(url, &a);

	if (!*shown && strspn(url, " ") != n)
		abort();
	if (wrong) {
		if (!*wrong)
			abort();
		arena_free(&a);
		return 0;
	}
	if (*p.host ? strlen(p.host) > 255 || p.port > 65535 || strpbrk(p.host, " /@#?\n")
	            : p.path[0] != '/' || !p.path[1])
		abort();
	if (p.user && !*p.user)
		abort();
	/* Printed, it is the same server; and the credentials are gone. */
	if (place_is_redis(&p) && *p.host && !strchr(p.host, '%') &&
	    (place_parse(&again, p.shown, strlen(p.shown), &a) || strcmp(again.host, p.host) ||
	     again.port != p.port || again.db != p.db || again.user || again.password))
		abort();
	arena_free(&a);
	return 0;
}
