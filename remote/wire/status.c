/* remote/wire/status.c - names of statuses. */
#include "remote/wire/status.h"

#include <string.h>

#include "shim/banned.h"

/* --- wire error --- */

/* Longest first word of an error in a fault. */
#define WORD_MAX 24
/* A server with too many connections sends this to a new one, whatever it asks, and closes it. */
#define CLIENTS "ERR max number of clients"

static const struct {
	const char *word;
	enum wire_error error;
} errors[] = {
	{"NOAUTH", WIRE_ERR_NOAUTH}, {"NOPERM", WIRE_ERR_NOPERM}, {"WRONGTYPE", WIRE_ERR_WRONGTYPE},
	{"OOM", WIRE_ERR_OOM}, {"LOADING", WIRE_ERR_LOADING}, {"READONLY", WIRE_ERR_READONLY},
	{"MISCONF", WIRE_ERR_MISCONF}, {"BUSY", WIRE_ERR_BUSY}, {"MASTERDOWN", WIRE_ERR_MASTERDOWN},
	{"CLUSTERDOWN", WIRE_ERR_CLUSTERDOWN}, {"TRYAGAIN", WIRE_ERR_TRYAGAIN},
	{"MOVED", WIRE_ERR_MOVED}, {"ASK", WIRE_ERR_ASK},
};

enum wire_error wire_error(const redisReply *r)
{
	if (!r || r->type != REDIS_REPLY_ERROR)
		return WIRE_NO_ERROR;
	size_t n = strcspn(r->str, " ");
	if (strncmp(r->str, CLIENTS, sizeof CLIENTS - 1) == 0)
		return WIRE_ERR_CLIENTS;
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (strlen(errors[i].word) == n && !memcmp(errors[i].word, r->str, n))
			return errors[i].error;
	return WIRE_ERR_OTHER;
}

void wire_quote(char out[WIRE_QUOTE], const redisReply *r, int word)
{
	size_t n = word ? strcspn(r->str, " ") : strlen(r->str), max = word ? WORD_MAX : WIRE_QUOTE;

	n = n < max - 1 ? n : max - 1;
	for (size_t i = 0; i < n; i++)
		out[i] = r->str[i] >= ' ' && r->str[i] < 127 ? r->str[i] : '?';
	out[n] = '\0';
}

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
