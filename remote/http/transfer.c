/* remote/http/transfer.c - HTTP requests: options of libcurl, and what its callbacks take. */
#include "remote/http/transfer.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "remote/http/curl.h"
#include "shim/buf.h"
#include "shim/kernel/sys.h"
#include "store/entry/blob.h"

/* A server may describe an error at length; the connection is worth reading that. */
#define ERROR_BODY_MAX (64u << 10)
/* How long a wait may be: libcurl has work to do at times without a byte. */
#define WAIT_NS 200000000ll
/* CURLOPT_QUICK_EXIT of 7.87: a name that cannot be resolved in time is not waited for. */
#define QUICK_EXIT ((CURLoption)(CURLOPTTYPE_LONG + 322))

/* What the callbacks of one request know. */
struct transfer {
	CURL *easy;
	const struct http_request *q;
	struct http_reply *reply;
	struct buf body;  /* of what is given away: the first bytes alone */
	uint64_t got;     /* of the object */
	uint64_t total;   /* of the object, once it is accepted; 0: unknown */
	uint64_t sent;    /* of the request's body */
	int64_t deadline;
	int64_t moved_ns; /* when the last byte came or went */
	size_t skipped;   /* of an error's body */
	const char *wrong; /* why the reply is no object */
	int stopped;      /* the reader refused the object */
	int lost;         /* the reader cannot take it any more */
	struct curl_slist *headers; /* NULL: it was not begun */
	CURLcode code;
	char text[CURL_ERROR_SIZE];
};

/* Copies the value of a header if it has that name. */
static void header_value(const char *line, size_t n, const char *name, char *out, size_t cap)
{
	size_t len = strlen(name);

	if (n <= len || strncasecmp(line, name, len) != 0)
		return;
	for (line += len, n -= len; n && (*line == ' ' || *line == '\t'); n--)
		line++;
	while (n && (unsigned char)line[n - 1] <= ' ')
		n--;
	n = n < cap ? n : 0;
	for (size_t i = 0; i < n; i++)
		if (line[i] < ' ' || line[i] == 0x7f)
			n = 0;
	memcpy(out, line, n);
	out[n] = '\0';
}

static size_t take_header(char *line, size_t size, size_t n, void *ctx)
{
	struct http_reply *r = ((struct transfer *)ctx)->reply;

	n *= size;
	((struct transfer *)ctx)->moved_ns = sys_now_ns(CLOCK_MONOTONIC);
	/* Interim replies have headers, too. */
	if (n > 5 && strncasecmp(line, "HTTP/", 5) == 0)
		*r->etag = *r->region = '\0';
	header_value(line, n, "ETag:", r->etag, sizeof r->etag);
	header_value(line, n, "x-amz-bucket-region:", r->region, sizeof r->region);
	if (strncmp(r->etag, "W/", 2) == 0)
		*r->etag = '\0';
	return n;
}

static int give_away(struct transfer *t, const void *p, size_t n)
{
	t->lost = backend_take(t->q->limit, p, n) != BACKEND_OK;
	return t->lost ? -1 : 0;
}

/* Asks the reader how long the object is. 0: go on; -1: read no more. */
static int accept_object(struct transfer *t, curl_off_t length)
{
	const struct backend_limit *limit = t->q->limit;
	const void *first = t->body.data ? t->body.data : (const void *)"";
	uint64_t total = limit->accept(limit->ctx, first, t->body.len);

	if (!total) {
		t->stopped = 1;
		return -1;
	}
	if (total > limit->most || total < t->body.len ||
	    (length >= 0 && (uint64_t)length != total)) {
		t->wrong = "the object does not have the length that its head says";
		return -1;
	}
	t->total = total;
	if (limit->rest_by)
		t->deadline = limit->rest_by;
	if (limit->take)
		return give_away(t, first, t->body.len);
	if (total > t->body.len && !buf_reserve(&t->body, total - t->body.len))
		return -1;
	return 0;
}

