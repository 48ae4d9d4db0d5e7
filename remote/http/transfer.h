/* remote/http/transfer.h - HTTP requests and their replies, over libcurl.
 *
 * Connections are kept between requests: one, or as many as requests at once needed. No redirect is
 * followed: a reply with one is a reply like others. Proxies are those of the environment. TOOL. */
#pragma once

#include <sys/types.h>

#include "remote/backend.h"

#define HTTP_HEADERS 10
/* What is read of an error's body: the text of S3's errors begins with their code. */
#define HTTP_ERROR_TEXT 1024

/* Requests at once, and connections for them: many nodes share a server. */
#define HTTP_AT_ONCE 32
#define HTTP_CONNECTIONS 16

struct http {
	/* libcurl's handles; NULL: not opened, or no request needed it yet */
	void *easy[HTTP_AT_ONCE], *multi;
	pid_t owner;
	const char *ca;   /* file of certificates; NULL: libcurl's */
	const char *user, *password; /* of basic authentication; NULL: none */
	const char *netrc; /* file; NULL: none */
	uint64_t in, out; /* bytes */
	int64_t stall_ns; /* time without a byte that is a timeout; 0: none */
};

struct http_request {
	const char *method; /* GET, HEAD, PUT, DELETE, MKCOL */
	const char *url;
	const char *headers[HTTP_HEADERS]; /* "Name: value" */
	unsigned header_count;
	const char *condition;             /* one more, or NULL */
	struct backend_bytes head;         /* of PUT: its body begins so */
	struct source rest;
	/* Of GET; NULL: the body is an error's text. accept NULL: every object of at most `most`
	 * bytes. */
	const struct backend_limit *limit;
	int direct; /* asks no proxy */
};

struct http_reply {
	long status;
	struct backend_bytes body; /* of GET, where status is 200; in the arena */
	long retry_after_s;        /* 0: not given */
	char etag[128];            /* "" where the server gives none, or a weak one */
	char region[32];           /* of a bucket; "": not given */
	char text[HTTP_ERROR_TEXT]; /* where the status is not 200: how the body begins */
	/* Of http_transfers: as http_transfer() returns it, and sets *fault. */
	enum backend_status answered;
	struct fault fault;
};

/* 0 or -1 with *fault: libcurl is missing. */
int http_open(struct http *h, struct fault *fault);
/* BACKEND_OK: the server answered, with any status. After the first bytes of an object, limit's
 * rest_by counts. */
enum backend_status http_transfer(struct http *h, const struct http_request *q,
                                  struct http_reply *reply, struct arena *a, int64_t deadline,
                                  struct fault *fault);
/* The same for n requests at once, at most HTTP_AT_ONCE, each with its reply. They all end by the
 * deadline, and none moves it. */
void http_transfers(struct http *h, const struct http_request q[], struct http_reply reply[],
                    unsigned n, struct arena *a, int64_t deadline);
/* In a forked child the connections stay the parent's. */
void http_close(struct http *h);

/* 0, or -1: no room for the header (or the arena refused its text). */
int http_header(struct http_request *q, const char *text);
/* Text with all bytes percent-encoded but letters, digits, "-._~" and '/'; NULL: no memory. */
char *http_encode(const char *text, struct arena *a);
