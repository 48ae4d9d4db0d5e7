/* The question to a fetcher: a broken or missing reply is no answer, and the wait is bounded. */
#include "store_fixture.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "remote/ask.h"
#include "shim/kernel/sys.h"

#define WAIT_NS 300000000ll

TestSuite(ask, .init = fixture_start, .fini = fixture_stop);

static struct settings set;
static char name[ASK_NAME_SIZE];
static pid_t fetcher;

/* A fetcher of the test's own: answers the one question with n bytes, or not at all. */
static void serve(const void *answer, size_t n)
{
	settings_defaults(&set);
	ask_name(name, &store, &set);
	int fd = ask_socket(store.runtime_dir, name, 1);

	cr_assert_geq(fd, 0);
	fetcher = fork();
	if (fetcher == 0) {
		struct pollfd p = {fd, POLLIN, 0};
		struct ask_question q;

		poll(&p, 1, 10000);
		int peer = accept(fd, NULL, NULL);
		if (recv(peer, &q, sizeof q, 0) != sizeof q || q.magic != ASK_MAGIC)
			_exit(1);
		if (n)
			send(peer, answer, n, 0);
		else
			pause();
		_exit(0);
	}
	close(fd);
}

static enum ask_answer asked(void)
{
	struct digest key = {{1}};
	char *none[] = {NULL};
	int64_t begun = sys_now_ns(CLOCK_MONOTONIC);
	enum ask_answer answer = ask(&store, &set, none, STORE_UNIT, &key, WAIT_NS, &arena, &fault);

	cr_expect_lt(sys_now_ns(CLOCK_MONOTONIC) - begun, 10 * WAIT_NS, "it must not wait on");
	kill(fetcher, SIGKILL);
	waitpid(fetcher, NULL, 0);
	return answer;
}

static enum ask_answer told(unsigned magic, unsigned answer, const char *text)
{
	struct ask_reply reply = {.magic = magic, .answer = answer};

	memccpy(reply.text, text, 0, sizeof reply.text);
	serve(&reply, sizeof reply);
	return asked();
}

Test(ask, answers) { cr_expect_eq(told(ASK_MAGIC, ASK_FILLED, ""), ASK_FILLED); }
Test(ask, absent) { cr_expect_eq(told(ASK_MAGIC, ASK_ABSENT, ""), ASK_ABSENT); }
Test(ask, skipped_says_why)
{
	cr_expect_eq(told(ASK_MAGIC, ASK_SKIPPED, "left alone"), ASK_SKIPPED);
	cr_expect_str_eq(fault.text, "left alone");
}
Test(ask, a_text_without_an_end)
{
	char long_text[sizeof((struct ask_reply *)0)->text + 1];

	memset(long_text, 'x', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	cr_expect_eq(told(ASK_MAGIC, ASK_SKIPPED, long_text), ASK_SKIPPED);
	cr_expect_lt(strlen(fault.text), sizeof long_text);
}
Test(ask, another_magic) { cr_expect_eq(told(1, ASK_FILLED, ""), ASK_SKIPPED); }
Test(ask, no_such_answer) { cr_expect_eq(told(ASK_MAGIC, 77, ""), ASK_SKIPPED); }
Test(ask, a_cut_answer)
{
	serve("RPF2", 4);
	cr_expect_eq(asked(), ASK_SKIPPED);
}
Test(ask, silence)
{
	serve(NULL, 0);
	cr_expect_eq(asked(), ASK_SKIPPED);
	cr_expect(*fault.text);
}
/* A killed fetcher left its socket, where no process listens. This program has no `reprise` beside
 * it. */
Test(ask, no_fetcher)
{
	serve(NULL, 0);
	kill(fetcher, SIGKILL);
	waitpid(fetcher, NULL, 0);
	cr_expect_eq(asked(), ASK_SKIPPED);
	cr_expect(*fault.text);
}
static const char *named(enum setting_id id, const char *value)
{
	static char names[16][ASK_NAME_SIZE];
	static int n;
	char *none[] = {NULL};

	settings_defaults(&set);
	set.v[SETTING_REDIS_URL].text = "redis://here";
	set.v[id].text = value;
	remote_tag(&store, &set, none, &arena);
	n = (n + 1) % 16;
	ask_name(names[n], &store, &set);
	return names[n];
}

Test(ask, processes_with_other_rights_ask_another_fetcher)
{
	const char *here = named(SETTING_REDIS_URL, "redis://here");

	cr_expect_str_neq(named(SETTING_REDIS_URL, "redis://elsewhere"), here);
	cr_expect_str_neq(named(SETTING_REMOTE_LOOKUP_TIMEOUT, "7s"), here);
	cr_expect_str_eq(named(SETTING_JOB, "another"), here, "its budget is in the question");
	cr_expect_str_neq(named(SETTING_LOG, "/elsewhere"), here);
	cr_expect_str_eq(named(SETTING_MAX_SIZE, "1G"), here);
	cr_expect_str_eq(named(SETTING_REDIS_PASSWORD, "secret"), here);
	cr_expect_str_eq(named(SETTING_REDIS_URL, "redis://:secret@here"), here);
}
