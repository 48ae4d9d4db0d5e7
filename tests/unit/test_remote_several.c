/* Several remote stores: two databases of one Redis, and servers that are away. */
#include "remote_fixture.h"

TestSuite(remote_several, .init = redis_fixture_start, .fini = remote_fixture_stop);

/* A node with these stores: "1" and "1&readonly=1" are databases of the Redis, all else a URL. */
static struct remote *node_of(int i, const char *const *urls)
{
	static char url[4][1000];
	char *to = url[i];

	to += sprintf(to, "REPRISE_REMOTE_URL=");
	for (; *urls; urls++)
		to += strchr(*urls, ':') ? sprintf(to, "%s ", *urls)
		                         : sprintf(to, "redis+unix://%s?db=%s ", redis_socket(),
		                                   *urls);
	return node_with(i, (const char *[]){url[i], NULL});
}
#define STORES(...) ((const char *[]){__VA_ARGS__, NULL})

static void publish(struct remote *r, const char *action, const char *result)
{
	struct digest k1 = key_of(action), k2 = key_of(result);
	unsigned char payload[300];

	candidate(payload, result, sizeof payload);
	cr_assert_eq(remote_put_result(r, STORE_RESULT, &k2, result, strlen(result), &fault), 0,
	             "%s", fault.text);
	cr_assert_eq(remote_put_candidate(r, STORE_MANIFEST, &k1, payload, sizeof payload, &fault),
	             0, "%s", fault.text);
}

static enum remote_status get(struct remote *r, const char *result)
{
	struct digest k2 = key_of(result);
	struct entry e;

	return remote_result(r, STORE_RESULT, &k2, &e, &fault);
}

/* Keys in a database of the Redis. */
static int keys_in(int db)
{
	redisContext *c = redis_connect();

	freeReplyObject(redisCommand(c, "SELECT %d", db));
	redisReply *r = redisCommand(c, "DBSIZE");
	int n = (int)r->integer;
	freeReplyObject(r);
	redisFree(c);
	return n;
}

Test(remote_several, what_a_slower_one_has_is_put_into_the_faster_ones)
{
	unsigned count;

	redis_start("");
	struct remote *slow = node_of(0, STORES("2")), *all = node_of(1, STORES("0", "1", "2")),
		*fast = node_of(2, STORES("0"));
	cr_assert_eq(all->servers, 3, "%s", fault.text);
	publish(slow, "action", "result");
	cr_assert_eq(look(all, "action", &count), REMOTE_HIT, "%s", fault.text);
	cr_expect_eq(count, 1);
	cr_expect_eq(get(all, "result"), REMOTE_HIT, "%s", fault.text);
	cr_expect_eq(node_counted(1, COUNTER_REMOTE_ASKED), 2, "two questions");
	cr_expect_eq(node_counted(1, COUNTER_REMOTE_ABSENT), 0);
	cr_expect_eq(keys_in(0), 0, "the answer comes first");
	remote_backfill(all);
	cr_expect_eq(keys_in(0), 2);
	cr_expect_eq(keys_in(1), 2);
	cr_assert_eq(look(fast, "action", &count), REMOTE_HIT, "%s", fault.text);
	cr_expect_eq(get(fast, "result"), REMOTE_HIT, "%s", fault.text);
	/* Once it is there, the others are not asked. */
	unsigned trips = all->server[2].backend.round_trips;
	cr_expect_eq(look(all, "action", &count), REMOTE_HIT);
	cr_expect_eq(get(all, "result"), REMOTE_HIT);
	cr_expect_eq(all->server[2].backend.round_trips, trips);
	remote_backfill(all);
	cr_expect_eq(keys_in(0), 2);
}

Test(remote_several, a_large_result_is_filled_in_with_its_parts)
{
	size_t n = 3 * (size_t)BLOB_PART + 12345;
	unsigned char *bytes = noise(n);
	struct digest k2 = key_of("large");
	struct entry e;

	redis_start("");
	struct remote *slow = node_of(0, STORES("1")), *all = node_of(1, STORES("0", "1")),
		*fast = node_of(2, STORES("0"));
	cr_assert_eq(remote_put_result(slow, STORE_RESULT, &k2, bytes, n, &fault), 0, "%s",
	             fault.text);
	cr_assert_eq(get(all, "large"), REMOTE_HIT, "%s", fault.text);
	remote_backfill(all);
	cr_assert_eq(remote_result(fast, STORE_RESULT, &k2, &e, &fault), REMOTE_HIT, "%s",
	             fault.text);
	cr_assert_eq(e.len, n);
	cr_expect_eq(memcmp(e.payload, bytes, n), 0);
	free(bytes);
}

