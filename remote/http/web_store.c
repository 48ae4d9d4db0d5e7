/* remote/http/web_store.c - the verbs of a remote store over HTTP. */
#include "remote/http/web_store.h"

#include <errno.h>
#include <string.h>

#include "remote/bundle.h"
#include "shim/format.h"
#include "store/entry/blob.h"

/* How often a writer of a list tries. The last time it replaces whatever is there: a server may
 * refuse every condition. */
#define TRIES 4
/* The longest code of S3's errors has 40 letters. */
#define CODE_MAX 48
/* <2 hex>/<kind>-<62 hex> and a NUL */
#define PATH_IN_STORE (DIGEST_HEX + 4)

static void path_in_store(char out[PATH_IN_STORE], const struct backend_name *name)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(&name->key, hex);
	memcpy(out, hex, 2);
	out[2] = '/';
	out[3] = name->kind;
	out[4] = '-';
	memcpy(out + 5, hex + 2, DIGEST_HEX - 1);
}

/* The text of <Code> in S3's error, which consists of letters; "": none. */
static void error_code(char out[CODE_MAX], const char *text)
{
	const char *at = strstr(text, "<Code>");
	size_t n = 0;

	for (at = at ? at + 6 : ""; ((at[n] | 0x20) >= 'a' && (at[n] | 0x20) <= 'z'); n++)
		if (n + 2 == CODE_MAX)
			break;
	memcpy(out, at, n);
	out[n] = '\0';
}

static int is_word(const char *code, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(code, *words))
			return 1;
	return 0;
}

/* Says why the request got that status. code: S3's. */
static enum backend_status refused(struct web_store *o, const char *method,
                                   const struct http_reply *r, const char *code,
                                   struct fault *fault)
{
	/* S3 answers these with 400. */
	static const char *const expired[] = {"ExpiredToken", "InvalidToken",
	                                      "TokenRefreshRequired", NULL};
	static const char *const region[] = {"AuthorizationHeaderMalformed", "PermanentRedirect",
	                                     "IllegalLocationConstraintException", NULL};
	const char *gap = *code ? " " : "";
	int s = (int)r->status;

	if (is_word(code, region) || (*r->region && s / 100 == 3)) {
		fault_set(fault, 0, "%s: %s answers %d%s%s: wrong region; the bucket is in %s",
		          o->what, method, s, gap, code, *r->region ? r->region : "another one");
		return BACKEND_DENIED;
	}
	if (s / 100 == 3) {
		fault_set(fault, 0, "%s: %s answers %d, a redirect, which is not followed",
		          o->what, method, s);
		return BACKEND_SERVER;
	}
	if (!strcmp(code, "NoSuchBucket")) {
		fault_set(fault, 0, "%s: the bucket does not exist (%s)", o->what, code);
		return BACKEND_DENIED;
	}
	if (s == 401 || s == 403 || s == 407 || is_word(code, expired)) {
		o->refused = 1;
		fault_set(fault, 0, "%s: %s answers %d%s%s: wrong credentials, or not allowed",
		          o->what, method, s, gap, code);
		return BACKEND_DENIED;
	}
	if (s == 404 || s == 410) {
		fault_set(fault, 0, "%s: %s answers %d%s%s", o->what, method, s, gap, code);
		return BACKEND_ABSENT;
	}
	if (r->retry_after_s > 0)
		fault_set(fault, 0, "%s: %s answers %d%s%s: retry after %ld s", o->what, method, s,
		          gap, code, r->retry_after_s);
	else
		fault_set(fault, 0, "%s: %s answers %d%s%s", o->what, method, s, gap, code);
	return BACKEND_SERVER;
}

static enum backend_status authorize(struct backend *b, struct http_request *q, int64_t deadline,
                                     struct fault *fault)
{
	struct web_store *o = b->state;

	q->header_count = 0;
	return o->authorize ? o->authorize(o, q, b->arena, deadline, fault) : BACKEND_OK;
}

static void count(struct backend *b, unsigned requests)
{
	struct web_store *o = b->state;

	b->round_trips += requests;
	b->bytes_in = o->http.in;
	b->bytes_out = o->http.out;
}

/* One request with credentials. BACKEND_OK: any status. */
static enum backend_status request(struct backend *b, struct http_request *q,
                                   struct http_reply *reply, int64_t deadline,
                                   struct fault *fault)
{
	struct web_store *o = b->state;
	enum backend_status s = authorize(b, q, deadline, fault);

