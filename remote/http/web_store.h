/* remote/http/web_store.h - the verbs of remote/backend.h over HTTP: an object is a file below a
 * URL.
 *
 *   <base>/<2 hex>/<kind>-<62 hex>    the digits are those of the name's digest
 *
 * A list is one object (remote/bundle.h), which a writer reads and replaces. Where the server gives
 * an ETag and knows If-Match, it refuses a writer that another one overtook, and that writer reads
 * again. Otherwise the candidate of one of them is lost. Objects do not expire. TOOL. */
#pragma once

#include "remote/http/transfer.h"

struct web_store {
	struct http http;
	const char *base;  /* URL without a slash at its end, percent-encoded */
	const char *what;  /* for people: "the server", "S3" */
	int collections;   /* a directory is made (MKCOL) before its first object */
	int unconditional; /* the server refuses If-Match */
	/* The credentials were refused: authorize reads them again. */
	int refused;
	/* Adds headers to the request. BACKEND_OK, or why not, with *fault. NULL: none are
	 * needed. */
	enum backend_status (*authorize)(struct web_store *o, struct http_request *q,
	                                 struct arena *a, int64_t deadline, struct fault *fault);
	/* Wipes secrets; NULL: there are none. */
	void (*forget)(struct web_store *o);
};

/* The rows of struct backend_ops; b->state is a struct web_store. */
enum backend_status web_candidates(struct backend *b, const struct backend_name *name,
                                   unsigned from, unsigned max, struct backend_list *out,
                                   int64_t deadline, struct fault *fault);
enum backend_status web_get(struct backend *b, const struct backend_name *name,
                            const struct backend_limit *limit, struct backend_bytes *out,
                            int64_t deadline, struct fault *fault);
/* At once, over several connections. Objects in one part alone. */
enum backend_status web_read(struct backend *b, struct backend_read v[], unsigned n,
                             int64_t deadline, struct fault *fault);
enum backend_status web_put(struct backend *b, const struct backend_name *name,
                            struct backend_bytes head, const struct source *stored,
                            unsigned ttl_s, int64_t deadline, struct fault *fault);
enum backend_status web_add(struct backend *b, const struct backend_name *name,
                            struct backend_bytes blob, int drop, unsigned ttl_s,
                            int64_t deadline, struct fault *fault);
int web_has(struct backend *b, const struct backend_name *name, int64_t deadline,
            struct fault *fault);
enum backend_status web_remove(struct backend *b, const struct backend_name *name,
                               int64_t deadline, struct fault *fault);
enum backend_status web_ping(struct backend *b, int64_t deadline, struct fault *fault);
void web_close(struct backend *b);

#define WEB_STORE_OPS                                                                              \
	.candidates = web_candidates, .get = web_get, .read = web_read, .put = web_put,            \
	.add_candidate = web_add, .has = web_has, .remove = web_remove, .ping = web_ping,          \
	.close = web_close
