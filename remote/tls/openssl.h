/* remote/tls/openssl.h - OpenSSL, loaded when a connection is needed.
 *
 * It is not linked, so one program serves systems with OpenSSL 3 and with 1.1, and can say which
 * library is missing. Only functions that both versions have in the same form are used. The headers
 * provide the types: each name below is a pointer in `tls` to the function of that name. Only for
 * programs that are never a host. TOOL. */
#ifndef REMOTE_TLS_OPENSSL_H
#define REMOTE_TLS_OPENSSL_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

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
struct openssl {
	int version; /* 3, or 1 for 1.1 */
	OPENSSL_FUNCTIONS(X)
};
#undef X
extern struct openssl tls;

/* Functions that macros of the headers call. */
#define SSL_CTX_ctrl tls.SSL_CTX_ctrl
#define SSL_ctrl tls.SSL_ctrl

/* Fills tls. NULL, or what is missing. */
const char *openssl_load(void);

#endif
