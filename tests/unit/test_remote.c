/* The remote store with a real Redis: one node puts, another gets; refusals; leases. */
#include "remote_fixture.h"

TestSuite(remote, .init = redis_fixture_start, .fini = remote_fixture_stop);

Test(remote, nothing_is_configured)
{
	struct remote *r = node_with(0, (const char *[]){"REPRISE_REDIS_URL=", NULL});
	unsigned n;

	cr_expect_not(r->on);
	cr_expect_eq(look(r, "x", &n), REMOTE_SKIPPED);
	cr_expect_not(remote_may_publish(r));
	remote_close(r);
	r = node_with(1, (const char *[]){"REPRISE_REDIS_URL=redis://host:99999", NULL});
	cr_expect_not(r->on);
	cr_expect(*fault.text);
}

Test(remote, what_one_node_puts_another_gets)
{
	struct digest k1 = key_of("action"), k2 = key_of("result");
	unsigned char payload[3000];
	struct entry e[4];
	unsigned count;
	int more;

	redis_start("");
	struct remote *a = node(0), *b = node(1);
	size_t n = candidate(payload, "result", sizeof payload);
	cr_assert(a->on && b->on, "%s", fault.text);
	cr_assert_eq(remote_put_result(a, STORE_RESULT, &k2, "some result", 11, &fault), 0, "%s",
	             fault.text);
	cr_assert_eq(remote_put_candidate(a, STORE_MANIFEST, &k1, payload, n, &fault), 0, "%s",
	             fault.text);
	cr_assert_eq(remote_candidates(b, STORE_MANIFEST, &k1, 0, e, 4, &count, &more, &fault),
	             REMOTE_HIT, "%s", fault.text);
	cr_assert_eq(count, 1);
	cr_expect_not(more);
	cr_assert_eq(e[0].len, n);
	cr_expect_eq(memcmp(e[0].payload, payload, n), 0);
	cr_assert_eq(remote_result(b, STORE_RESULT, &k2, &e[1], &fault), REMOTE_HIT, "%s",
	             fault.text);
	cr_assert_eq(e[1].len, 11);
	cr_expect_eq(memcmp(e[1].payload, "some result", 11), 0);
	cr_expect_eq(memcmp(e[0].payload, payload, n), 0, "the first entry stays what it was");
	cr_expect_eq(b->server->backend.round_trips, 2, "%u",
	             b->server->backend.round_trips);
	cr_expect_eq(node_counted(1, COUNTER_REMOTE_ASKED), 2);
	cr_expect_gt(node_counted(1, COUNTER_REMOTE_BYTES_IN), 400);
	cr_expect_gt(node_counted(0, COUNTER_REMOTE_BYTES_OUT), 400);
	cr_expect_gt(node_counted(1, COUNTER_REMOTE_WAIT_NS), 0);
	/* The keys are those that the header documents, and they expire. */
	char hex[DIGEST_HEX + 1];
	digest_hex(&k1, hex);
	cr_expect_str_eq(redis("LLEN reprise:1:m:{%s}", hex), "1");
	cr_expect_gt(atoi(redis("TTL reprise:1:m:{%s}", hex)), 29 * 86400);
	digest_hex(&k2, hex);
	cr_expect_gt(atoi(redis("TTL reprise:1:r:{%s}", hex)), 29 * 86400);
	remote_close(a);
	remote_close(b);
}

Test(remote, prefix_and_ttl_are_the_users)
{
	struct digest k2 = key_of("result");
	char hex[DIGEST_HEX + 1];

	redis_start("");
	struct remote *a = node_with(0, (const char *[]){"REPRISE_REDIS_PREFIX=team",
	                                                 "REPRISE_REDIS_TTL=0", NULL});
	struct remote *b = node(1);
	struct entry e;
	cr_assert_eq(remote_put_result(a, STORE_RESULT, &k2, "x", 1, &fault), 0, "%s", fault.text);
	digest_hex(&k2, hex);
	cr_expect_str_eq(redis("TTL team:1:r:{%s}", hex), "-1");
	cr_expect_eq(remote_result(b, STORE_RESULT, &k2, &e, &fault), REMOTE_ABSENT);
}

