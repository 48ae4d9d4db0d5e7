/* remote/s3/sigv4.h - AWS Signature Version 4 of requests without a query.
 *
 * libcurl can sign as well, from 7.75 on, but some versions sign requests to S3 wrongly. The
 * signature covers the method, the path, the body, and the headers Host, x-amz-content-sha256,
 * x-amz-date and, with a token, x-amz-security-token. THREAD. */
#pragma once

#include "remote/source.h"

#define SIGV4_DATE 17 /* "20130524T000000Z" and a NUL */
#define SIGV4_HASH 65 /* hex of SHA-256 and a NUL */

struct sigv4 {
	const char *method;
	const char *host;  /* as the header Host has it */
	const char *path;  /* percent-encoded, from the first slash on */
	const char *region;
	const char *id, *secret;
	const char *token; /* NULL: none */
	char date[SIGV4_DATE], payload[SIGV4_HASH];
};

/* s->date of that time, in seconds since 1970. */
void sigv4_set_date(struct sigv4 *s, int64_t time_s);
/* s->payload of a body in two parts. 0, or -1: the second one cannot be read. */
int sigv4_set_payload(struct sigv4 *s, const void *p, size_t n, const struct source *rest);
/* The header "Authorization: ...". 0, or -1: it does not fit into cap bytes. */
int sigv4_header(const struct sigv4 *s, char *out, size_t cap);
