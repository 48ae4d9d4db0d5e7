/* The remote store before servers that are full, read-only, hung, wrong or absent. */
#include "remote_fixture.h"

#define MS 1000000ll

TestSuite(remote_servers, .init = redis_fixture_start, .fini = remote_fixture_stop);

Test(remote_servers, a_full_server_answers_look_ups)
{
	struct digest k1 = key_of("action"), k2 = key_of("result");
	unsigned char payload[100], token[SPOOL_TOKEN];
	struct entry e;
	unsigned count;

	redis_start("");
	struct remote *a = node(0);
	candidate(payload, "result", sizeof payload);
	cr_assert_eq(remote_put_result(a, STORE_RESULT, &k2, "x", 1, &fault), 0);
	redis("CONFIG SET maxmemory 1");
	cr_expect_eq(remote_put_result(a, STORE_RESULT, &k2, "x", 1, &fault), -1);
	cr_expect(strstr(fault.text, "OOM"), "%s", fault.text);
	cr_expect_eq(remote_put_candidate(a, STORE_MANIFEST, &k1, payload, sizeof payload, &fault),
	             -1);
	for (int i = 0; i < 5; i++)
		cr_expect_eq(remote_lease_take(a, &k1, token, 1000), -1);
	cr_expect_eq(remote_result(a, STORE_RESULT, &k2, &e, &fault), REMOTE_HIT);
	cr_expect_eq(look(a, "action", &count), REMOTE_ABSENT);
	redis("CONFIG SET maxmemory 0");
	cr_expect_eq(remote_put_candidate(a, STORE_MANIFEST, &k1, payload, sizeof payload, &fault),
	             0);
}

Test(remote_servers, a_user_who_may_not_write_publishes_no_more)
{
	struct digest k2 = key_of("result");
	unsigned count;

	redis_start("user reader on nopass ~* -@all +lrange +llen +get +ping");
	struct remote *a = node_with(0, (const char *[]){"REPRISE_REDIS_USER=reader",
	                                                 "REPRISE_REDIS_PASSWORD=x", NULL});
	cr_expect(remote_may_publish(a));
	cr_expect_eq(look(a, "x", &count), REMOTE_ABSENT, "%s", fault.text);
	cr_expect_eq(remote_put_result(a, STORE_RESULT, &k2, "x", 1, &fault), -1);
	cr_expect_eq(fault.code, EACCES);
	cr_expect_not(remote_may_publish(a));
	cr_expect_eq(look(a, "y", &count), REMOTE_ABSENT, "look-ups go on");
}

Test(remote_servers, a_hung_server_costs_one_deadline)
{
	unsigned count;

	fake_start(NULL, 0);
	struct remote *a = node(0);
	int64_t start = now();
	cr_expect_eq(look(a, "x", &count), REMOTE_SKIPPED);
	int64_t took = now() - start;
	cr_expect_geq(took, 249 * MS);
	cr_expect_lt(took, 300 * MS, "%lld ms", (long long)(took / MS));
	start = now();
	struct digest k = key_of("x");
	struct entry e;
	unsigned char token[SPOOL_TOKEN];
	cr_expect_eq(remote_result(a, STORE_RESULT, &k, &e, &fault), REMOTE_SKIPPED);
	cr_expect_eq(remote_lease_take(a, &k, token, 1000), -1);
	cr_expect_eq(look(node(0), "y", &count), REMOTE_SKIPPED, "nor does another process wait");
	cr_expect_lt(now() - start, 50 * MS);
	cr_expect_eq(node_counted(0, COUNTER_REMOTE_TIMEOUTS), 1);
	cr_expect_eq(node_counted(0, COUNTER_BREAKER_OPENINGS), 1);
}

