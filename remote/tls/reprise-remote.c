/* remote/tls/reprise-remote.c - TLS for one connection to a Redis (remote/wire/tunnel.h describes
 * its arguments and output). Descriptor 0 is the caller. Not for people.
 *
 * It holds no secret but the client's key, has no environment, and prints only its one line. It
 * ends when either side closes or no byte came for IDLE_S. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "remote/tls/openssl.h"
#include "remote/wire/dial.h"
#include "remote/wire/status.h"
#include "remote/wire/tunnel.h"
#include "shim/kernel/sys.h"

/* If a caller leaks its end, the program must still end. A publisher that finds the connection
 * closed makes another. */
#define IDLE_S 300
#define COPY_BYTES 65536
#define CALLER 0
/* SSL_OP_IGNORE_UNEXPECTED_EOF, which headers of OpenSSL 1.1 do not have. */
#define IGNORE_UNEXPECTED_EOF 0x80

/* Writes the one line and ends. */
static _Noreturn void end(const char *word, const char *what, const char *why)
{
	char line[TUNNEL_LINE];
	int n = snprintf(line, sizeof line - 1, "%s %s%s%s", word, what, why ? ": " : "",
	                 why ? why : "");

	n = n < (int)sizeof line - 1 ? n : (int)sizeof line - 2;
	for (int i = 0; i < n; i++)
		if ((unsigned char)line[i] < ' ')
			line[i] = '?';
	line[n++] = '\n';
	send(CALLER, line, (size_t)n, MSG_NOSIGNAL);
	_exit(1);
}

static const char *ssl_reason(void)
{
	unsigned long e = tls.ERR_peek_last_error();
	const char *text = e ? tls.ERR_reason_error_string(e) : NULL;

	return text ? text : "no reason given";
}

static int is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void load_ca(SSL_CTX *ctx, const char *ca)
{
	int directory = is_directory(ca);

	const char *file = directory ? NULL : ca, *dir = directory ? ca : NULL;

	if (!*ca ? !tls.SSL_CTX_set_default_verify_paths(ctx)
	         : !tls.SSL_CTX_load_verify_locations(ctx, file, dir))
		end("denied", "TLS: certificates cannot be loaded", *ca ? ca : "the system's");
}

static SSL_CTX *make_context(char **argv)
{
	const char *missing = openssl_load();

	if (missing)
		end("denied", "TLS", missing);
	SSL_CTX *ctx = tls.SSL_CTX_new(tls.TLS_client_method());

	if (!ctx || !SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION))
		end("fault", "TLS cannot be set up", ssl_reason());
	tls.SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
	tls.SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION);
	/* Redis 7 closes without a close_notify, which OpenSSL 1.1 ignores. */
	if (tls.version >= 3)
		tls.SSL_CTX_set_options(ctx, IGNORE_UNEXPECTED_EOF);
	SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	load_ca(ctx, argv[TUNNEL_CA]);
	if (*argv[TUNNEL_CERT] &&
	    (tls.SSL_CTX_use_certificate_chain_file(ctx, argv[TUNNEL_CERT]) != 1 ||
	     tls.SSL_CTX_use_PrivateKey_file(ctx, argv[TUNNEL_KEY], SSL_FILETYPE_PEM) != 1 ||
	     tls.SSL_CTX_check_private_key(ctx) != 1))
		end("denied", "TLS: client certificate or key", ssl_reason());
	return ctx;
}

/* The certificate must be for that name or address. A name is sent to the server, which may have
 * several. */
static SSL *make_session(SSL_CTX *ctx, int fd, const char *name)
{
	SSL *ssl = tls.SSL_new(ctx);
	unsigned char address[sizeof(struct in6_addr)];
	int ok, numeric = inet_pton(AF_INET, name, address) == 1 ||
	                  inet_pton(AF_INET6, name, address) == 1;

	if (!ssl || !tls.SSL_set_fd(ssl, fd))
		end("fault", "TLS cannot be set up", ssl_reason());
	if (numeric) {
		ok = tls.X509_VERIFY_PARAM_set1_ip_asc(tls.SSL_get0_param(ssl), name);
	} else {
		tls.SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
		ok = tls.SSL_set1_host(ssl, name) && SSL_set_tlsext_host_name(ssl, name);
	}
	if (!ok)
		end("denied", "TLS: the server's name cannot be checked", name);
	return ssl;
}

static void handshake(SSL *ssl, int fd, int64_t deadline)
{
	for (;;) {
		int rc, error;
		long verified;
		enum wire_status s;

		tls.ERR_clear_error();
		rc = tls.SSL_connect(ssl);
		if (rc == 1)
			return;
		error = tls.SSL_get_error(ssl, rc);
		if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
			verified = tls.SSL_get_verify_result(ssl);
			if (verified != X509_V_OK)
				end("denied", "TLS", tls.X509_verify_cert_error_string(verified));
			if (tls.ERR_peek_last_error())
				end("denied", "TLS", ssl_reason());
			end("refused", "TLS", "the server closed the connection");
		}
		s = dial_wait(fd, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline);
		if (s != WIRE_OK)
			end(tunnel_status_word(s), "TLS: no handshake in time", NULL);
	}
}