Test(remote_several, the_lists_count_as_one)
{
	struct digest k1 = key_of("action"), want;
	struct entry e[REMOTE_FIRST];
	unsigned count, seen[2] = {0, 0};
	char name[16];
	int more = 1;

	redis_start("");
	struct remote *fast = node_of(0, STORES("0")), *slow = node_of(1, STORES("1")),
		*both = node_of(2, STORES("0", "1"));
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof name, "fast%d", i);
		publish(fast, "action", name);
		snprintf(name, sizeof name, "slow%d", i);
		publish(slow, "action", name);
	}
	for (unsigned from = 0; more; from += REMOTE_FIRST) {
		cr_assert_lt(from, 100);
		cr_assert_eq(remote_candidates(both, STORE_MANIFEST, &k1, from, e, REMOTE_FIRST,
		                               &count, &more, &fault), REMOTE_HIT, "%u: %s", from,
		             fault.text);
		for (unsigned i = 0; i < count; i++)
			for (int k = 0; k < 12; k++) {
				snprintf(name, sizeof name, "%s%d", k < 6 ? "fast" : "slow", k % 6);
				want = key_of(name);
				if (memcmp(e[i].payload, want.b, DIGEST_SIZE) == 0)
					seen[k / 6] |= 1u << k % 6;
			}
	}
	cr_expect_eq(seen[0], 63, "%x", seen[0]);
	cr_expect_eq(seen[1], 63, "%x", seen[1]);
	/* The next look-up begins at the first list. */
	cr_assert_eq(remote_candidates(both, STORE_MANIFEST, &k1, 0, e, REMOTE_FIRST, &count, &more,
	                               &fault), REMOTE_HIT);
	want = key_of("fast5");
	cr_expect_eq(memcmp(e[0].payload, want.b, DIGEST_SIZE), 0);
}

Test(remote_several, puts_go_to_each_that_is_not_readonly)
{
	unsigned char token[SPOOL_TOKEN];
	struct digest k = key_of("leased");
	unsigned count;

	redis_start("");
	struct remote *r = node_of(0, STORES("0&readonly=1", "1", "2"));
	cr_assert_eq(r->servers, 3, "%s", fault.text);
	cr_expect(remote_may_publish(r));
	publish(r, "action", "result");
	cr_expect_eq(keys_in(0), 0);
	cr_expect_eq(keys_in(1), 2);
	cr_expect_eq(keys_in(2), 2);
	cr_expect_eq(remote_has(r, STORE_RESULT, &(struct digest){0}, &fault), 0);
	struct digest k2 = key_of("result");
	cr_expect_eq(remote_has(r, STORE_RESULT, &k2, &fault), 1, "the read-only one counts not");
	/* The lease is in the first that is not read-only. */
	cr_assert_eq(remote_lease_take(r, &k, token, 60000), 1);
	cr_expect_eq(keys_in(1), 3);
	cr_expect_eq(remote_lease_renew(r, &k, token, 60000), 1);
	remote_lease_release(r, &k, token);
	cr_expect_eq(keys_in(1), 2);
	/* Nothing is filled in there, either. */
	cr_expect_eq(look(r, "action", &count), REMOTE_HIT);
	remote_backfill(r);
	cr_expect_eq(keys_in(0), 0);
	struct remote *none = node_of(1, STORES("0&readonly=1", "1&readonly=1"));
	cr_expect_not(remote_may_publish(none));
	cr_expect_eq(remote_put_result(none, STORE_RESULT, &k2, "x", 1, &fault), 1);
	cr_expect_eq(remote_lease_take(none, &k, token, 60000), -1);
}

