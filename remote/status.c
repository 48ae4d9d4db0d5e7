/* remote/status.c - names of statuses. */
#include "remote/status.h"

#include "shim/banned.h"

const char *wire_status_text(enum wire_status s)
{
	switch (s) {
	case WIRE_OK: return "ok";
	case WIRE_TIMEOUT: return "timed out";
	case WIRE_REFUSED: return "no connection";
	case WIRE_DENIED: return "access denied";
	case WIRE_CLOSED: return "closed by the server";
	case WIRE_GARBAGE: return "no Redis protocol";
	case WIRE_SERVER: return "server not ready";
	case WIRE_FAULT: return "out of resources";
	}
	return "unknown";
}
