/* remote/tls/openssl.c - loads OpenSSL and its functions. */
#include "remote/tls/openssl.h"

#include <dlfcn.h>

#undef SSL_CTX_ctrl
#undef SSL_ctrl

struct openssl tls;

const char *openssl_load(void)
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
