/* remote/http/http.c - the backend http: where it is, and its credentials. */
#include "remote/http/http.h"

#include <errno.h>
#include <string.h>

#include "remote/http/web_store.h"
#include "remote/http/secret_file.h"
#include "remote/remote_place.h"
#include "shim/format.h"

#define TOKEN_MAX 8192
#define BEARER "Authorization: Bearer "

struct http_store {
	struct web_store web; /* first: b->state */
	const char *token_file; /* NULL: none */
	char bearer[sizeof BEARER + TOKEN_MAX]; /* the header */
};

const char *http_base(const struct remote_place *place, struct arena *a)
{
	const char *path = http_encode(place->path, a);
	int v6 = strchr(place->host, ':') != NULL;
	char port[16] = "";
	char *base;
	size_t n;

	if (place->port)
		format_text(port, sizeof port, ":%u", place->port);
	base = path ? arena_cat(a, place->scheme, "://", v6 ? "[" : "", place->host, v6 ? "]" : "",
	                        port, path, NULL)
	            : NULL;
	n = base ? strlen(base) : 0;
	while (n && base[n - 1] == '/')
		base[--n] = '\0';
	return base;
}

const char *http_ca(char *const envp[])
{
	static const char *const names[] = {"CURL_CA_BUNDLE", "SSL_CERT_FILE"};
	const char *file = NULL;

	for (unsigned i = 0; i < sizeof names / sizeof *names && !(file && *file); i++)
		file = env_get(envp, names[i]);
	return file && *file ? file : NULL;
}

static int read_token(struct http_store *s, struct fault *fault)
{
	return secret_file_line(s->bearer + sizeof BEARER - 1, TOKEN_MAX, s->token_file, fault);
}

static enum backend_status authorize(struct web_store *o, struct http_request *q, struct arena *a,
                                     int64_t deadline, struct fault *fault)
{
	struct http_store *s = (struct http_store *)o;

	if (!s->token_file)
		return BACKEND_OK;
	if (o->refused && read_token(s, fault) < 0)
		return BACKEND_DENIED;
	o->refused = 0;
	http_header(q, s->bearer);
	return BACKEND_OK;
}

static void forget(struct web_store *o)
{
	struct http_store *s = (struct http_store *)o;

	explicit_bzero(s->bearer, sizeof s->bearer);
}

static int open_store(struct backend *b, const struct remote_place *place, struct arena *a,
                      struct fault *fault)
{
	struct http_store *s = arena_alloc(a, sizeof *s);
	const char *token = setting_text(place->set, SETTING_REMOTE_TOKEN_FILE);
	const char *home = env_get(place->envp, "HOME");

	if (!s || !(s->web.base = http_base(place, a)))
		return fault_set(fault, ENOMEM, "no memory for a remote store");
	s->web.what = "the server";
	s->web.collections = 1;
	s->web.authorize = authorize;
	s->web.forget = forget;
	s->web.http.ca = http_ca(place->envp);
	s->web.http.user = place->user;
	s->web.http.password = place->password;
	memcpy(s->bearer, BEARER, sizeof BEARER);
	if (!place->user && *token) {
		s->token_file = token;
		if (read_token(s, fault) < 0)
			return -1;
	} else if (!place->user && home && *home == '/') {
		s->web.http.netrc = arena_cat(a, home, "/.netrc", NULL);
	}
	b->state = s;
	return http_open(&s->web.http, fault);
}

const struct backend_ops backend_http = {
	.schemes = "http https", .open = open_store, WEB_STORE_OPS};