	o->http.stall_ns = b->stall_ns;
	if (s == BACKEND_OK)
		s = http_transfer(&o->http, q, reply, b->arena, deadline, fault);
	count(b, 1);
	return s;
}

/* What a reply says of an object; success is a status of 2xx. */
static enum backend_status answer(struct backend *b, const struct http_request *q,
                                  const struct http_reply *reply, struct fault *fault)
{
	char code[CODE_MAX];

	if (reply->status / 100 == 2)
		return BACKEND_OK;
	error_code(code, reply->text);
	return refused(b->state, q->method, reply, code, fault);
}

static enum backend_status ask(struct backend *b, struct http_request *q, struct http_reply *reply,
                               int64_t deadline, struct fault *fault)
{
	enum backend_status s = request(b, q, reply, deadline, fault);

	return s == BACKEND_OK ? answer(b, q, reply, fault) : s;
}

static const char *url_of(struct backend *b, const struct backend_name *name, struct fault *fault)
{
	char path[PATH_IN_STORE];
	const char *url;

	path_in_store(path, name);
	url = arena_cat(b->arena, ((struct web_store *)b->state)->base, "/", path, NULL);
	if (!url)
		fault_set(fault, ENOMEM, "no memory for a URL");
	return url;
}

/* Makes the collection whose URL is the first n bytes of url, with a slash at its end. Returns the
 * server's status: 201, and 405 where it is there; 0: no answer. */
static long make_collection(struct backend *b, const char *url, size_t n, int64_t deadline)
{
	struct http_request q = {.method = "MKCOL", .url = arena_memdup(b->arena, url, n)};
	struct http_reply reply = {0};
	struct fault fault;

	if (!q.url || request(b, &q, &reply, deadline, &fault) != BACKEND_OK)
		return 0;
	return reply.status;
}

/* Makes the collections of an object: its own one, and those of the URL where they are missing.
 * 1: they are there. */
static int make_collections(struct backend *b, const char *url, int64_t deadline)
{
	const char *end = strrchr(url, '/') + 1, *at = strchr(strstr(url, "://") + 3, '/');
	long status = make_collection(b, url, (size_t)(end - url), deadline);

	if (status == 409 || status == 404)
		while (status && (at = strchr(at + 1, '/')) && at < end)
			status = make_collection(b, url, (size_t)(at + 1 - url), deadline);
	return status == 201 || status == 405;
}

/* What servers answer to a PUT below a collection that is missing; nginx says 500. */
static int lacks_collection(long status)
{
	return status == 409 || status == 404 || status == 500;
}

/* Puts an object. condition: a header, or NULL. */
static enum backend_status put(struct backend *b, const char *url, struct backend_bytes head,
                               const struct source *stored, const char *condition,
                               long *status,
                               int64_t deadline, struct fault *fault)
{
	struct web_store *o = b->state;
	struct http_request q = {
		.method = "PUT", .url = url, .head = head, .rest = *stored,
		.condition = condition};
	struct http_reply reply;
	enum backend_status s = ask(b, &q, &reply, deadline, fault);

	if (o->collections && s != BACKEND_OK && lacks_collection(reply.status) &&
	    make_collections(b, url, deadline))
		s = ask(b, &q, &reply, deadline, fault);
	*status = reply.status;
	/* Nothing to put it into is no absence. */
	return s == BACKEND_ABSENT ? BACKEND_SERVER : s;
}

static enum backend_status get(struct backend *b, const char *url,
                               const struct backend_limit *limit, struct http_reply *reply,
                               int64_t deadline, struct fault *fault)
{
	struct http_request q = {.method = "GET", .url = url, .limit = limit};
	enum backend_status s = ask(b, &q, reply, deadline, fault);

	if (s != BACKEND_OK || reply->status == 200)
		return s;
	fault_set(fault, 0, "%s: GET answers %d, which is no object",
	          ((struct web_store *)b->state)->what, (int)reply->status);
	return BACKEND_GARBAGE;
}

static const struct backend_limit list_limit = {.most = BUNDLE_MOST};

