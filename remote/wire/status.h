/* remote/wire/status.h - status of an operation on the remote store. */
#pragma once

#include <hiredis/hiredis.h>
#include <stddef.h>

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

/* Classifies error replies of Redis, and quotes them in faults. Pure. */

/* The kind of error, by the reply's first word or words. */
enum wire_error { WIRE_NO_ERROR, WIRE_ERR_OTHER, WIRE_ERR_NOAUTH, WIRE_ERR_NOPERM,
                  WIRE_ERR_WRONGTYPE,
	          WIRE_ERR_OOM, WIRE_ERR_LOADING, WIRE_ERR_READONLY, WIRE_ERR_MISCONF,
	          WIRE_ERR_BUSY,
	          WIRE_ERR_MASTERDOWN, WIRE_ERR_CLUSTERDOWN, WIRE_ERR_TRYAGAIN, WIRE_ERR_MOVED,
	          WIRE_ERR_ASK, WIRE_ERR_CLIENTS /* no room for this connection */ };
enum wire_error wire_error(const redisReply *r);
/* Copies an error into one line for a fault; word: only its first word, since the rest may quote
 * what was sent. */
#define WIRE_QUOTE 120
void wire_quote(char out[WIRE_QUOTE], const redisReply *r, int word);