struct copy {
	char bytes[COPY_BYTES];
	size_t at, n;
	int ended; /* no more will come */
};

/* 1: bytes moved; 0: nothing for now; -1: the end. *want gets the events that TLS waits for. */
static int session_result(SSL *ssl, int rc, short *want)
{
	switch (tls.SSL_get_error(ssl, rc)) {
	case SSL_ERROR_WANT_READ: *want |= POLLIN; return 0;
	case SSL_ERROR_WANT_WRITE: *want |= POLLOUT; return 0;
	}
	return -1;
}

static int to_server(SSL *ssl, struct copy *c, short *want)
{
	int rc;

	if (c->n == 0) {
		ssize_t n = recv(CALLER, c->bytes, sizeof c->bytes, MSG_DONTWAIT);
		if (n <= 0)
			return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
		c->at = 0;
		c->n = (size_t)n;
	}
	tls.ERR_clear_error();
	rc = tls.SSL_write(ssl, c->bytes + c->at, (int)c->n);
	if (rc <= 0)
		return session_result(ssl, rc, want);
	c->at += (size_t)rc;
	c->n -= (size_t)rc;
	return 1;
}

static int to_caller(SSL *ssl, struct copy *c, short *want)
{
	ssize_t n;

	if (c->n == 0 && !c->ended) {
		int rc;

		tls.ERR_clear_error();
		rc = tls.SSL_read(ssl, c->bytes, sizeof c->bytes);
		if (rc <= 0) {
			if (session_result(ssl, rc, want) == 0)
				return 0;
			c->ended = 1;
			return -1;
		}
		c->at = 0;
		c->n = (size_t)rc;
	}
	n = send(CALLER, c->bytes + c->at, c->n, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	c->at += (size_t)n;
	c->n -= (size_t)n;
	return 1;
}

static void copy(SSL *ssl, int fd)
{
	static struct copy up, down;
	unsigned tries = 0;

	for (;;) {
		short want = 0;
		struct pollfd p[2];
		int a = to_server(ssl, &up, &want), b = to_caller(ssl, &down, &want);

		if (a < 0 || b < 0)
			return;
		if (a || b) {
			tries = 0;
			continue;
		}
		/* poll says "ready" each time and nothing moves: a filter answers for the calls. */
		if (++tries == SYS_TRIES_MOST)
			return;
		p[0] = (struct pollfd){CALLER,
		                       (short)((up.n ? 0 : POLLIN) | (down.n ? POLLOUT : 0)), 0};
		p[1] = (struct pollfd){fd, (short)(want ? want : POLLIN), 0};
		/* While the caller's buffer is full, nothing is read from the server. */
		if (down.n)
			p[1].events = (short)(up.n ? POLLOUT : 0);
		int ready = poll(p, 2, IDLE_S * 1000);
		if (ready == 0 || (ready < 0 && errno != EINTR))
			return;
		/* A caller that has closed its end waits for nothing. */
		if (p[0].revents & (POLLERR | POLLHUP | POLLNVAL) || p[1].revents & POLLNVAL)
			return;
	}
}

int main(int argc, char **argv)
{
	struct fault fault = {0, ""};
	unsigned failed = 0;
	enum wire_status s;
	int64_t deadline;
	SSL_CTX *ctx;
	SSL *ssl;
	int fd;

	if (argc != TUNNEL_ARGC) {
		fputs("reprise-remote: libreprise.so starts this program for rediss://; do not "
		      "start it by hand\n", stderr);
		return 2;
	}
	deadline = strtoll(argv[TUNNEL_DEADLINE], NULL, 10);
	/* Before the connection: if TLS cannot work, do not connect. */
	ctx = make_context(argv);
	s = dial_tcp(&fd, argv[TUNNEL_HOST], (unsigned)strtoul(argv[TUNNEL_PORT], NULL, 10),
	             *argv[TUNNEL_RUNTIME] ? argv[TUNNEL_RUNTIME] : NULL, deadline, &failed,
	             &fault);
	if (s != WIRE_OK)
		end(tunnel_status_word(s), fault.text, NULL);
	ssl = make_session(ctx, fd, argv[TUNNEL_NAME]);
	handshake(ssl, fd, deadline);
	if (send(CALLER, "ok\n", 3, MSG_NOSIGNAL) == 3)
		copy(ssl, fd);
	tls.SSL_shutdown(ssl);
	_exit(0);
}