Test(remote, candidates_newest_first_and_no_more_than_are_wanted)
{
	struct digest k1 = key_of("action");
	unsigned char payload[100];
	struct entry e[REMOTE_CANDIDATES];
	char name[32];
	unsigned count, seen = 0;
	int more = 1;

	redis_start("");
	struct remote *a = node(0), *b = node(1);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof name, "result %d", i);
		candidate(payload, name, sizeof payload);
		cr_assert_eq(remote_put_candidate(a, STORE_MANIFEST, &k1, payload, sizeof payload,
		                                  &fault), 0);
	}
	/* A candidate that is in the list is not added again. */
	cr_assert_eq(remote_put_candidate(a, STORE_MANIFEST, &k1, payload, sizeof payload, &fault),
	             0);
	for (unsigned from = 0; more; from += REMOTE_FIRST) {
		cr_assert_eq(remote_candidates(b, STORE_MANIFEST, &k1, from, e, REMOTE_FIRST,
		                               &count, &more, &fault), REMOTE_HIT);
		for (unsigned i = 0; i < count; i++) {
			snprintf(name, sizeof name, "result %u", 39 - seen++);
			struct digest want = key_of(name);
			cr_expect_eq(memcmp(e[i].payload, want.b, DIGEST_SIZE), 0, "%u", seen);
		}
	}
	cr_expect_eq(seen, REMOTE_CANDIDATES);
	cr_expect_eq(remote_candidates(b, STORE_MANIFEST, &k1, 100, e, 4, &count, &more, &fault),
	             REMOTE_ABSENT);
	cr_assert_eq(remote_candidates(b, STORE_MANIFEST, &k1, 0, e, REMOTE_CANDIDATES, &count,
	                               &more, &fault), REMOTE_HIT);
	cr_expect_eq(count, REMOTE_CANDIDATES);
}

Test(remote, large_results_come_in_parts)
{
	size_t n = 9 * (size_t)BLOB_PART + 12345;
	unsigned char *bytes = noise(n);
	struct digest k2 = key_of("large");
	struct entry e;
	char hex[DIGEST_HEX + 1], keys[64];

	redis_start("");
	struct remote *a = node(0), *b = node(1);
	cr_assert_eq(remote_put_result(a, STORE_RESULT, &k2, bytes, n, &fault), 0, "%s",
	             fault.text);
	cr_assert_eq(remote_result(b, STORE_RESULT, &k2, &e, &fault), REMOTE_HIT, "%s", fault.text);
	cr_assert_eq(e.len, n);
	cr_expect_eq(memcmp(e.payload, bytes, n), 0);
	digest_hex(&k2, hex);
	snprintf(keys, sizeof keys, "%s", redis("DBSIZE"));
	cr_expect_str_eq(keys, "10");
	/* If a part is gone, or belongs to another result, the result is absent. */
	redisContext *c = redis_connect();
	redisReply *r = redisCommand(c, "KEYS *:5");
	cr_assert_eq(r->elements, 1);
	cr_expect(strstr(r->element[0]->str, hex));
	redisReply *ok = redisCommand(c, "DEL %s", r->element[0]->str);
	freeReplyObject(ok);
	b->ask_again = 1;
	cr_expect_eq(remote_result(b, STORE_RESULT, &k2, &e, &fault), REMOTE_ABSENT, "%s",
	             fault.text);
	cr_expect_eq(node_counted(1, COUNTER_REFUSED_ENTRIES), 0);
	char *lie = calloc(1, BLOB_PART);
	ok = redisCommand(c, "SET %s %b", r->element[0]->str, lie, (size_t)BLOB_PART);
	freeReplyObject(ok);
	cr_expect_eq(remote_result(b, STORE_RESULT, &k2, &e, &fault), REMOTE_ABSENT);
	cr_expect_eq(node_counted(1, COUNTER_REFUSED_ENTRIES), 1);
	freeReplyObject(r);
	redisFree(c);
	free(lie);
	/* After a new put the result is complete, whatever other parts exist. */
	cr_assert_eq(remote_put_result(a, STORE_RESULT, &k2, bytes, n, &fault), 0);
	cr_expect_eq(remote_result(b, STORE_RESULT, &k2, &e, &fault), REMOTE_HIT, "%s", fault.text);
	free(bytes);
}

Test(remote, too_large_stays_local)
{
	struct digest k1 = key_of("action"), k2 = key_of("result");
	unsigned char *bytes = noise(6 << 20);

	redis_start("");
	struct remote *a = node_with(0, (const char *[]){"REPRISE_REMOTE_MAX_ENTRY=1M", NULL}),
		*b = node(1);
	cr_expect_eq(remote_put_result(a, STORE_RESULT, &k2, bytes, 2 << 20, &fault), 1);
	cr_expect_eq(remote_put_candidate(b, STORE_MANIFEST, &k1, bytes, 6 << 20, &fault), 1);
	/* Such a node does not read larger results, either. */
	cr_expect_eq(remote_put_result(b, STORE_RESULT, &k2, bytes, 2 << 20, &fault), 0);
	struct entry e;
	cr_expect_eq(remote_result(a, STORE_RESULT, &k2, &e, &fault), REMOTE_ABSENT);
	cr_expect(strstr(a->refused, "too large"), "%s", a->refused);
	free(bytes);
}