static size_t take_body(char *p, size_t size, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	const struct backend_limit *limit = t->q->limit;
	curl_off_t length = -1;
	size_t len = strlen(t->reply->text), room = sizeof t->reply->text - 1 - len;

	n *= size;
	t->moved_ns = sys_now_ns(CLOCK_MONOTONIC);
	curl.curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &t->reply->status);
	if (t->reply->status != 200 || !limit) {
		memcpy(t->reply->text + len, p, n < room ? n : room);
		t->skipped += n;
		return t->skipped <= ERROR_BODY_MAX ? n : 0;
	}
	curl.curl_easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	t->got += n;
	if ((length >= 0 && (uint64_t)length > limit->most) || t->got > limit->most)
		t->wrong = "the object is too large";
	else if (t->total && t->got > t->total)
		t->wrong = "the object is longer than its head says";
	if (t->wrong)
		return 0;
	if (t->total && limit->take)
		return give_away(t, p, n) < 0 ? 0 : n;
	buf_add(&t->body, p, n);
	if (t->body.failed)
		return 0;
	if (limit->accept && !t->total && t->body.len >= BLOB_HEAD && accept_object(t, length) < 0)
		return 0;
	return n;
}

static size_t give_body(char *p, size_t size, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	const struct http_request *q = t->q;
	uint64_t all = q->head.len + q->rest.len, at;
	size_t done = 0, some;
	const void *piece;
	int error;

	n *= size;
	n = n < all - t->sent ? n : (size_t)(all - t->sent);
	if (t->sent < q->head.len) {
		done = q->head.len - (size_t)t->sent < n ? q->head.len - (size_t)t->sent : n;
		memcpy(p, q->head.data + t->sent, done);
	}
	at = t->sent + done - q->head.len;
	some = n - done;
	piece = some ? source_piece(&q->rest, at, some, p + done, &error) : p + done;
	if (!piece)
		return CURL_READFUNC_ABORT;
	if (some && q->rest.data)
		memcpy(p + done, piece, some);
	t->sent += n;
	t->moved_ns = sys_now_ns(CLOCK_MONOTONIC);
	return n;
}

static int rewind_body(void *ctx, curl_off_t offset, int origin)
{
	struct transfer *t = ctx;

	if (origin != SEEK_SET || offset < 0 ||
	    (uint64_t)offset > t->q->head.len + t->q->rest.len)
		return CURL_SEEKFUNC_CANTSEEK;
	t->sent = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

static void set_method(CURL *e, struct transfer *t)
{
	const struct http_request *q = t->q;

	if (!strcmp(q->method, "HEAD")) {
		curl.curl_easy_setopt(e, CURLOPT_NOBODY, 1L);
	} else if (!strcmp(q->method, "PUT")) {
		curl.curl_easy_setopt(e, CURLOPT_UPLOAD, 1L);
		curl.curl_easy_setopt(e, CURLOPT_INFILESIZE_LARGE,
		                      (curl_off_t)(q->head.len + q->rest.len));
		curl.curl_easy_setopt(e, CURLOPT_READFUNCTION, give_body);
		curl.curl_easy_setopt(e, CURLOPT_READDATA, t);
		curl.curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, rewind_body);
		curl.curl_easy_setopt(e, CURLOPT_SEEKDATA, t);
	} else if (strcmp(q->method, "GET") != 0) {
		curl.curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, q->method);
	}
}

/* The request's and two of our own; NULL: no memory. */
static struct curl_slist *header_list(const struct http_request *q)
{
	/* Without "Expect:" libcurl waits a second for servers that do not know that header. */
	struct curl_slist *list = curl.curl_slist_append(NULL, "Expect:"), *more;
	unsigned count = q->header_count + (q->condition != NULL);

	for (unsigned i = 0; list && i < count; i++) {
		more = curl.curl_slist_append(
			list, i < q->header_count ? q->headers[i] : q->condition);
		if (!more)
			curl.curl_slist_free_all(list);
		list = more;
	}
	return list;
}

