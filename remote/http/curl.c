/* remote/http/curl.c - loads libcurl and its functions. */
#include "remote/http/curl.h"

#include <dlfcn.h>

struct curl curl;

const char *curl_load(void)
{
	static const char *const libraries[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
	void *handle = NULL;

	if (curl.curl_slist_free_all)
		return NULL;
	for (unsigned i = 0; !handle && i < sizeof libraries / sizeof *libraries; i++)
		handle = dlopen(libraries[i], RTLD_NOW);
	if (!handle)
		return "libcurl is not installed: neither libcurl.so.4 nor libcurl-gnutls.so.4 "
		       "can be loaded";
#define X(name)                                                                                    \
	curl.name = (__typeof__(name) *)dlsym(handle, #name);                                      \
	if (!curl.name)                                                                            \
		return "libcurl has no function " #name;
	CURL_FUNCTIONS(X)
#undef X
	return curl.curl_global_init(CURL_GLOBAL_DEFAULT) ? "libcurl cannot be initialized" : NULL;
}
