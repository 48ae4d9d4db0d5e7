/* shim/settings/service.c - forms of the variables of services:
 *
 *   <S>_SERVICE_HOST, <S>_SERVICE_PORT, <S>_SERVICE_PORT_<name of a port>
 *   <S>_PORT=<protocol>://<address>:<port>
 *   <S>_PORT_<number>_<PROTOCOL>, and the same with _PROTO, _PORT, _ADDR */
#include "shim/settings/settings.h"

#include <string.h>

#include "shim/banned.h"

static int begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static int is_address(const char *value)
{
	return begins(value, "tcp://") || begins(value, "udp://") || begins(value, "sctp://");
}

/* p: behind "_PORT_". */
static int is_port(const char *p)
{
	static const char ends[][8] = {"=", "_PROTO=", "_PORT=", "_ADDR="};
	size_t digits = strspn(p, "0123456789");

	p += digits;
	if (!digits || !(begins(p, "_TCP") || begins(p, "_UDP") || begins(p, "_SCTP")))
		return 0;
	p += begins(p, "_SCTP") ? 5 : 4;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (begins(p, ends[i]))
			return 1;
	return 0;
}

static int is_rest(const char *p)
{
	if (begins(p, "_SERVICE_HOST=") || begins(p, "_SERVICE_PORT=") ||
	    begins(p, "_SERVICE_PORT_"))
		return 1;
	return begins(p, "_PORT=") ? is_address(p + 6) : begins(p, "_PORT_") && is_port(p + 6);
}

size_t service_variable(const char *entry)
{
	for (const char *p = entry + 1; *entry && *p && *p != '='; p++)
		if (*p == '_' && is_rest(p))
			return (size_t)(p - entry);
	return 0;
}
