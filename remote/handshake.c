/* remote/handshake.c - AUTH and SELECT, and what answers them. */
#include "remote/handshake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "remote/wire.h"

static int add(struct handshake *h, int argc, const char **argv)
{
	char *command = NULL, *joined;
	int n = redisFormatCommandArgv(&command, argc, argv, NULL);

	if (n < 0)
		return -1;
	joined = malloc(h->len + (size_t)n);
	if (joined) {
		if (h->len)
			memcpy(joined, h->bytes, h->len);
		memcpy(joined + h->len, command, (size_t)n);
	}
	explicit_bzero(command, (size_t)n);
	redisFreeCommand(command);
	if (!joined)
		return -1;
	n += (int)h->len;
	unsigned commands = h->commands + 1;
	int auth = h->auth;
	handshake_free(h);
	*h = (struct handshake){joined, (size_t)n, commands, auth};
	return 0;
}

int handshake_make(struct handshake *h, const struct remote_config *c)
{
	const char *argv[3] = {"AUTH"};
	char db[16];
	int argc = 1, rc = 0;

	memset(h, 0, sizeof *h);
	if (c->user)
		argv[argc++] = c->user;
	if (c->user || c->password)
		argv[argc++] = c->password ? c->password : "";
	if (argc > 1) {
		h->auth = 1;
		rc = add(h, argc, argv);
	}
	if (rc == 0 && c->db) {
		unsigned v = c->db, n = sizeof db;

		db[--n] = '\0';
		for (; v; v /= 10)
			db[--n] = (char)('0' + v % 10);
		argv[0] = "SELECT";
		argv[1] = db + n;
		rc = add(h, 2, argv);
	}
	if (rc < 0)
		handshake_free(h);
	return rc;
}

enum wire_status handshake_judge(const redisReply *r, int is_auth, struct fault *fault)
{
	char text[WIRE_QUOTE];

	if (r->type != REDIS_REPLY_ERROR)
		return WIRE_OK;
	/* Its first word: a server that does not know AUTH quotes what it was told. */
	wire_quote(text, r, 1);
	fault_set(fault, EACCES, "%s was refused: %s", is_auth ? "AUTH" : "SELECT", text);
	switch (wire_error(r)) {
	case WIRE_ERR_LOADING: case WIRE_ERR_OOM: case WIRE_ERR_MISCONF: case WIRE_ERR_BUSY:
	case WIRE_ERR_MASTERDOWN: case WIRE_ERR_CLUSTERDOWN:
		return WIRE_SERVER;
	default:
		if (strstr(r->str, "max number of clients")) {
			fault_set(fault, EAGAIN, "the server has no room for another client");
			return WIRE_SERVER;
		}
		return is_auth || wire_error(r) == WIRE_ERR_NOAUTH ? WIRE_DENIED : WIRE_SERVER;
	}
}

void handshake_free(struct handshake *h)
{
	if (h->bytes) {
		explicit_bzero(h->bytes, h->len);
		free(h->bytes);
	}
	memset(h, 0, sizeof *h);
}