static void set_access(CURL *e, const struct http *h, const struct http_request *q)
{
	if (h->ca)
		curl.curl_easy_setopt(e, CURLOPT_CAINFO, h->ca);
	if (q->direct) {
		curl.curl_easy_setopt(e, CURLOPT_NOPROXY, "*");
		return;
	}
	if (h->user) {
		curl.curl_easy_setopt(e, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		curl.curl_easy_setopt(e, CURLOPT_USERNAME, h->user);
		if (h->password)
			curl.curl_easy_setopt(e, CURLOPT_PASSWORD, h->password);
	}
	if (h->netrc) {
		curl.curl_easy_setopt(e, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		curl.curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
		curl.curl_easy_setopt(e, CURLOPT_NETRC_FILE, h->netrc);
	}
}

static enum backend_status status_of(CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return BACKEND_OK;
	case CURLE_OPERATION_TIMEDOUT:
		return BACKEND_TIMEOUT;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
		return BACKEND_REFUSED;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_ISSUER_ERROR:
		return BACKEND_DENIED;
	case CURLE_FAILED_INIT:
	case CURLE_OUT_OF_MEMORY:
	case CURLE_URL_MALFORMAT:
		return BACKEND_FAULT;
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_UNSUPPORTED_PROTOCOL: /* or an odd status */
	case CURLE_WRITE_ERROR:
		return BACKEND_GARBAGE;
	default:
		return BACKEND_CLOSED;
	}
}

/* What the transfer came to, after libcurl ended with that code. */
static enum backend_status judge(struct transfer *t, CURLcode code, const char *text,
                                 struct fault *fault)
{
	struct http_reply *r = t->reply;
	const struct backend_limit *limit = t->q->limit;
	int object = limit && r->status == 200;

	if (code == CURLE_OK && object && limit->accept && !t->total)
		accept_object(t, -1);
	if (code == CURLE_OK && object && t->total && t->got != t->total)
		t->wrong = "the object is shorter than its head says";
	if (t->wrong) {
		fault_set(fault, 0, "%s", t->wrong);
		return BACKEND_GARBAGE;
	}
	if (t->body.failed || t->lost) {
		fault_set(fault, ENOMEM, "no memory for the object");
		return BACKEND_FAULT;
	}
	r->body = (struct backend_bytes){t->body.data, t->body.len};
	if (code == CURLE_OK || t->stopped || (t->skipped > ERROR_BODY_MAX && r->status))
		return BACKEND_OK;
	if (code == CURLE_OPERATION_TIMEDOUT)
		fault_set(fault, 0, r->status ? "timed out: %lu bytes came" : "timed out",
		          (unsigned long)t->got);
	else
		fault_set(fault, 0, "%s", *text ? text : curl.curl_easy_strerror(code));
	return status_of(code);
}

static void set_connection(CURL *e)
{
	curl.curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
	curl.curl_easy_setopt(e, CURLOPT_BUFFERSIZE, 262144L);
	/* Names with "..", which a URL may have, are not shortened: a signature covers the path. */
	curl.curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
	curl.curl_easy_setopt(e, QUICK_EXIT, 1L);
}

/* How long the transfers may wait for the next byte, in ms; 0: no longer. */
static int patience(const struct transfer t[], unsigned n, int64_t stall_ns)
{
	int64_t now = sys_now_ns(CLOCK_MONOTONIC), moved = t->moved_ns, left = t->deadline - now;

	for (unsigned i = 1; i < n; i++)
		moved = t[i].moved_ns > moved ? t[i].moved_ns : moved;
	if (stall_ns && moved + stall_ns - now < left)
		left = moved + stall_ns - now;
	if (left > WAIT_NS)
		left = WAIT_NS;
	return left <= 0 ? 0 : (int)((left + 999999) / 1000000);
}

/* libcurl's own deadline cannot change during a transfer, so this is not curl_easy_perform(). */
static void perform(struct http *h, struct transfer t[], unsigned n)
{
	CURLMcode multi = CURLM_OK;
	int running = 1, ready = 0, ms, left;

	while (multi == CURLM_OK && (ms = patience(t, n, h->stall_ns)) > 0) {
		multi = curl.curl_multi_perform(h->multi, &running);
		if (!running || multi != CURLM_OK)
			break;
		multi = curl.curl_multi_wait(h->multi, NULL, 0, ms, &ready);
		/* Before 7.66 it does not wait while a name is resolved. */
		if (!ready)
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	for (CURLMsg *m; (m = curl.curl_multi_info_read(h->multi, &left));)
		for (unsigned i = 0; i < n; i++)
			if (m->msg == CURLMSG_DONE && m->easy_handle == t[i].easy)
				t[i].code = m->data.result;
	for (unsigned i = 0; multi != CURLM_OK && i < n; i++)
		t[i].code = CURLE_FAILED_INIT;
}

int http_open(struct http *h, struct fault *fault)
{
	const char *missing = curl_load();

	h->owner = getpid();
	h->multi = missing ? NULL : curl.curl_multi_init();
	if (!h->multi)
		return fault_set(fault, 0, "%s", missing ? missing : "libcurl gives no handle");
	curl.curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, (long)HTTP_CONNECTIONS);
	curl.curl_multi_setopt(h->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)HTTP_CONNECTIONS);
	return 0;
}

