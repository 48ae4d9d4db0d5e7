/* remote/s3/credentials.h - credentials for S3, as AWS's programs find them.
 *
 * The first of these that is there:
 *   AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
 *   AWS_SHARED_CREDENTIALS_FILE or ~/.aws/credentials: the profile, else "default"
 *   AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI, with
 *   AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE or AWS_CONTAINER_AUTHORIZATION_TOKEN
 * The file and the container are asked again after a refusal, the container also before its
 * credentials expire. TOOL. */
#pragma once

#include "remote/http/transfer.h"

enum credentials_source { CREDENTIALS_ENVIRONMENT, CREDENTIALS_FILE, CREDENTIALS_CONTAINER };

struct credentials {
	enum credentials_source source;
	const char *path, *profile;  /* of the file */
	const char *url;             /* of the container */
	const char *auth, *auth_file; /* what the container asks for; NULL: nothing */
	int64_t asked_s;             /* when it was asked last, CLOCK_REALTIME; 0: never */
	int64_t until_s;             /* when they expire; 0: never */
	char id[136], secret[256], token[8192]; /* id "": none yet; token "": none */
};

/* Finds the source and reads what needs no connection. profile: NULL: none is named. 0, or -1 with
 * *fault. */
int credentials_open(struct credentials *c, const char *profile, char *const envp[],
                     struct arena *a, struct fault *fault);
/* Before each request. refused: the server refused the last one. */
enum backend_status credentials_renew(struct credentials *c, int refused, struct http *http,
                                      struct arena *a, int64_t deadline, struct fault *fault);

/* The keys of a profile in the text of a shared credentials file: 0, or -1: they are not there. */
int credentials_parse_file(struct credentials *c, const char *text);
/* The container's answer. 0, or -1: no credentials. */
int credentials_parse_json(struct credentials *c, const char *text);
