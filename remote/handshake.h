/* remote/handshake.h - what a new connection says first: AUTH and SELECT, where they are configured.
 *
 *     if (handshake_make(&h, config) == 0) ...
 *     ... h.bytes go before everything else; h.commands replies belong to handshake_judge() ...
 *     handshake_free(&h);                       // the password leaves memory
 *
 * THREAD. */
#ifndef REMOTE_HANDSHAKE_H
#define REMOTE_HANDSHAKE_H

#include <hiredis/hiredis.h>

#include "remote/config.h"
#include "remote/status.h"

/* Bytes that a reply to it may have. */
#define HANDSHAKE_LIMIT 256
struct handshake {
	char *bytes; /* malloc'ed; they hold the password */
	size_t len;
	unsigned commands;
	int auth;    /* the first one is AUTH */
	unsigned db; /* of SELECT, 0: there is none */
};

/* 0, also where nothing is to be said, or -1: no memory. */
int handshake_make(struct handshake *h, const struct remote_config *c);
/* Its reply i: WIRE_OK, or what it means that this command was refused, with *fault, without secrets; code EACCES where
 * that is not going to change by itself. */
enum wire_status handshake_judge(const struct handshake *h, unsigned i, const redisReply *r, struct fault *fault);
void handshake_free(struct handshake *h);

#endif
