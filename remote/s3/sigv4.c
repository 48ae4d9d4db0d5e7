/* remote/s3/sigv4.c - AWS Signature Version 4. */
#include "remote/s3/sigv4.h"

#include <sodium/crypto_auth_hmacsha256.h>
#include <sodium/crypto_hash_sha256.h>
#include <string.h>
#include <time.h>

#include "shim/ascii.h"
#include "shim/format.h"

#include "shim/banned.h"

#define HASH crypto_hash_sha256_BYTES
#define PIECE (64u << 10)
/* Longest secret key: those of AWS have 40 characters. */
#define SECRET_MAX 256

static void hex(char out[SIGV4_HASH], const unsigned char hash[HASH])
{
	for (int i = 0; i < (int)HASH; i++)
		ascii_put_hex(out + 2 * i, hash[i], 2);
	out[SIGV4_HASH - 1] = '\0';
}

/* Adds texts, up to NULL. */
static void add(crypto_hash_sha256_state *state, const char *const *texts)
{
	for (; *texts; texts++)
		crypto_hash_sha256_update(state, (const unsigned char *)*texts, strlen(*texts));
}
#define ADD(state, ...) add(state, (const char *const[]){__VA_ARGS__, NULL})

static void hmac(unsigned char out[HASH], const void *key, size_t n, const char *text)
{
	crypto_auth_hmacsha256_state state;

	crypto_auth_hmacsha256_init(&state, key, n);
	crypto_auth_hmacsha256_update(&state, (const unsigned char *)text, strlen(text));
	crypto_auth_hmacsha256_final(&state, out);
	explicit_bzero(&state, sizeof state);
}

/* The hash of the canonical request. */
static void hash_request(char out[SIGV4_HASH], const struct sigv4 *s, const char *signed_headers)
{
	crypto_hash_sha256_state state;
	unsigned char hash[HASH];

	crypto_hash_sha256_init(&state);
	ADD(&state, s->method, "\n", s->path, "\n\nhost:", s->host, "\nx-amz-content-sha256:",
	    s->payload, "\nx-amz-date:", s->date);
	if (s->token)
		ADD(&state, "\nx-amz-security-token:", s->token);
	ADD(&state, "\n\n", signed_headers, "\n", s->payload);
	crypto_hash_sha256_final(&state, hash);
	hex(out, hash);
}

void sigv4_set_date(struct sigv4 *s, int64_t time_s)
{
	time_t t = (time_t)time_s;
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(s->date, sizeof s->date, "%Y%m%dT%H%M%SZ", &tm);
}

int sigv4_set_payload(struct sigv4 *s, const void *p, size_t n, const struct source *rest)
{
	unsigned char hash[HASH], room[PIECE];
	crypto_hash_sha256_state state;
	int error;

	crypto_hash_sha256_init(&state);
	crypto_hash_sha256_update(&state, p, n);
	for (uint64_t done = 0; done < rest->len; done += n) {
		const void *piece;

		n = rest->len - done < PIECE ? (size_t)(rest->len - done) : PIECE;
		piece = source_piece(rest, done, n, room, &error);
		if (!piece)
			return -1;
		crypto_hash_sha256_update(&state, piece, n);
	}
	crypto_hash_sha256_final(&state, hash);
	hex(s->payload, hash);
	return 0;
}

int sigv4_header(const struct sigv4 *s, char *out, size_t cap)
{
	const char *signed_headers =
		s->token ? "host;x-amz-content-sha256;x-amz-date;x-amz-security-token"
		         : "host;x-amz-content-sha256;x-amz-date";
	char key[SECRET_MAX + 8], scope[128], text[320], request[SIGV4_HASH], sign[SIGV4_HASH];
	unsigned char hash[HASH];
	char day[9];
	size_t n;

	memcpy(day, s->date, 8);
	day[8] = '\0';
	hash_request(request, s, signed_headers);
	n = format_text(scope, sizeof scope, "%s/%s/s3/aws4_request", day, s->region);
	if (n >= sizeof scope - 1 || strlen(s->secret) > SECRET_MAX)
		return -1;
	format_text(text, sizeof text, "AWS4-HMAC-SHA256\n%s\n%s\n%s", s->date, scope, request);
	n = format_text(key, sizeof key, "AWS4%s", s->secret);
	hmac(hash, key, n, day);
	hmac(hash, hash, HASH, s->region);
	hmac(hash, hash, HASH, "s3");
	hmac(hash, hash, HASH, "aws4_request");
	hmac(hash, hash, HASH, text);
	hex(sign, hash);
	explicit_bzero(key, sizeof key);
	n = format_text(out, cap,
	                "Authorization: AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, "
	                "Signature=%s",
	                s->id, scope, signed_headers, sign);
	return n < cap - 1 ? 0 : -1;
}