static enum backend_status get_list(struct backend *b, const char *url, struct backend_list *out,
                                    struct http_reply *reply, int64_t deadline,
                                    struct fault *fault)
{
	enum backend_status s = get(b, url, &list_limit, reply, deadline, fault);

	memset(out, 0, sizeof *out);
	if (s != BACKEND_OK)
		return s;
	if (bundle_read(out, reply->body.data, reply->body.len) == 0)
		return out->count ? BACKEND_OK : BACKEND_ABSENT;
	fault_set(fault, 0, "the list is damaged, or of another version");
	return BACKEND_FOREIGN;
}

enum backend_status web_candidates(struct backend *b, const struct backend_name *name,
                                   unsigned from, unsigned max, struct backend_list *out,
                                   int64_t deadline, struct fault *fault)
{
	const char *url = url_of(b, name, fault);
	struct http_reply reply;
	enum backend_status s;

	if (!url)
		return BACKEND_FAULT;
	s = get_list(b, url, out, &reply, deadline, fault);
	if (s == BACKEND_OK)
		bundle_slice(out, from, max);
	return s;
}

enum backend_status web_get(struct backend *b, const struct backend_name *name,
                            const struct backend_limit *limit, struct backend_bytes *out,
                            int64_t deadline, struct fault *fault)
{
	const char *url = url_of(b, name, fault);
	struct http_reply reply;
	enum backend_status s;

	if (!url)
		return BACKEND_FAULT;
	s = get(b, url, limit, &reply, deadline, fault);
	*out = reply.body;
	return s;
}

/* --- many reads at once --- */

_Static_assert(BACKEND_READS <= HTTP_AT_ONCE, "all are asked for at once");

/* The length of an object in one part. Another one is got by itself. */
static uint64_t accept_one_part(void *ctx, const void *first, size_t n)
{
	struct blob_head h;

	return blob_parts(&h, first, n) == 0 && h.parts == 1 ? BLOB_HEAD + h.stored : 0;
}
static const struct backend_limit one_part = {.accept = accept_one_part,
                                              .most = BLOB_HEAD + BLOB_PART};

/* A request that stands beside others: the next one gets other headers in the same place. */
static enum backend_status prepare(struct backend *b, struct http_request *q,
                                   const struct backend_read *v, int64_t deadline,
                                   struct fault *fault)
{
	enum backend_status s;

	*q = (struct http_request){.method = "GET", .url = url_of(b, &v->name, fault),
	                           .limit = v->max ? &list_limit : &one_part};
	s = q->url ? authorize(b, q, deadline, fault) : BACKEND_FAULT;
	for (unsigned i = 0; s == BACKEND_OK && i < q->header_count; i++)
		if (!(q->headers[i] = arena_strdup(b->arena, q->headers[i]))) {
			fault_set(fault, ENOMEM, "no memory for a request");
			s = BACKEND_FAULT;
		}
	return s;
}

/* What is neither there nor absent stays unknown. */
static void take_read(struct backend_read *v, enum backend_status s, const struct http_reply *r)
{
	if (s == BACKEND_ABSENT)
		v->status = BACKEND_ABSENT;
	if (s != BACKEND_OK || r->status != 200)
		return;
	if (!v->max) {
		v->bytes = r->body;
		v->status = BACKEND_OK;
	} else if (bundle_read(&v->list, r->body.data, r->body.len) == 0) {
		bundle_slice(&v->list, 0, v->max);
		v->status = v->list.count ? BACKEND_OK : BACKEND_ABSENT;
	}
}

enum backend_status web_read(struct backend *b, struct backend_read v[], unsigned n,
                             int64_t deadline, struct fault *fault)
{
	struct web_store *o = b->state;
	struct http_request *q = arena_alloc(b->arena, n * sizeof *q);
	struct http_reply *reply = arena_alloc(b->arena, n * sizeof *reply);
	enum backend_status s = q && reply ? BACKEND_OK : BACKEND_FAULT, one;
	int answers = 0;

	for (unsigned i = 0; i < n; i++)
		v[i].status = BACKEND_FAULT;
	if (s != BACKEND_OK)
		fault_set(fault, ENOMEM, "no memory for requests");
	for (unsigned i = 0; i < n && s == BACKEND_OK; i++)
		s = prepare(b, &q[i], &v[i], deadline, fault);
	if (s != BACKEND_OK)
		return s;
	o->http.stall_ns = b->stall_ns;
	http_transfers(&o->http, q, reply, n, b->arena, deadline);
	count(b, n);
	for (unsigned i = 0; i < n; i++) {
		one = reply[i].answered;
		if (one == BACKEND_OK)
			one = answer(b, &q[i], &reply[i], &reply[i].fault);
		take_read(&v[i], one, &reply[i]);
		answers |= one == BACKEND_OK || one == BACKEND_ABSENT;
		if (one != BACKEND_OK && one != BACKEND_ABSENT) {
			s = one;
			*fault = reply[i].fault;
		}
	}
	return answers ? BACKEND_OK : s;
}

