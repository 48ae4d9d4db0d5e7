/* A publisher asks the remote store what is there before it sends; names of units and of
 * actions. */
#include "remote_fixture.h"

TestSuite(remote_query, .init = redis_fixture_start, .fini = remote_fixture_stop);

Test(remote_query, units_and_sets_have_names_of_their_own)
{
	struct digest k = key_of("unit");
	unsigned char payload[300];
	char hex[DIGEST_HEX + 1];
	struct entry e[4];
	unsigned count;
	int more;

	redis_start("");
	struct remote *a = node(0), *b = node(1);
	size_t n = candidate(payload, "parcel", sizeof payload);
	cr_assert_eq(remote_put_result(a, STORE_UNIT, &k, "a parcel", 8, &fault), 0, "%s",
	             fault.text);
	cr_assert_eq(remote_put_candidate(a, STORE_SET, &k, payload, n, &fault), 0, "%s",
	             fault.text);
	digest_hex(&k, hex);
	cr_expect_str_eq(redis("EXISTS reprise:1:u:{%s}", hex), "1");
	cr_expect_str_eq(redis("LLEN reprise:1:s:{%s}", hex), "1");
	cr_assert_eq(remote_result(b, STORE_UNIT, &k, &e[0], &fault), REMOTE_HIT, "%s", fault.text);
	cr_expect_eq(e[0].class, STORE_UNIT);
	cr_expect_eq(memcmp(e[0].payload, "a parcel", 8), 0);
	cr_assert_eq(remote_candidates(b, STORE_SET, &k, 0, e, 4, &count, &more, &fault),
	             REMOTE_HIT, "%s", fault.text);
	cr_assert_eq(count, 1);
	cr_expect_eq(e[0].class, STORE_SET);
	cr_expect_eq(remote_result(b, STORE_RESULT, &k, &e[0], &fault), REMOTE_ABSENT);
	/* A value under the name of another class is refused. */
	redis("RENAME reprise:1:u:{%s} reprise:1:r:{%s}", hex, hex);
	b->ask_again = 1;
	cr_expect_eq(remote_result(b, STORE_RESULT, &k, &e[0], &fault), REMOTE_ABSENT);
	cr_expect_eq(node_counted(1, COUNTER_REFUSED_ENTRIES), 1);
}

Test(remote_query, what_is_there_is_not_sent_again)
{
	size_t n = 3 * (size_t)BLOB_PART + 12345;
	unsigned char *bytes = noise(n);
	struct digest small = key_of("small"), large = key_of("large"), none = key_of("none");
	char hex[DIGEST_HEX + 1];
	struct entry e;

	redis_start("");
	struct remote *a = node(0), *b = node(1);
	cr_assert_eq(remote_put_result(a, STORE_UNIT, &small, "small", 5, &fault), 0, "%s",
	             fault.text);
	cr_assert_eq(remote_put_result(a, STORE_UNIT, &large, bytes, n, &fault), 0, "%s",
	             fault.text);
	cr_expect_eq(remote_has(b, STORE_UNIT, &small, &fault), 1, "%s", fault.text);
	cr_expect_eq(remote_has(b, STORE_UNIT, &large, &fault), 1, "%s", fault.text);
	cr_expect_eq(remote_has(b, STORE_UNIT, &none, &fault), 0);
	cr_expect_eq(remote_has(b, STORE_RESULT, &small, &fault), 0);
	cr_assert_eq(remote_get_single(b, STORE_UNIT, &small, &e, &fault), 1, "%s", fault.text);
	cr_expect_eq(e.len, 5);
	cr_expect_eq(memcmp(e.payload, "small", 5), 0);
	cr_expect_eq(remote_get_single(b, STORE_UNIT, &large, &e, &fault), 0,
	             "more than one value");
	cr_expect_eq(remote_get_single(b, STORE_UNIT, &none, &e, &fault), 0);
	/* Evicted in part, or cut: it must be sent again. */
	redisContext *c = redis_connect();
	redisReply *r = redisCommand(c, "KEYS *:3");
	cr_assert_eq(r->elements, 1);
	freeReplyObject(redisCommand(c, "DEL %s", r->element[0]->str));
	cr_expect_eq(remote_has(b, STORE_UNIT, &large, &fault), 0);
	freeReplyObject(redisCommand(c, "SET %s short", r->element[0]->str));
	cr_expect_eq(remote_has(b, STORE_UNIT, &large, &fault), 0);
	freeReplyObject(r);
	digest_hex(&small, hex);
	redis("SET reprise:1:u:{%s} x", hex);
	cr_expect_eq(remote_has(b, STORE_UNIT, &small, &fault), 0);
	cr_expect_eq(remote_get_single(b, STORE_UNIT, &small, &e, &fault), 0);
	redis("DEL reprise:1:u:{%s}", hex);
	redis("LPUSH reprise:1:u:{%s} x", hex);
	cr_expect_eq(remote_has(b, STORE_UNIT, &small, &fault), 0);
	cr_expect_eq(remote_get_single(b, STORE_UNIT, &small, &e, &fault), 0);
	redisFree(c);
	free(bytes);
}

Test(remote_query, a_unit_that_comes_is_worth_its_look_up)
{
	struct digest k = key_of("unit"), none = key_of("none");
	struct breaker_state before, after;
	struct entry e;

	redis_start("");
	struct remote *a = node(0), *b = node(1);
	cr_assert_eq(remote_put_result(a, STORE_UNIT, &k, "a unit", 6, &fault), 0, "%s",
	             fault.text);
	b->budget = REMOTE_BUDGET_UNITS;
	cr_assert_eq(remote_result(b, STORE_UNIT, &none, &e, &fault), REMOTE_ABSENT);
	breaker_read(&b->server->breaker, &before);
	cr_expect_eq(before.saved_ns, 0);
	cr_assert_eq(remote_result(b, STORE_UNIT, &k, &e, &fault), REMOTE_HIT, "%s", fault.text);
	breaker_read(&b->server->breaker, &after);
	cr_expect_gt(after.saved_ns, after.waited_ns, "else a thousand of them close the class");
}

Test(remote_query, a_user_who_may_not_ask_sends)
{
	struct digest k = key_of("unit");

	redis_start("user writer on nopass ~* -@all +get +lrange +llen +set +lpush +ltrim +expire "
	            "+ping");
	struct remote *a = node_with(0, (const char *[]){"REPRISE_REDIS_USER=writer", NULL});
	cr_assert_eq(remote_put_result(a, STORE_UNIT, &k, "small", 5, &fault), 0, "%s", fault.text);
	cr_expect_eq(remote_has(a, STORE_UNIT, &k, &fault), 0, "%s", fault.text);
	cr_expect(remote_may_publish(a), "and goes on publishing");
}

Test(remote_query, no_server)
{
	struct digest k = key_of("unit");
	struct entry e;

	struct remote *a = node_with(0, (const char *[]){"REPRISE_REDIS_URL=redis://127.0.0.1:1",
	                                                 NULL});
	cr_expect_eq(remote_has(a, STORE_UNIT, &k, &fault), -1);
	cr_expect(*fault.text);
	cr_expect_eq(remote_get_single(a, STORE_UNIT, &k, &e, &fault), -1);
}
