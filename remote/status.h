/* remote/status.h - how an operation on the remote ended. */
#ifndef REMOTE_STATUS_H
#define REMOTE_STATUS_H

enum wire_status {
	WIRE_OK,
	WIRE_TIMEOUT, /* the deadline passed */
	WIRE_REFUSED, /* no address, connection refused, no route, socket missing */
	WIRE_DENIED,  /* AUTH, ACL or TLS said no */
	WIRE_CLOSED,  /* the peer closed, or this is another process */
	WIRE_GARBAGE, /* no protocol, or larger than expected */
	WIRE_SERVER,  /* LOADING, OOM, READONLY, CLUSTERDOWN, ... as the only reply of use */
	WIRE_FAULT    /* no memory, no descriptors */
};
/* SIGNAL. For people: "timed out". */
const char *wire_status_text(enum wire_status s);

#endif