/* Gives a request to libcurl. t->headers NULL: there is no memory. */
static void begin(struct http *h, struct transfer *t)
{
	CURL *e = t->easy;

	if (!e || !(t->headers = header_list(t->q)))
		return;
	set_connection(e);
	set_method(e, t);
	set_access(e, h, t->q);
	curl.curl_easy_setopt(e, CURLOPT_URL, t->q->url);
	curl.curl_easy_setopt(e, CURLOPT_HTTPHEADER, t->headers);
	curl.curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->text);
	curl.curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, take_header);
	curl.curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
	curl.curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body);
	curl.curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
	if (curl.curl_multi_add_handle(h->multi, e) != CURLM_OK)
		t->code = CURLE_FAILED_INIT;
}

static enum backend_status end(struct http *h, struct transfer *t, struct fault *fault)
{
	struct http_reply *reply = t->reply;
	long head = 0, request = 0;
	CURL *e = t->easy;

	if (!t->headers) {
		fault_set(fault, ENOMEM, "no memory for a request");
		return BACKEND_FAULT;
	}
	curl.curl_multi_remove_handle(h->multi, e);
	curl.curl_easy_getinfo(e, CURLINFO_RESPONSE_CODE, &reply->status);
	curl.curl_easy_getinfo(e, CURLINFO_HEADER_SIZE, &head);
	curl.curl_easy_getinfo(e, CURLINFO_REQUEST_SIZE, &request);
	curl.curl_easy_getinfo(e, CURLINFO_RETRY_AFTER, &reply->retry_after_s);
	h->in += (uint64_t)head + t->got + t->skipped;
	h->out += (uint64_t)request + t->sent;
	/* The handle must not keep pointers to this frame. */
	curl.curl_easy_reset(e);
	curl.curl_slist_free_all(t->headers);
	return judge(t, t->code, t->text, fault);
}

/* Runs n requests. t: room for as many. */
static void run(struct http *h, struct transfer t[], const struct http_request q[],
                struct http_reply reply[], unsigned n, struct arena *a, int64_t deadline)
{
	for (unsigned i = 0; i < n; i++) {
		if (!h->easy[i])
			h->easy[i] = curl.curl_easy_init();
		memset(&reply[i], 0, sizeof reply[i]);
		t[i] = (struct transfer){.easy = h->easy[i], .q = &q[i], .reply = &reply[i],
		                         .body = BUF_INIT(a), .deadline = deadline,
		                         .moved_ns = sys_now_ns(CLOCK_MONOTONIC),
		                         .code = CURLE_OPERATION_TIMEDOUT};
		begin(h, &t[i]);
	}
	perform(h, t, n);
}

enum backend_status http_transfer(struct http *h, const struct http_request *q,
                                  struct http_reply *reply, struct arena *a, int64_t deadline,
                                  struct fault *fault)
{
	struct transfer t;

	run(h, &t, q, reply, 1, a, deadline);
	return end(h, &t, fault);
}

void http_transfers(struct http *h, const struct http_request q[], struct http_reply reply[],
                    unsigned n, struct arena *a, int64_t deadline)
{
	struct transfer t[HTTP_AT_ONCE];

	run(h, t, q, reply, n, a, deadline);
	for (unsigned i = 0; i < n; i++)
		reply[i].answered = end(h, &t[i], &reply[i].fault);
}

void http_close(struct http *h)
{
	/* Closing says goodbye to the server: a child would end the parent's connections so. */
	if (h->owner == getpid()) {
		for (unsigned i = 0; i < HTTP_AT_ONCE; i++)
			if (h->easy[i])
				curl.curl_easy_cleanup(h->easy[i]);
		if (h->multi)
			curl.curl_multi_cleanup(h->multi);
	}
	memset(h->easy, 0, sizeof h->easy);
	h->multi = NULL;
}

int http_header(struct http_request *q, const char *text)
{
	if (!text || q->header_count == HTTP_HEADERS)
		return -1;
	q->headers[q->header_count++] = text;
	return 0;
}

char *http_encode(const char *text, struct arena *a)
{
	static const char hex[] = "0123456789ABCDEF";
	char *out = arena_alloc(a, 3 * strlen(text) + 1), *to = out;

	for (; out && *text; text++) {
		unsigned char c = (unsigned char)*text;

		if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
		    strchr("-._~/", c)) {
			*to++ = (char)c;
			continue;
		}
		*to++ = '%';
		*to++ = hex[c >> 4];
		*to++ = hex[c & 15];
	}
	return out;
}
