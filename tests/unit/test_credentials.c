/* remote/s3/credentials.c: the shared file, a container's answer, and which source comes first. */
#include "tests/unit/scratch.h"

#include "remote/s3/credentials.h"
#include "shim/settings/settings.h"

static struct arena arena = ARENA_INIT;
static struct fault fault;

TestSuite(credentials, .init = scratch_make, .fini = scratch_remove);

static const char file[] = "# comment\n"
                           "[default]\n"
                           "aws_access_key_id = ONE\r\n"
                           "aws_secret_access_key=a/b+c=\n"
                           "region = eu-west-1\n"
                           "\n"
                           "[ second ]\n"
                           "aws_access_key_id=TWO\n"
                           "aws_secret_access_key =\tsecret\n"
                           "aws_session_token = token==\n"
                           "[third]\n"
                           "aws_access_key_id = THREE\n"
                           "[fourth]\n"
                           "aws_access_key_id = FO UR\n"
                           "aws_secret_access_key = s\n";

Test(credentials, shared_file)
{
	static const struct {
		const char *profile, *id, *secret, *token;
	} cases[] = {
		{"default", "ONE", "a/b+c=", ""},
		{"second", "TWO", "secret", "token=="},
		{"third", NULL, NULL, NULL},
		{"fourth", NULL, NULL, NULL},
		{"secon", NULL, NULL, NULL},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct credentials c = {.profile = cases[i].profile};
		int rc = credentials_parse_file(&c, file);

		cr_assert_eq(rc, cases[i].id ? 0 : -1, "%s", c.profile);
		if (rc < 0)
			continue;
		cr_assert_str_eq(c.id, cases[i].id);
		cr_assert_str_eq(c.secret, cases[i].secret);
		cr_assert_str_eq(c.token, cases[i].token);
	}
}

Test(credentials, container)
{
	struct credentials c = {0};

	cr_assert_eq(credentials_parse_json(&c, "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"S\","
	                                        "\"Token\":\"T\",\"Expiration\":"
	                                        "\"2013-05-24T00:00:00Z\"}"),
	             0);
	cr_assert_str_eq(c.id, "A");
	cr_assert_str_eq(c.secret, "S");
	cr_assert_str_eq(c.token, "T");
	cr_assert_eq(c.until_s, 1369353600);
	/* Other answers leave what is there. */
	cr_assert_eq(credentials_parse_json(&c, "{\"Code\":\"x\"}"), -1);
	cr_assert_eq(credentials_parse_json(&c, "no JSON"), -1);
	cr_assert_eq(credentials_parse_json(&c, "{\"AccessKeyId\":1,\"SecretAccessKey\":2}"), -1);
	cr_assert_str_eq(c.id, "A");
	/* A header ends at a line's end. */
	cr_assert_eq(credentials_parse_json(&c, "{\"AccessKeyId\":\"A\\nX: y\","
	                                        "\"SecretAccessKey\":\"S\"}"),
	             -1);
	cr_assert_str_eq(c.id, "");
}

static int opens(struct credentials *c, char **envp)
{
	memset(c, 0, sizeof *c);
	return credentials_open(c, env_get(envp, "AWS_PROFILE"), envp, &arena, &fault);
}

Test(credentials, order)
{
	static struct credentials c;
	char home[4200], path[4200];

	snprintf(home, sizeof home, "HOME=%s", scratch_dir);
	snprintf(path, sizeof path, "AWS_SHARED_CREDENTIALS_FILE=%s", scratch("c"));
	scratch_write("c", file);
	cr_assert_eq(opens(&c, (char *[]){"AWS_ACCESS_KEY_ID=E", "AWS_SECRET_ACCESS_KEY=s", path,
	                                  NULL}),
	             0);
	cr_assert_str_eq(c.id, "E");
	cr_assert_eq(opens(&c, (char *[]){"AWS_ACCESS_KEY_ID=E", path, NULL}), 0);
	cr_assert_str_eq(c.id, "ONE");
	cr_assert_eq(opens(&c, (char *[]){"AWS_PROFILE=second", path, NULL}), 0);
	cr_assert_str_eq(c.token, "token==");
	/* A profile that is asked for is never another one. */
	cr_assert_eq(opens(&c, (char *[]){"AWS_PROFILE=none", path,
	                                  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x", NULL}),
	             -1);
	cr_assert(strstr(fault.text, "profile none"), "%s", fault.text);
	cr_assert_eq(opens(&c, (char *[]){home, NULL}), -1);
	cr_assert(strstr(fault.text, "no credentials"), "%s", fault.text);
	cr_assert_eq(opens(&c, (char *[]){home, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x", NULL}),
	             0);
	cr_assert_str_eq(c.url, "http://169.254.170.2/x");
	cr_assert_eq(opens(&c, (char *[]){"AWS_ACCESS_KEY_ID=E\nX: y", "AWS_SECRET_ACCESS_KEY=s",
	                                  NULL}),
	             -1);
}

Test(credentials, container_on_this_machine)
{
	static const struct {
		const char *url;
		int rc;
	} cases[] = {
		{"http://127.0.0.1:80/x", 0},     {"http://localhost/x", 0},
		{"http://169.254.170.23/v1", 0},  {"https://example.com/x", 0},
		{"http://[::1]:9/x", 0},          {"http://example.com/x", -1},
		{"http://127.0.0.1.x.com/", -1},  {"http://localhost@x.com/", -1},
		{"file:///etc/passwd", -1},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		static struct credentials c;
		char uri[256];

		snprintf(uri, sizeof uri, "AWS_CONTAINER_CREDENTIALS_FULL_URI=%s", cases[i].url);
		cr_assert_eq(opens(&c, (char *[]){uri, NULL}), cases[i].rc, "%s", cases[i].url);
	}
}
