/* remote/http/curl.h - libcurl, loaded when a remote store needs it.
 *
 * It is not linked, so the program starts where libcurl is missing and can say so. The headers
 * provide the types: each name below is a pointer in `curl` to the function of that name. Only
 * functions and options of libcurl 7.58 are needed; newer options may fail. Only for programs that
 * are never a host. TOOL. */
#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define CURL_FUNCTIONS(X)                                                                          \
	X(curl_global_init) X(curl_easy_init) X(curl_easy_setopt) X(curl_easy_getinfo)             \
	X(curl_easy_reset) X(curl_easy_strerror) X(curl_easy_cleanup) X(curl_multi_init)           \
	X(curl_multi_add_handle) X(curl_multi_remove_handle) X(curl_multi_perform)                 \
	X(curl_multi_wait) X(curl_multi_info_read) X(curl_multi_setopt) X(curl_multi_cleanup)      \
	X(curl_slist_append) X(curl_slist_free_all)

#define X(name) __typeof__(name) *name;
struct curl {
	CURL_FUNCTIONS(X)
};
#undef X
extern struct curl curl;

/* Fills curl. NULL, or what is missing. */
const char *curl_load(void);
