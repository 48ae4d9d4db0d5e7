/* remote/http/http.h - http:// and https:// as a remote store: any server with GET and PUT, WebDAV
 * among them.
 *
 * Credentials: user and password of the URL; else the bearer token of REPRISE_REMOTE_TOKEN_FILE,
 * which is read again after a refusal; else ~/.netrc. CURL_CA_BUNDLE or SSL_CERT_FILE names
 * certificates that count instead of the system's. TOOL. */
#pragma once

#include "remote/backend.h"

extern const struct backend_ops backend_http;

/* The URL of place's host and path below `scheme`, percent-encoded and without a slash at its end;
 * host: with its port, in brackets where it is an IPv6 address. NULL: no memory. */
struct remote_place;
const char *http_base(const struct remote_place *place, struct arena *a);
/* The file of certificates that the environment names, or NULL. */
const char *http_ca(char *const envp[]);