Test(remote_several, one_that_is_away_costs_little_and_hides_nothing)
{
	unsigned count;

	redis_start("");
	struct remote *good = node_of(0, STORES("0"));
	publish(good, "action", "result");
	for (int first = 0; first < 2; first++) {
		struct remote *r = first ? node_of(2, STORES("redis://127.0.0.1:1", "0"))
		                         : node_of(1, STORES("0", "redis://127.0.0.1:1"));
		cr_assert_eq(r->servers, 2, "%s", fault.text);
		cr_expect_eq(look(r, "action", &count), REMOTE_HIT, "%d: %s", first, fault.text);
		cr_expect_eq(get(r, "result"), REMOTE_HIT, "%d: %s", first, fault.text);
		/* What the second one has is not known after a failure. */
		cr_expect_eq(look(r, "other", &count), first ? REMOTE_ABSENT : REMOTE_SKIPPED, "%d",
		             first);
		/* Then it is left alone, and the other one's answer counts. */
		cr_expect_eq(look(r, "third", &count), REMOTE_ABSENT, "%d: %s", first, fault.text);
		publish(r, "fourth", "fourth result");
		cr_expect_eq(get(good, "fourth result"), REMOTE_HIT);
		remote_backfill(r);
		cr_expect(remote_may_publish(r));
		cr_expect_eq(remote_answers(r, &fault), 0, "%s", fault.text);
		cr_expect_eq(remote_ping(r, &fault), 0, "%s", fault.text);
	}
	struct remote *none = node_of(3, STORES("redis://127.0.0.1:1", "redis://127.0.0.1:2"));
	struct digest k2 = key_of("result");
	cr_expect_eq(look(none, "action", &count), REMOTE_SKIPPED);
	cr_expect_eq(remote_put_result(none, STORE_RESULT, &k2, "x", 1, &fault), -1);
	cr_expect_eq(remote_put_result(none, STORE_RESULT, &k2, "x", 1, &fault), -1);
	cr_expect(*fault.text);
	cr_expect_eq(remote_has(none, STORE_RESULT, &k2, &fault), -1);
}

Test(remote_several, a_hung_one_takes_the_time_of_the_question)
{
	char hung[300];
	unsigned count;

	snprintf(hung, sizeof hung, "redis+unix://%s", redis_socket());
	fake_start(NULL, 0);
	struct remote *r = node_of(0, STORES(hung, hung, "redis://127.0.0.1:1"));
	cr_assert_eq(r->servers, 3);
	int64_t start = now();
	cr_expect_eq(look(r, "action", &count), REMOTE_SKIPPED);
	cr_expect_lt(now() - start, 350000000, "one deadline for all");
	fake_stop();
}

Test(remote_several, one_that_cannot_be_opened_is_left_out)
{
	unsigned count;

	redis_start("");
	/* Without credentials, or without libcurl. */
	struct remote *r = node_of(0, STORES("s3://bucket/prefix", "0"));
	cr_assert_eq(r->servers, 1, "%s", fault.text);
	cr_expect_eq(look(r, "action", &count), REMOTE_ABSENT, "%s", fault.text);
	r = node_of(1, STORES("s3://bucket/prefix"));
	cr_expect_not(r->on);
	cr_expect(*fault.text);
}

Test(remote_several, tags_differ_where_the_places_do)
{
	static const char *const urls[] = {
		"redis://a", "redis://b", "rediss://a", "redis://a:1", "redis://a/1",
		"redis://a redis://b", "redis://b redis://a", "redis://u@a", "redis://a?readonly=1",
		"s3://a", "s3://a/x", "s3://a?region=x", "s3://a?endpoint=http://h",
		"s3://a?endpoint=http://i", "file:///a", "redis+unix:///a",
		"http://a", "https://a", "http://a:80/x",
	};
	enum { N = sizeof urls / sizeof *urls };
	char tag[N + 2][STORE_REMOTE], setting[200];

	for (int i = 0; i < N + 2; i++) {
		struct settings set;
		struct store s = {.dir = NULL};
		char *env[] = {setting, NULL};

		const char *last = i == N ? "redis://:secret@a?timeout=1s" : "redis://:other@a";

		snprintf(setting, sizeof setting, "REPRISE_REMOTE_URL=%s", i < N ? urls[i] : last);
		settings_defaults(&set);
		settings_merge_env(&set, env, &arena);
		remote_tag(&s, &set, env, &arena);
		strcpy(tag[i], s.remote);
		cr_expect_str_neq(tag[i], REMOTE_TAG_LOCAL, "%s", setting);
		for (int k = 0; k < i && i < N; k++)
			cr_expect_str_neq(tag[k], tag[i], "%s, %s", urls[k], urls[i]);
	}
	cr_expect_str_eq(tag[N], tag[0], "neither passwords nor times");
	cr_expect_str_eq(tag[N + 1], tag[0]);
}
