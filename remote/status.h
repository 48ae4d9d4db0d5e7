/* remote/status.h - status of an operation on the remote store. */
#ifndef REMOTE_STATUS_H
#define REMOTE_STATUS_H

enum wire_status {
	WIRE_OK,
	WIRE_TIMEOUT, /* the deadline passed */
	WIRE_REFUSED, /* no address, connection refused, no route, socket missing */
	WIRE_DENIED,  /* AUTH, ACL or TLS refused */
	WIRE_CLOSED,  /* the peer closed, or another process owns the connection */
	WIRE_GARBAGE, /* not the protocol, or larger than expected */
	WIRE_SERVER,  /* the only usable reply was LOADING, OOM, READONLY, CLUSTERDOWN, ... */
	WIRE_FAULT    /* no memory, no descriptors */
};
/* SIGNAL. For people: "timed out". */
const char *wire_status_text(enum wire_status s);

#endif