Test(remote_servers, servers_that_talk_nonsense)
{
	static const char *const texts[] = {
		"HTTP/1.1 400 Bad Request\r\n\r\n", "$99999999999\r\n", "*1000000\r\n",
		":1\r\n:2\r\n",
		"-LOADING Redis is loading the dataset in memory\r\n-LOADING x\r\n",
		"$-1\r\n$-1\r\n", "*0\r\n*0\r\n",
		"*1\r\n:5\r\n:1\r\n", "*-1\r\n:0\r\n", "+OK\r\n+OK\r\n"};
	struct digest k = key_of("x");
	unsigned char token[SPOOL_TOKEN];
	struct entry e;
	unsigned count;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		fake_start(texts[i], 0);
		shell("rm -rf '%s/run0'", root);
		struct remote *a = node(0);
		int64_t start = now();
		enum remote_status st = look(a, "x", &count);
		cr_expect(st == REMOTE_SKIPPED || (st == REMOTE_ABSENT && i == 7), "%zu: %d", i,
		          st);
		cr_expect_eq(count, 0);
		a->server->breaker.failed = 0;
		st = remote_result(a, STORE_RESULT, &k, &e, &fault);
		cr_expect_neq(st, REMOTE_HIT, "%zu", i);
		a->server->breaker.failed = 0;
		cr_expect_neq(remote_lease_take(a, &k, token, 1000), 2);
		cr_expect_neq(remote_put_result(a, STORE_RESULT, &k, "x", 1, &fault),
		              i == 9 ? -2 : 0, "%zu", i);
		cr_expect_lt(now() - start, 3000 * MS);
		remote_close(a);
		fake_stop();
	}
}

Test(remote_servers, an_array_of_more_than_was_asked_for)
{
	enum { ELEMENTS = 5000 };
	char *text = malloc(ELEMENTS * 5 + 64);
	size_t n = (size_t)sprintf(text, "*%d\r\n", ELEMENTS);
	unsigned count;

	/* Each element takes twenty times as much memory here as it has bytes in the reply. */
	for (int i = 0; i < ELEMENTS; i++)
		n += (size_t)sprintf(text + n, "$-1\r\n");
	strcpy(text + n, ":1\r\n");
	fake_start(text, 0);
	cr_expect_eq(look(node(0), "x", &count), REMOTE_SKIPPED);
	cr_expect_eq(fault.code, EPROTO, "%s", fault.text);
	free(text);
}

Test(remote_servers, no_room_for_another_client)
{
	struct digest k1 = key_of("action"), k2 = key_of("result");
	unsigned char token[SPOOL_TOKEN] = {1};
	int rc = -1;

	redis_start("maxclients 1");
	redisContext *other = redis_connect();
	struct remote *a = node(0);
	/* A temporary state: the error is not about the command. */
	cr_expect_eq(remote_put_result(a, STORE_RESULT, &k2, "x", 1, &fault), -1, "%s", fault.text);
	cr_expect(strstr(fault.text, "ERR"), "%s", fault.text);
	cr_expect_eq(remote_lease_renew(a, &k1, token, 1000), -1);
	cr_expect_eq(redis_of(&a->server->backend)->no_eval, 0, "it says nothing of scripts");
	redisFree(other);
	for (int i = 0; i < 500 && rc != 0; i++, usleep(10000))
		rc = remote_put_result(a, STORE_RESULT, &k2, "x", 1, &fault);
	cr_expect_eq(rc, 0, "%s", fault.text);
}

Test(remote_servers, no_server)
{
	unsigned count;
	struct digest k = key_of("x");
	struct remote *a = node(0);
	int64_t start = now();

	cr_expect_eq(look(a, "x", &count), REMOTE_SKIPPED);
	cr_expect_eq(remote_put_result(a, STORE_RESULT, &k, "x", 1, &fault), -1);
	cr_expect_lt(now() - start, 100 * MS);
	/* The server starts: the publisher succeeds, and look-ups ask again. */
	a = node(0);
	look(a, "x", &count);
	look(node(0), "x", &count);
	cr_expect_eq(look(node(0), "x", &count), REMOTE_SKIPPED);
	redis_start("");
	a = node(0);
	cr_expect_eq(look(a, "x", &count), REMOTE_SKIPPED, "left alone");
	cr_expect_eq(remote_put_result(a, STORE_RESULT, &k, "x", 1, &fault), 0, "%s", fault.text);
	cr_expect_eq(look(a, "x", &count), REMOTE_ABSENT);
}

Test(remote_servers, a_forked_child_leaves_the_connection_alone)
{
	unsigned count;
	int status;

	redis_start("");
	struct remote *a = node(0);
	cr_expect_eq(look(a, "x", &count), REMOTE_ABSENT);
	pid_t pid = fork();
	if (pid == 0) {
		remote_close(a);
		_exit(a->on);
	}
	waitpid(pid, &status, 0);
	cr_expect_eq(status, 0);
	cr_expect_eq(look(a, "y", &count), REMOTE_ABSENT);
	cr_expect_eq(a->server->backend.round_trips, 2);
}
