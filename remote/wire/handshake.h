/* remote/wire/handshake.h - the first commands of a new connection: AUTH and SELECT, if they are
 * configured.
 *
 *     if (handshake_make(&h, config) == 0) ...
 *     ... h.bytes go before everything else; h.commands replies belong to handshake_judge() ...
 *     handshake_free(&h);                       // the password leaves memory
 *
 * THREAD. */
#pragma once

#include <hiredis/hiredis.h>

#include "remote/redis/redis_config.h"
#include "remote/wire/status.h"

/* Largest reply to one of these commands, in bytes. */
#define HANDSHAKE_LIMIT 256
struct handshake {
	char *bytes; /* malloc'ed; they hold the password */
	size_t len;
	unsigned commands;
	int auth;    /* the first one is AUTH */
	unsigned db; /* argument of SELECT; 0: there is none */
};

/* 0, also if there is nothing to send, or -1: no memory. */
int handshake_make(struct handshake *h, const struct redis_config *c);
/* Judges reply i: WIRE_OK, or the status of a refusal, with *fault, without secrets; code EACCES if
 * the refusal will not end by itself. */
enum wire_status handshake_judge(const struct handshake *h, unsigned i, const redisReply *r,
                                 struct fault *fault);
void handshake_free(struct handshake *h);
