/* remote/remote_place.c: what AWS's variables say of a place at s3://. */
#include "tests/unit/scratch.h"

#include "remote/remote_place.h"

static struct arena arena = ARENA_INIT;

TestSuite(remote_place);

static const struct remote_place *load(char *envp[])
{
	static struct remote_place places[PLACES_MAX];
	static struct settings s;
	struct fault fault;

	settings_defaults(&s);
	settings_merge_env(&s, envp, &arena);
	cr_assert_eq(places_load(places, &s, envp, &arena, &fault), 1, "%s", fault.text);
	return places;
}

Test(remote_place, variables_of_aws)
{
	const struct remote_place *p;
	char plain[] = "REPRISE_REMOTE_URL=s3://b/p";
	char options[] = "REPRISE_REMOTE_URL=s3://b/p?region=r&endpoint=http://h:9";

	p = load((char *[]){plain, NULL});
	cr_assert_null(p->endpoint);
	cr_assert_null(p->region);
	cr_assert_null(p->user);
	cr_assert_eq(p->timeout_ns, 1000000000);
	p = load((char *[]){plain, "AWS_DEFAULT_REGION=two", "AWS_ENDPOINT_URL=http://all",
	                    "AWS_PROFILE=me", NULL});
	cr_assert_str_eq(p->region, "two");
	cr_assert_str_eq(p->endpoint, "http://all");
	cr_assert_str_eq(p->user, "me");
	p = load((char *[]){plain, "AWS_REGION=one", "AWS_DEFAULT_REGION=two",
	                    "AWS_ENDPOINT_URL=http://all", "AWS_ENDPOINT_URL_S3=http://s3", NULL});
	cr_assert_str_eq(p->region, "one");
	cr_assert_str_eq(p->endpoint, "http://s3");
	p = load((char *[]){options, "AWS_REGION=one", "AWS_ENDPOINT_URL_S3=http://s3", NULL});
	cr_assert_str_eq(p->region, "r");
	cr_assert_str_eq(p->endpoint, "http://h:9");
	p = load((char *[]){plain, "AWS_REGION=", "AWS_ENDPOINT_URL=", NULL});
	cr_assert_null(p->endpoint);
	cr_assert_null(p->region);
	p = load((char *[]){"REPRISE_REMOTE_URL=https://h/p", "AWS_ENDPOINT_URL=http://all",
	                    "AWS_PROFILE=me", NULL});
	cr_assert_null(p->endpoint);
	cr_assert_null(p->user);
}