enum backend_status web_put(struct backend *b, const struct backend_name *name,
                            struct backend_bytes head, const struct source *stored,
                            unsigned ttl_s, int64_t deadline, struct fault *fault)
{
	const char *url = url_of(b, name, fault);
	long status;

	return url ? put(b, url, head, stored, NULL, &status, deadline, fault) : BACKEND_FAULT;
}

/* The header with which a server refuses to replace another list than the one that was read. */
static const char *condition_of(struct web_store *o, enum backend_status s,
                                const struct http_reply *list, struct arena *a)
{
	if (o->unconditional)
		return NULL;
	if (s == BACKEND_ABSENT)
		return "If-None-Match: *";
	return *list->etag ? arena_cat(a, "If-Match: ", list->etag, NULL) : NULL;
}

enum backend_status web_add(struct backend *b, const struct backend_name *name,
                            struct backend_bytes blob, int drop, unsigned ttl_s,
                            int64_t deadline, struct fault *fault)
{
	struct web_store *o = b->state;
	const char *url = url_of(b, name, fault), *condition;
	const struct source none = {NULL};
	struct http_reply reply;
	struct backend_list list;
	enum backend_status s;
	long status;

	for (int i = 0; url && i < TRIES; i++) {
		struct backend_bytes made;

		s = get_list(b, url, &list, &reply, deadline, fault);
		/* What is no list is replaced. */
		if (s != BACKEND_OK && s != BACKEND_ABSENT && s != BACKEND_FOREIGN &&
		    s != BACKEND_GARBAGE)
			return s;
		made.data = bundle_add(&list, blob, drop, &made.len, b->arena);
		if (!made.data) {
			fault_set(fault, 0, "the candidate is too large for a list");
			return BACKEND_FAULT;
		}
		condition = i + 1 < TRIES ? condition_of(o, s, &reply, b->arena) : NULL;
		s = put(b, url, made, &none, condition, &status, deadline, fault);
		if (s == BACKEND_OK || !condition)
			return s;
		/* 409: S3 says so of two writers at once. */
		if (status == 400 || status == 405 || status == 501)
			o->unconditional = 1;
		else if (status != 412 && status != 409)
			return s;
	}
	return BACKEND_FAULT;
}

int web_has(struct backend *b, const struct backend_name *name, int64_t deadline,
            struct fault *fault)
{
	struct http_request q = {.method = "HEAD", .url = url_of(b, name, fault)};
	struct http_reply reply;
	enum backend_status s;

	if (!q.url)
		return -1;
	s = ask(b, &q, &reply, deadline, fault);
	return s == BACKEND_OK ? 1 : s == BACKEND_ABSENT ? 0 : -1;
}

enum backend_status web_remove(struct backend *b, const struct backend_name *name,
                               int64_t deadline, struct fault *fault)
{
	struct http_request q = {.method = "DELETE", .url = url_of(b, name, fault)};
	struct http_reply reply;

	return q.url ? ask(b, &q, &reply, deadline, fault) : BACKEND_FAULT;
}

enum backend_status web_ping(struct backend *b, int64_t deadline, struct fault *fault)
{
	/* No object has this name. With GET a refusal says why. */
	const struct backend_name name = {.kind = 'p'};
	struct http_request q = {.method = "GET", .url = url_of(b, &name, fault)};
	struct http_reply reply;
	enum backend_status s;

	if (!q.url)
		return BACKEND_FAULT;
	s = ask(b, &q, &reply, deadline, fault);
	return s == BACKEND_ABSENT ? BACKEND_OK : s;
}

void web_close(struct backend *b)
{
	struct web_store *o = b->state;

	http_close(&o->http);
	if (o->forget)
		o->forget(o);
}
