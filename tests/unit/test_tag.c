/* The remote's tag: it differs between jobs that must be kept apart, and depends on nothing
 * else. */
#include "store_fixture.h"

TestSuite(tag, .init = fixture_start, .fini = fixture_stop);

#define HERE "REPRISE_REDIS_URL=redis://here"

/* The tag under these settings. They come before a setting of the same name in HERE. */
static const char *tag(const char *a, const char *b)
{
	static struct store s[64];
	static int n;
	struct settings set;
	char text[3][200];
	char *env[] = {text[0], text[1], text[2], NULL};

	snprintf(text[0], sizeof text[0], "%s", a ? a : "X=");
	snprintf(text[1], sizeof text[1], "%s", b ? b : "X=");
	strcpy(text[2], HERE);
	settings_defaults(&set);
	settings_merge_env(&set, env, &arena);
	n = (n + 1) % 64;
	remote_tag(&s[n], &set, env, &arena);
	cr_assert_lt(strlen(s[n].remote), STORE_REMOTE);
	return s[n].remote;
}

Test(tag, what_decides_where_things_go_or_how_they_are_signed)
{
	static const char *const rows[][2] = {
		{NULL, NULL},
		{"REPRISE_REDIS_URL=redis://there", NULL},
		{"REPRISE_REDIS_URL=redis://here:6380", NULL},
		{"REPRISE_REDIS_URL=redis://here/1", NULL},
		{"REPRISE_REDIS_DB=2", NULL},
		{"REPRISE_REDIS_URL=redis://user@here", NULL},
		{"REPRISE_REDIS_USER=other", NULL},
		{"REPRISE_REDIS_URL=redis+unix:///here", NULL},
		{"REPRISE_REDIS_URL=redis+unix:///there", NULL},
		{"REPRISE_REDIS_PREFIX=team", NULL},
		{"REPRISE_REDIS_TTL=1d", NULL},
		{"REPRISE_REMOTE_CLASSES=compile", NULL},
		{"REPRISE_REMOTE_CLASSES=all,-gemm", NULL},
		{"REPRISE_REMOTE_MAX_ENTRY=1M", NULL},
		{"REPRISE_REMOTE_READONLY=1", NULL},
		{"REPRISE_SIGN_KEY=/one", NULL},
		{"REPRISE_SIGN_KEY=/two", NULL},
		{"REPRISE_TRUST=/one", NULL},
		{"REPRISE_TRUST=/one:/two", NULL},
		{"REPRISE_REDIS_URL=rediss://here", NULL},
		{"REPRISE_REDIS_URL=rediss://here", "REPRISE_REDIS_TLS_CA=/ca"},
		{"REPRISE_REDIS_URL=rediss://here", "SSL_CERT_FILE=/file"},
		{"REPRISE_REDIS_URL=rediss://here", "REPRISE_REDIS_TLS_NAME=name"},
		{"REPRISE_REMOTE=0", NULL},
	};
	const int n = sizeof rows / sizeof *rows;
	const char *said[sizeof rows / sizeof *rows];

	for (int i = 0; i < n; i++) {
		said[i] = tag(rows[i][0], rows[i][1]);
		for (int k = 0; k < i; k++)
			cr_expect_str_neq(said[i], said[k], "%s and %s", rows[i][0], rows[k][0]);
	}
}

Test(tag, what_does_not)
{
	static const char *const rows[][2] = {
		{"REPRISE_REDIS_PASSWORD=one", NULL},
		{"REPRISE_REDIS_PASSWORD_FILE=/nowhere", NULL},
		{"REPRISE_REDIS_URL=redis://:two@here", NULL},
		{"REPRISE_REDIS_URL=REDIS://here:6379/0", NULL},
		{"REPRISE_REDIS_URL=", "REPRISE_REDIS_HOST=here"},
		{"REPRISE_REMOTE_LOOKUP_TIMEOUT=9s", "REPRISE_REMOTE_TRANSFER_TIMEOUT=9s"},
		{"REPRISE_REMOTE_LEASE=0", "REPRISE_REMOTE_MIN_RATE=1M"},
		{"REPRISE_JOB=job", "REPRISE_LOG=/log"},
		{"REPRISE_CACHE_DIR=/elsewhere", "REPRISE_DRAIN=0"},
		{"REPRISE_REDIS_TLS_CA=/ca", "SSL_CERT_FILE=/file"}, /* no process speaks TLS */
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_str_eq(tag(rows[i][0], rows[i][1]), tag(NULL, NULL), "%s %s", rows[i][0],
		                 rows[i][1]);
	cr_expect_str_eq(tag("REPRISE_REDIS_URL=redis://user:one@here", NULL),
	                 tag("REPRISE_REDIS_URL=redis://user:two@here", NULL));
}

#define S3 "REPRISE_REMOTE_URL=s3://b/p"

Test(tag, accounts_of_aws)
{
	const char *one = tag(S3, "AWS_ACCESS_KEY_ID=one");

	cr_expect_str_neq(tag(S3, "AWS_ACCESS_KEY_ID=two"), one);
	cr_expect_str_neq(tag(S3, "AWS_PROFILE=other"), tag(S3, NULL));
	cr_expect_str_neq(tag(S3, "AWS_REGION=other"), tag(S3, NULL));
	cr_expect_str_neq(tag(S3, "AWS_ENDPOINT_URL=http://other"), tag(S3, NULL));
	cr_expect_str_eq(tag(S3 "?region=r", "AWS_REGION=other"), tag(S3 "?region=r", NULL));
	/* A session's key is replaced every hour. */
	cr_expect_str_eq(tag(S3, "AWS_SESSION_TOKEN=one"), tag(S3, "AWS_SESSION_TOKEN=two"));
	cr_expect_str_eq(tag(S3, "AWS_SECRET_ACCESS_KEY=one"), tag(S3, NULL));
}

Test(tag, no_remote)
{
	cr_expect_str_eq(tag("REPRISE_REMOTE=0", NULL), REMOTE_TAG_LOCAL);
	cr_expect_str_eq(tag("REPRISE_REMOTE_CLASSES=none", NULL), REMOTE_TAG_LOCAL);
	cr_expect_str_eq(tag("REPRISE_REDIS_URL=http://here", NULL), REMOTE_TAG_LOCAL);
	cr_expect_str_eq(tag("REPRISE_REDIS_PREFIX=a b", NULL), REMOTE_TAG_LOCAL);
	cr_expect_str_eq(store.remote, REMOTE_TAG_LOCAL);
}

/* If the tag is computed otherwise, no publisher has the old tag, and records that wait below it
 * are never sent. So this value changes only on purpose. */
Test(tag, specimen)
{
	cr_expect_str_eq(tag(NULL, NULL), "c5fc34b19d961515");
}
