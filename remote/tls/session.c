/* remote/tls/session.c - TLS over a connected socket. */
#include "remote/tls/session.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "remote/wire/dial.h"
#include "shim/kernel/sys.h"

/* --- OpenSSL's functions ---
 *
 * OpenSSL is not linked, so one program serves systems with OpenSSL 3 and with 1.1, and can say
 * which library is missing. Only functions that both versions have in the same form are used. The
 * headers provide the types: each name is a pointer in `tls` to the function of that name. */

#define OPENSSL_FUNCTIONS(X)                                                                       \
	X(BIO_free) X(BIO_new) X(BIO_read) X(BIO_s_mem) X(BIO_write) X(ERR_clear_error)            \
	X(ERR_peek_last_error) X(ERR_reason_error_string) X(SSL_CTX_check_private_key)             \
	X(SSL_CTX_ctrl) X(SSL_CTX_free) X(SSL_CTX_load_verify_locations) X(SSL_CTX_new)            \
	X(SSL_CTX_set_default_passwd_cb) X(SSL_CTX_set_default_verify_paths)                       \
	X(SSL_CTX_set_options)                                                                     \
	X(SSL_CTX_set_verify) X(SSL_CTX_use_PrivateKey_file)                                       \
	X(SSL_CTX_use_certificate_chain_file) X(SSL_connect) X(SSL_ctrl) X(SSL_free)               \
	X(SSL_get0_param) X(SSL_get_error) X(SSL_get_verify_result) X(SSL_new)                     \
	X(SSL_read) X(SSL_set1_host) X(SSL_set_bio) X(SSL_set_hostflags)                           \
	X(SSL_shutdown) X(SSL_write) X(TLS_client_method)                                          \
	X(X509_VERIFY_PARAM_set1_ip_asc) X(X509_verify_cert_error_string)

#define X(name) __typeof__(name) *name;
static struct {
	int version; /* 3, or 1 for 1.1 */
	OPENSSL_FUNCTIONS(X)
} tls;
#undef X

/* Fills tls. NULL, or what is missing. */
static const char *openssl_load(void)
{
	static const struct {
		const char *name;
		int version;
	} libraries[] = {{"libssl.so.3", 3}, {"libssl.so.1.1", 1}};
	void *handle = NULL;

	if (tls.X509_verify_cert_error_string)
		return NULL;
	for (unsigned i = 0; !handle && i < sizeof libraries / sizeof *libraries; i++) {
		handle = dlopen(libraries[i].name, RTLD_NOW);
		tls.version = libraries[i].version;
	}
	if (!handle)
		return "OpenSSL is not installed: neither libssl.so.3 nor libssl.so.1.1 can be "
		       "loaded";
	/* dlsym also finds the functions of libcrypto, on which libssl depends. */
#define X(name)                                                                                    \
	tls.name = (__typeof__(name) *)dlsym(handle, #name);                                       \
	if (!tls.name)                                                                             \
		return "OpenSSL has no function " #name;
	OPENSSL_FUNCTIONS(X)
#undef X
	return NULL;
}

/* Functions that macros of the headers call. */
#define SSL_CTX_ctrl tls.SSL_CTX_ctrl
#define SSL_ctrl tls.SSL_ctrl

/* Several records, of 16 KiB at most each. */
#define BYTES 65536
/* SSL_OP_IGNORE_UNEXPECTED_EOF, which headers of OpenSSL 1.1 do not have. */
#define IGNORE_UNEXPECTED_EOF 0x80

#define CLOSED "the server closed the connection"

struct session {
	SSL_CTX *ctx;
	SSL *ssl;
	BIO *in, *out;  /* what came, and what is to be sent; they belong to ssl */
	int fd;
	int has_more;   /* the last receive may have left bytes */
	int has_received;
	const char *refused; /* session_refused() */
	size_t at, n;   /* of `waits`: what the socket has not taken */
	char waits[BYTES];
};

const char *session_load(void)
{
	return openssl_load();
}

static const char *reason(void)
{
	unsigned long e = tls.ERR_peek_last_error();
	const char *text = e ? tls.ERR_reason_error_string(e) : NULL;

	return text ? text : "no reason given";
}

static enum wire_status refuse(enum wire_status s, struct fault *fault, const char *what,
                               const char *why)
{
	fault_set(fault, s == WIRE_FAULT ? ENOMEM : EPROTO, "%s: %s", what, why);
	return s;
}

static int load_ca(SSL_CTX *ctx, const char *ca)
{
	struct stat st;
	int directory = stat(ca, &st) == 0 && S_ISDIR(st.st_mode);

	if (!*ca)
		return tls.SSL_CTX_set_default_verify_paths(ctx);
	return tls.SSL_CTX_load_verify_locations(ctx, directory ? NULL : ca,
	                                         directory ? ca : NULL);
}

/* OpenSSL would ask a terminal for the password of an encrypted key, or read it from the job's
 * standard input. */
static int no_password(char *text, int size, int writes, void *ctx)
{
	(void)text, (void)size, (void)writes, (void)ctx;
	return -1;
}

static enum wire_status set_up(struct session *s, const struct redis_config *c, struct fault *fault)
{
	SSL_CTX *ctx = s->ctx = tls.SSL_CTX_new(tls.TLS_client_method());

	if (!ctx || !SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION))
		return refuse(WIRE_FAULT, fault, "TLS cannot be set up", reason());
	tls.SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
	tls.SSL_CTX_set_default_passwd_cb(ctx, no_password);
	tls.SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION);
	/* Redis 7 closes without a close_notify, which OpenSSL 1.1 ignores. */
	if (tls.version >= 3)
		tls.SSL_CTX_set_options(ctx, IGNORE_UNEXPECTED_EOF);
	if (!load_ca(ctx, c->tls_ca))
		return refuse(WIRE_DENIED, fault, "TLS: certificates cannot be loaded",
		              *c->tls_ca ? c->tls_ca : "the system's");
	if (*c->tls_cert &&
	    (tls.SSL_CTX_use_certificate_chain_file(ctx, c->tls_cert) != 1 ||
	     tls.SSL_CTX_use_PrivateKey_file(ctx, c->tls_key, SSL_FILETYPE_PEM) != 1 ||
	     tls.SSL_CTX_check_private_key(ctx) != 1))
		return refuse(WIRE_DENIED, fault, "TLS: client certificate or key", reason());
	return WIRE_OK;
}