Test(remote, absences_are_remembered_for_a_moment)
{
	struct digest k1 = key_of("action");
	unsigned char payload[100];
	unsigned count;

	redis_start("");
	struct remote *a = node(0), *b = node(1), *again = node_with(2, NULL);
	candidate(payload, "result", sizeof payload);
	cr_expect_eq(look(b, "action", &count), REMOTE_ABSENT);
	cr_expect_eq(b->server->backend.round_trips, 1);
	cr_expect_eq(look(b, "action", &count), REMOTE_ABSENT);
	cr_expect_eq(b->server->backend.round_trips, 1, "not asked");
	cr_assert_eq(remote_put_candidate(a, STORE_MANIFEST, &k1, payload, sizeof payload, &fault),
	             0);
	cr_expect_eq(look(b, "action", &count), REMOTE_ABSENT);
	b->ask_again = 1;
	cr_expect_eq(look(b, "action", &count), REMOTE_HIT);
	/* The process that publishes it forgets the absence at once. */
	cr_expect_eq(look(again, "other", &count), REMOTE_ABSENT);
	k1 = key_of("other");
	cr_assert_eq(remote_put_candidate(again, STORE_MANIFEST, &k1, payload, sizeof payload,
	                                  &fault), 0);
	cr_expect_eq(look(again, "other", &count), REMOTE_HIT);
	cr_expect_eq(node_counted(1, COUNTER_REMOTE_ABSENT), 1);
}

Test(remote, what_cannot_be_believed_is_refused)
{
	struct digest k1 = key_of("action"), k2 = key_of("result"), other = key_of("other");
	unsigned char payload[100];
	char hex[DIGEST_HEX + 1], from[DIGEST_HEX + 1];
	struct entry e;
	unsigned count;

	redis_start("");
	struct remote *a = node(0), *b = node(1);
	b->ask_again = 1;
	candidate(payload, "result", sizeof payload);
	cr_assert_eq(remote_put_candidate(a, STORE_MANIFEST, &k1, payload, sizeof payload, &fault),
	             0);
	cr_assert_eq(remote_put_result(a, STORE_RESULT, &k2, "result", 6, &fault), 0);
	digest_hex(&k1, hex);
	redis("LPUSH reprise:1:m:{%s} garbage", hex);
	redis("LPUSH reprise:1:m:{%s} %b", hex, "", (size_t)0);
	cr_expect_eq(look(b, "action", &count), REMOTE_HIT);
	cr_expect_eq(count, 1, "the good one is left");
	cr_expect(strstr(b->refused, "damaged"), "%s", b->refused);
	cr_expect_eq(node_counted(1, COUNTER_REFUSED_ENTRIES), 2);
	/* An entry that is stored under another key. */
	digest_hex(&k2, from);
	digest_hex(&other, hex);
	redis("EVAL %s 0", "return 1");
	redis("RENAME reprise:1:r:{%s} reprise:1:r:{%s}", from, hex);
	cr_expect_eq(remote_result(b, STORE_RESULT, &other, &e, &fault), REMOTE_ABSENT);
	cr_expect_eq(node_counted(1, COUNTER_REFUSED_ENTRIES), 3);
	/* A key of another type is no failure of the server, even if it is met often. */
	redis("FLUSHALL");
	digest_hex(&k1, hex);
	redis("SET reprise:1:m:{%s} x", hex);
	digest_hex(&k2, hex);
	redis("LPUSH reprise:1:r:{%s} x", hex);
	for (int i = 0; i < 5; i++) {
		cr_expect_eq(look(b, "action", &count), REMOTE_ABSENT, "%s", fault.text);
		cr_expect_eq(remote_result(b, STORE_RESULT, &k2, &e, &fault), REMOTE_ABSENT, "%s",
		             fault.text);
	}
	cr_expect_eq(remote_put_candidate(a, STORE_MANIFEST, &k1, payload, sizeof payload, &fault),
	             1);
	cr_expect_eq(remote_put_result(a, STORE_RESULT, &k2, "result", 6, &fault), 0,
	             "SET replaces whatever it was");
}

