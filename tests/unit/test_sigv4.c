/* remote/s3/sigv4.c: requests that botocore signs in the same way, and limits. */
#include "tests/unit/scratch.h"

#include "remote/s3/sigv4.h"

TestSuite(sigv4);

#define ID "AKIAIOSFODNN7EXAMPLE"
#define SECRET "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

static void check(struct sigv4 s, const char *body, const char *expected)
{
	char header[512], want[512];

	s.id = ID;
	s.secret = SECRET;
	/* 2013-05-24, the day of AWS's own examples. */
	sigv4_set_date(&s, 1369353600);
	cr_assert_str_eq(s.date, "20130524T000000Z");
	/* Half of it in memory, half in a file, as a large object is put. */
	size_t n = strlen(body), half = n / 2;
	FILE *f = tmpfile();
	cr_assert(f && fwrite(body, 1, n, f) == n && fflush(f) == 0);
	cr_assert_eq(sigv4_set_payload(&s, body, half, &(struct source){
		.fd = fileno(f), .at = half, .len = n - half}), 0);
	cr_assert_eq(sigv4_set_payload(&s, body, half, &(struct source){
		.fd = fileno(f), .at = half, .len = n}), half ? -1 : 0, "a file that was cut");
	cr_assert_eq(sigv4_set_payload(&s, body, half, &(struct source){
		.data = (const unsigned char *)body + half, .len = n - half}), 0);
	fclose(f);
	cr_assert_eq(sigv4_header(&s, header, sizeof header), 0);
	snprintf(want, sizeof want, "Authorization: AWS4-HMAC-SHA256 Credential=" ID "/20130524/%s",
	         expected);
	cr_assert_str_eq(header, want);
}

Test(sigv4, signs_as_botocore_does)
{
	check((struct sigv4){.method = "GET", .host = "examplebucket.s3.us-east-1.amazonaws.com",
	                     .path = "/pre/ab/m-01", .region = "us-east-1"},
	      "",
	      "us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
	      "Signature=f796fbed01c034a1e9e016b852fb6a12d094c42215bc7d62e624c5da2a4cabf0");
	check((struct sigv4){.method = "PUT", .host = "127.0.0.1:9000",
	                     .path = "/b/pre%20x/ab/m-01", .region = "eu-west-1"},
	      "headbody",
	      "eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
	      "Signature=572758ef3b977c8f24375f8be27c9ccb3b67fb8af6aa0ce437e9f1d376c8e81f");
	check((struct sigv4){.method = "PUT", .host = "127.0.0.1:9000",
	                     .path = "/b/pre%20x/ab/m-01", .region = "auto", .token = "TOKEN/+=="},
	      "headbody",
	      "auto/s3/aws4_request, "
	      "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, "
	      "Signature=3ec3066daba9f301a19acf0c96bfe38115b595dff007bbde99da5b1640d36360");
}

Test(sigv4, does_not_cut)
{
	struct sigv4 s = {.method = "GET", .host = "h", .path = "/", .region = "r", .id = ID};
	char header[512], small[64], secret[400];

	memset(secret, 'x', sizeof secret - 1);
	secret[sizeof secret - 1] = '\0';
	sigv4_set_date(&s, 0);
	cr_assert_eq(sigv4_set_payload(&s, "", 0, &(struct source){NULL}), 0);
	s.secret = SECRET;
	cr_assert_eq(sigv4_header(&s, header, sizeof header), 0);
	cr_assert_eq(sigv4_header(&s, small, sizeof small), -1);
	s.secret = secret;
	cr_assert_eq(sigv4_header(&s, header, sizeof header), -1);
	s.secret = SECRET;
	s.region = secret;
	cr_assert_eq(sigv4_header(&s, header, sizeof header), -1);
}