enum wire_status session_begin(struct session **out, const struct redis_config *c,
                               struct fault *fault)
{
	const char *missing = openssl_load();
	struct session *s;
	enum wire_status status;

	*out = NULL;
	if (missing)
		return refuse(WIRE_DENIED, fault, "TLS", missing);
	s = calloc(1, sizeof *s);
	if (!s)
		return refuse(WIRE_FAULT, fault, "TLS cannot be set up", "no memory");
	tls.ERR_clear_error();
	status = set_up(s, c, fault);
	if (status == WIRE_OK)
		*out = s;
	else
		session_end(s, 1);
	return status;
}

/* The certificate must be for that name or address. A name is sent to the server, which may have
 * several. */
static enum wire_status expect(struct session *s, const char *name, struct fault *fault)
{
	unsigned char address[sizeof(struct in6_addr)];
	int ok, numeric = inet_pton(AF_INET, name, address) == 1 ||
	                  inet_pton(AF_INET6, name, address) == 1;

	s->ssl = tls.SSL_new(s->ctx);
	s->in = tls.BIO_new(tls.BIO_s_mem());
	s->out = tls.BIO_new(tls.BIO_s_mem());
	if (!s->ssl || !s->in || !s->out)
		return refuse(WIRE_FAULT, fault, "TLS cannot be set up", reason());
	tls.SSL_set_bio(s->ssl, s->in, s->out);
	if (numeric) {
		ok = tls.X509_VERIFY_PARAM_set1_ip_asc(tls.SSL_get0_param(s->ssl), name);
	} else {
		tls.SSL_set_hostflags(s->ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
		ok = tls.SSL_set1_host(s->ssl, name) && SSL_set_tlsext_host_name(s->ssl, name);
	}
	return ok ? WIRE_OK : refuse(WIRE_DENIED, fault, "TLS: the server's name cannot be checked",
	                             name);
}

/* Sends what OpenSSL has made. 0, or -errno; -EAGAIN: the socket is full. */
static int flush(struct session *s)
{
	for (;;) {
		ssize_t n;

		if (s->at == s->n) {
			int made = tls.BIO_read(s->out, s->waits, sizeof s->waits);

			s->at = 0;
			s->n = made > 0 ? (size_t)made : 0;
			if (!s->n)
				return 0;
		}
		n = SYS6(SYS_sendto, s->fd, s->waits + s->at, s->n - s->at,
		         MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
		if (n < 0)
			return n == -EINTR ? -EAGAIN : (int)n;
		s->at += (size_t)n;
	}
}

/* Takes what the socket has. Bytes, 0 at the end, or -errno. */
static ssize_t take(struct session *s)
{
	char bytes[BYTES];
	ssize_t n = SYS6(SYS_recvfrom, s->fd, bytes, sizeof bytes, MSG_DONTWAIT, NULL, NULL);

	if (n > 0 && tls.BIO_write(s->in, bytes, (int)n) != (int)n)
		return -ENOMEM;
	return n;
}

static enum wire_status handshake_failed(struct session *s, struct fault *fault)
{
	long verified = tls.SSL_get_verify_result(s->ssl);

	if (verified != X509_V_OK)
		return refuse(WIRE_DENIED, fault, "TLS",
		              tls.X509_verify_cert_error_string(verified));
	if (tls.ERR_peek_last_error())
		return refuse(WIRE_DENIED, fault, "TLS", reason());
	return refuse(WIRE_REFUSED, fault, "TLS", CLOSED);
}

static enum wire_status shake_hands(struct session *s, int64_t deadline, struct fault *fault)
{
	for (;;) {
		enum wire_status status;
		int rc, error, sent;
		ssize_t n;

		tls.ERR_clear_error();
		rc = tls.SSL_connect(s->ssl);
		error = rc == 1 ? SSL_ERROR_NONE : tls.SSL_get_error(s->ssl, rc);
		sent = flush(s); /* also the word that ends it */
		if (rc == 1 && sent == 0)
			return WIRE_OK;
		if (rc != 1 && error != SSL_ERROR_WANT_READ)
			return handshake_failed(s, fault);
		if (sent < 0 && sent != -EAGAIN)
			return refuse(WIRE_REFUSED, fault, "TLS", CLOSED);
		status = dial_wait(s->fd, sent < 0 ? POLLOUT : POLLIN, deadline);
		if (status != WIRE_OK)
			return refuse(status, fault, "TLS", "no handshake in time");
		n = sent < 0 ? 1 : take(s);
		if (n == 0 || (n < 0 && n != -EAGAIN && n != -EINTR))
			return refuse(WIRE_REFUSED, fault, "TLS", CLOSED);
	}
}

enum wire_status session_connect(struct session *s, int fd, const struct redis_config *c,
                                 const char *host, int64_t deadline, struct fault *fault)
{
	enum wire_status status;

	s->fd = fd;
	status = expect(s, *c->tls_name ? c->tls_name : host, fault);
	return status == WIRE_OK ? shake_hands(s, deadline, fault) : status;
}

ssize_t session_send(struct session *s, const void *p, size_t n)
{
	int rc = flush(s);

	if (rc < 0)
		return rc;
	tls.ERR_clear_error();
	rc = tls.SSL_write(s->ssl, p, n < BYTES ? (int)n : BYTES);
	if (rc <= 0)
		return tls.SSL_get_error(s->ssl, rc) == SSL_ERROR_WANT_READ ? -EAGAIN : -EPIPE;
	ssize_t taken = rc;
	rc = flush(s);
	return rc < 0 && rc != -EAGAIN ? rc : taken;
}

ssize_t session_receive(struct session *s, void *p, size_t n)
{
	for (;;) {
		ssize_t got;
		int rc;

		tls.ERR_clear_error();
		rc = tls.SSL_read(s->ssl, p, n < BYTES ? (int)n : BYTES);
		s->has_more = rc > 0;
		s->has_received |= rc > 0;
		if (rc > 0)
			return rc;
		/* An answer of TLS itself, to a new key. */
		flush(s);
		switch (tls.SSL_get_error(s->ssl, rc)) {
		case SSL_ERROR_WANT_READ: break;
		case SSL_ERROR_ZERO_RETURN: return 0;
		default:
			if (!s->has_received && tls.ERR_peek_last_error())
				s->refused = reason();
			return -ECONNRESET;
		}
		got = take(s);
		if (got <= 0)
			return got;
	}
}

const char *session_refused(const struct session *s)
{
	return s->refused;
}

enum wire_status session_wait(struct session *s, short events, int64_t deadline)
{
	if (s->has_more)
		return WIRE_OK;
	enum wire_status status = dial_wait(s->fd, events, deadline);
	if (status == WIRE_OK && session_is_full(s))
		flush(s);
	return status;
}

int session_is_full(const struct session *s)
{
	return s->at != s->n;
}

void session_end(struct session *s, int quietly)
{
	if (!s)
		return;
	if (s->ssl && !quietly) {
		tls.SSL_shutdown(s->ssl);
		flush(s);
	}
	if (s->ssl) {
		tls.SSL_free(s->ssl);
	} else {
		tls.BIO_free(s->in);
		tls.BIO_free(s->out);
	}
	tls.SSL_CTX_free(s->ctx);
	free(s);
}