Test(remote, what_unpacks_to_nonsense_takes_no_more_memory_than_what_is_good)
{
	size_t n = 40u << 20, len;
	struct digest k1 = key_of("action"), other = key_of("other");
	unsigned char head[BLOB_HEAD], *zeros = calloc(1, n), *value;
	const unsigned char *stored;
	char hex[DIGEST_HEX + 1];
	unsigned count;

	redis_start("");
	struct remote *a = node(0);
	/* A small, complete value, which has another key inside when it is unpacked. */
	cr_assert_eq(blob_make(head, &stored, &len, STORE_MANIFEST, &other, zeros, n, NULL, &arena,
	                       &fault), 0);
	value = malloc(BLOB_HEAD + len);
	memcpy(value, head, BLOB_HEAD);
	memcpy(value + 40, k1.b, DIGEST_SIZE);
	memcpy(value + BLOB_HEAD, stored, len);
	digest_hex(&k1, hex);
	for (int i = 0; i < REMOTE_FIRST; i++)
		redis("LPUSH reprise:1:m:{%s} %b", hex, value, BLOB_HEAD + len);
	for (int i = 1; i <= 2; i++) {
		cr_expect_eq(look(a, "action", &count), REMOTE_ABSENT);
		cr_expect(strstr(a->refused, "too large"), "the second one: %s", a->refused);
	}
	cr_expect_eq(node_counted(0, COUNTER_REFUSED_ENTRIES), 2 * REMOTE_FIRST);
	free(zeros);
	free(value);
}

Test(remote, classes_and_readonly)
{
	struct digest k2 = key_of("result");
	struct entry e;
	unsigned count;

	redis_start("");
	struct remote *a = node(0);
	struct remote *b = node_with(1, (const char *[]){"REPRISE_REMOTE_READONLY=1", NULL});
	struct remote *c = node_with(2, (const char *[]){"REPRISE_REMOTE_CLASSES=none", NULL});
	unsigned char token[SPOOL_TOKEN];
	cr_assert_eq(remote_put_result(a, STORE_RESULT, &k2, "x", 1, &fault), 0);
	cr_expect(remote_may_publish(a));
	cr_expect_not(remote_may_publish(b));
	cr_expect_eq(remote_put_result(b, STORE_RESULT, &k2, "x", 1, &fault), 1);
	cr_expect_eq(remote_result(b, STORE_RESULT, &k2, &e, &fault), REMOTE_HIT);
	cr_expect_eq(remote_lease_take(b, &k2, token, 1000), -1);
	cr_expect_eq(look(c, "x", &count), REMOTE_SKIPPED);
	cr_expect_eq(remote_result(c, STORE_RESULT, &k2, &e, &fault), REMOTE_SKIPPED);
	cr_expect_eq(remote_put_result(c, STORE_RESULT, &k2, "x", 1, &fault), 1);
}

static void leases(struct remote *a, struct remote *b)
{
	struct digest k = key_of("action");
	unsigned char mine[SPOOL_TOKEN], his[SPOOL_TOKEN];
	unsigned count;

	cr_assert_eq(remote_lease_take(a, &k, mine, 60000), 1);
	cr_expect_eq(remote_lease_take(b, &k, his, 60000), 0);
	cr_expect_eq(his[0] | his[5], 0, "no token");
	cr_expect_eq(remote_lease_renew(a, &k, mine, 90000), 1);
	char hex[DIGEST_HEX + 1];
	digest_hex(&k, hex);
	cr_expect_gt(atoi(redis("PTTL reprise:1:l:{%s}", hex)), 60000);
	/* A lease is not renewed by the token of another process. */
	memset(his, 7, sizeof his);
	cr_expect_eq(remote_lease_renew(b, &k, his, 90000), 0);
	remote_lease_release(b, &k, his);
	cr_expect_eq(remote_lease_take(b, &k, his, 60000), 0);
	remote_lease_release(a, &k, mine);
	cr_expect_eq(remote_lease_take(b, &k, his, 50), 1);
	usleep(80000);
	cr_expect_eq(remote_lease_renew(b, &k, his, 50), 0, "it ended");
	cr_expect_eq(remote_lease_take(a, &k, mine, 60000), 1);
	/* An entry that was published between a look-up and the lease. */
	remote_lease_release(a, &k, mine);
	cr_expect_eq(look(b, "action", &count), REMOTE_ABSENT);
	cr_expect_eq(b->listed, 0);
	cr_assert_eq(remote_put_candidate(a, STORE_MANIFEST, &k,
	                                  "a candidate of thirty-two bytes..", DIGEST_SIZE, &fault),
	             0);
	cr_assert_eq(remote_lease_take(b, &k, his, 60000), 1);
	cr_expect_eq(b->listed, 1);
	cr_expect_eq(remote_lease_take(a, &k, mine, 0), -1, "no leases are wanted");
}

Test(remote, leases_with_scripts)
{
	redis_start("");
	leases(node(0), node(1));
	cr_expect_eq(redis_of(&remotes[0].server->backend)->no_eval, 0);
	cr_expect_eq(node_counted(0, COUNTER_LEASES_TAKEN), 2);
}

Test(remote, leases_without_scripts)
{
	redis_start("rename-command EVAL \"\"");
	leases(node(0), node(1));
	cr_expect_eq(redis_of(&remotes[0].server->backend)->no_eval, 1);
}
