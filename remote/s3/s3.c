/* remote/s3/s3.c - the backend s3: where the bucket is, and signed requests. */
#include "remote/s3/s3.h"

#include <errno.h>
#include <string.h>

#include "remote/http/http.h"
#include "remote/http/web_store.h"
#include "remote/remote_place.h"
#include "remote/s3/credentials.h"
#include "remote/s3/sigv4.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"

#define HEADER_MAX 1024
#define TOKEN_HEADER "x-amz-security-token: "

struct s3 {
	struct web_store web; /* first: b->state */
	struct credentials credentials;
	const char *region;
	char authorization[HEADER_MAX];
	char token[sizeof TOKEN_HEADER + sizeof((struct credentials *)0)->token];
};

/* <endpoint>/<bucket>, percent-encoded, or NULL: no memory, or the endpoint is no URL. */
static const char *endpoint_base(const char *endpoint, const char *bucket, struct arena *a)
{
	char *base = arena_strdup(a, endpoint);
	size_t n = base ? strlen(base) : 0;
	int tls = base && !strncmp(base, "https://", 8);

	if (!base || (!tls && strncmp(base, "http://", 7) != 0) || strpbrk(base, "@?# "))
		return NULL;
	while (n && base[n - 1] == '/')
		base[--n] = '\0';
	/* The header Host, which is signed, leaves out such a port. */
	if (path_ends(base, tls ? ":443" : ":80"))
		*strrchr(base, ':') = '\0';
	return strchr(base + 7 + tls, '/') || base[7 + tls]
	       ? arena_cat(a, base, "/", http_encode(bucket, a), NULL)
	       : NULL;
}

/* The base of AWS's own endpoints. A bucket with a dot does not fit AWS's certificates. */
static const char *aws_base(const char *region, const char *bucket, struct arena *a)
{
	const char *domain = !strncmp(region, "cn-", 3) ? ".amazonaws.com.cn" : ".amazonaws.com";

	return strchr(bucket, '.')
	       ? arena_cat(a, "https://s3.", region, domain, "/", bucket, NULL)
	       : arena_cat(a, "https://", bucket, ".s3.", region, domain, NULL);
}

/* Letters, digits and the characters of names. */
static int is_name(const char *text, const char *others)
{
	const char *p = text;

	while ((*p >= '0' && *p <= '9') || ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') ||
	       (*p && strchr(others, *p)))
		p++;
	return !*p && p > text && p - text < 64;
}

static enum backend_status authorize(struct web_store *o, struct http_request *q, struct arena *a,
                                     int64_t deadline, struct fault *fault)
{
	struct s3 *s = (struct s3 *)o;
	struct credentials *c = &s->credentials;
	const char *host = strstr(q->url, "://") + 3, *path = strchr(host, '/');
	struct sigv4 sign = {.method = q->method, .path = path, .region = s->region};
	enum backend_status status =
		credentials_renew(c, o->refused, &o->http, a, deadline, fault);

	if (status != BACKEND_OK)
		return status;
	o->refused = 0;
	sign.host = arena_memdup(a, host, (size_t)(path - host));
	sign.id = c->id;
	sign.secret = c->secret;
	sign.token = *c->token ? c->token : NULL;
	sigv4_set_date(&sign, sys_now_ns(CLOCK_REALTIME) / 1000000000);
	if (!sign.host ||
	    sigv4_set_payload(&sign, q->head.data, q->head.len, &q->rest) < 0 ||
	    sigv4_header(&sign, s->authorization, sizeof s->authorization) < 0) {
		fault_set(fault, 0, "S3: a request cannot be signed");
		return BACKEND_FAULT;
	}
	http_header(q, s->authorization);
	if (http_header(q, arena_cat(a, "Host: ", sign.host, NULL)) < 0 ||
	    http_header(q, arena_cat(a, "x-amz-date: ", sign.date, NULL)) < 0 ||
	    http_header(q, arena_cat(a, "x-amz-content-sha256: ", sign.payload, NULL)) < 0) {
		fault_set(fault, ENOMEM, "no memory for a request");
		return BACKEND_FAULT;
	}
	if (sign.token) {
		memcpy(s->token, TOKEN_HEADER, sizeof TOKEN_HEADER);
		strcpy(s->token + sizeof TOKEN_HEADER - 1, c->token);
		http_header(q, s->token);
	}
	return BACKEND_OK;
}

static void forget(struct web_store *o)
{
	struct s3 *s = (struct s3 *)o;

	explicit_bzero(&s->credentials, sizeof s->credentials);
	explicit_bzero(s->token, sizeof s->token);
}

static int open_store(struct backend *b, const struct remote_place *place, struct arena *a,
                      struct fault *fault)
{
	struct s3 *s = arena_alloc(a, sizeof *s);
	char *const *envp = place->envp;
	const char *ca = env_get(envp, "AWS_CA_BUNDLE"), *path = http_encode(place->path, a), *base;
	char *whole;
	size_t n;

	if (!s || !path)
		return fault_set(fault, ENOMEM, "no memory for a remote store");
	s->region = place->region ? place->region : "us-east-1";
	if (!is_name(place->host, ".-_") || !is_name(s->region, "-"))
		return fault_set(fault, 0, "S3: the bucket or the region is no name");
	base = place->endpoint ? endpoint_base(place->endpoint, place->host, a)
	                       : aws_base(s->region, place->host, a);
	if (!base)
		return fault_set(fault, 0, "S3: the endpoint is not http(s)://HOST[:PORT]");
	whole = arena_cat(a, base, path, NULL);
	for (n = whole ? strlen(whole) : 0; n && whole[n - 1] == '/'; n--)
		whole[n - 1] = '\0';
	if (!whole)
		return fault_set(fault, ENOMEM, "no memory for a remote store");
	s->web.base = whole;
	s->web.what = "S3";
	s->web.authorize = authorize;
	s->web.forget = forget;
	s->web.http.ca = ca && *ca ? ca : http_ca(envp);
	b->state = s;
	if (credentials_open(&s->credentials, place->user, envp, a, fault) < 0)
		return -1;
	return http_open(&s->web.http, fault);
}

const struct backend_ops backend_s3 = {.schemes = "s3", .open = open_store, WEB_STORE_OPS};
