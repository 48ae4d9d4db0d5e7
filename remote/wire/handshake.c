/* remote/wire/handshake.c - AUTH and SELECT, and their replies. */
#include "remote/wire/handshake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "remote/wire/status.h"

static int add(struct handshake *h, int argc, const char **argv)
{
	char *command = NULL, *joined;
	long long formatted = redisFormatCommandArgv(&command, argc, argv, NULL);

	if (formatted < 0)
		return -1;
	size_t n = (size_t)formatted;
	joined = malloc(h->len + n);
	if (joined) {
		if (h->len)
			memcpy(joined, h->bytes, h->len);
		memcpy(joined + h->len, command, n);
	}
	explicit_bzero(command, n);
	redisFreeCommand(command);
	if (!joined)
		return -1;
	struct handshake more = {joined, h->len + n, h->commands + 1, h->auth, h->db};
	handshake_free(h);
	*h = more;
	return 0;
}

int handshake_make(struct handshake *h, const struct redis_config *c)
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
		h->db = c->db;
		argv[0] = "SELECT";
		argv[1] = db + n;
		rc = add(h, 2, argv);
	}
	if (rc < 0)
		handshake_free(h);
	return rc;
}

enum wire_status handshake_judge(const struct handshake *h, unsigned i, const redisReply *r,
                                 struct fault *fault)
{
	int is_auth = h->auth && i == 0;
	char text[WIRE_QUOTE];

	if (r->type == REDIS_REPLY_STATUS && strcmp(r->str, "OK") == 0)
		return WIRE_OK;
	if (r->type != REDIS_REPLY_ERROR) {
		fault_set(fault, EPROTO, "the server did not answer %s",
		          is_auth ? "AUTH" : "SELECT");
		return WIRE_GARBAGE;
	}
	/* Only the first word: a server that does not know AUTH quotes the arguments. */
	wire_quote(text, r, 1);
	if (is_auth)
		fault_set(fault, EACCES, "AUTH was refused: %s", text);
	else
		fault_set(fault, EACCES, "SELECT was refused: %s (database %u)", text, h->db);
	switch (wire_error(r)) {
	case WIRE_ERR_LOADING: case WIRE_ERR_OOM: case WIRE_ERR_MISCONF: case WIRE_ERR_BUSY:
	case WIRE_ERR_MASTERDOWN: case WIRE_ERR_CLUSTERDOWN:
		fault->code = EAGAIN;
		return WIRE_SERVER;
	case WIRE_ERR_NOAUTH: case WIRE_ERR_NOPERM:
		return WIRE_DENIED;
	case WIRE_ERR_CLIENTS:
		fault_set(fault, EAGAIN, "the server accepts no more clients");
		return WIRE_SERVER;
	default:
		return is_auth ? WIRE_DENIED : WIRE_SERVER;
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
