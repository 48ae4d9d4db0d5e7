/* The question to an agent: a broken or missing reply is no answer, and the wait is bounded. */
#include "store_fixture.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "remote/remote.h"
#include "shim/kernel/sys.h"
#include "store/agent.h"

#define WAIT_NS 300000000ll

TestSuite(agent, .init = fixture_start, .fini = fixture_stop);

static struct settings set;
static char name[AGENT_NAME_SIZE];
static pid_t served;

/* A agent of the test's own: answers the one question with n bytes, or not at all. */
static void serve(const void *answer, size_t n)
{
	settings_defaults(&set);
	agent_name(name, &store, &set);
	int fd = agent_socket(store.runtime_dir, name, 1);

	cr_assert_geq(fd, 0);
	served = fork();
	if (served == 0) {
		struct pollfd p = {fd, POLLIN, 0};
		struct agent_question q;

		poll(&p, 1, 10000);
		int peer = accept(fd, NULL, NULL);
		if (recv(peer, &q, sizeof q, 0) != sizeof q || q.magic != AGENT_MAGIC)
			_exit(1);
		if (n)
			send(peer, answer, n, 0);
		else
			pause();
		_exit(0);
	}
	close(fd);
}

static enum agent_answer asked(void)
{
	struct digest key = {{1}};
	char *none[] = {NULL};
	int64_t begun = sys_now_ns(CLOCK_MONOTONIC);
	struct agent_question q;
	struct agent_reply reply;
	struct agent g;

	agent_open(&g, &store, &set, none, &arena);
	agent_question(&q, &g, AGENT_FILL, STORE_UNIT, &key);
	enum agent_answer answer = agent_ask(&g, &q, WAIT_NS, &reply, &fault);
	agent_close(&g);

	cr_expect_lt(sys_now_ns(CLOCK_MONOTONIC) - begun, 10 * WAIT_NS, "it must not wait on");
	kill(served, SIGKILL);
	waitpid(served, NULL, 0);
	return answer;
}

static enum agent_answer told(unsigned magic, unsigned answer, const char *text)
{
	struct agent_reply reply = {.magic = magic, .answer = answer};

	memccpy(reply.text, text, 0, sizeof reply.text);
	serve(&reply, sizeof reply);
	return asked();
}

Test(agent, answers) { cr_expect_eq(told(AGENT_MAGIC, AGENT_FILLED, ""), AGENT_FILLED); }
Test(agent, absent) { cr_expect_eq(told(AGENT_MAGIC, AGENT_ABSENT, ""), AGENT_ABSENT); }
Test(agent, skipped_says_why)
{
	cr_expect_eq(told(AGENT_MAGIC, AGENT_SKIPPED, "left alone"), AGENT_SKIPPED);
	cr_expect_str_eq(fault.text, "left alone");
}
Test(agent, a_text_without_an_end)
{
	char long_text[sizeof((struct agent_reply *)0)->text + 1];

	memset(long_text, 'x', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	cr_expect_eq(told(AGENT_MAGIC, AGENT_SKIPPED, long_text), AGENT_SKIPPED);
	cr_expect_lt(strlen(fault.text), sizeof long_text);
}
Test(agent, another_magic) { cr_expect_eq(told(1, AGENT_FILLED, ""), AGENT_SKIPPED); }
Test(agent, no_such_answer) { cr_expect_eq(told(AGENT_MAGIC, 77, ""), AGENT_SKIPPED); }
Test(agent, a_cut_answer)
{
	serve("RPA0", 4);
	cr_expect_eq(asked(), AGENT_SKIPPED);
}
Test(agent, silence)
{
	serve(NULL, 0);
	cr_expect_eq(asked(), AGENT_SKIPPED);
	cr_expect(*fault.text);
}
/* A killed agent left its socket, where no process listens. This program has no `reprise` beside
 * it. */
Test(agent, no_agent)
{
	serve(NULL, 0);
	kill(served, SIGKILL);
	waitpid(served, NULL, 0);
	cr_expect_eq(asked(), AGENT_SKIPPED);
	cr_expect(*fault.text);
}
static const char *named(enum setting_id id, const char *value)
{
	static char names[16][AGENT_NAME_SIZE];
	static int n;
	char *none[] = {NULL};

	settings_defaults(&set);
	set.v[SETTING_REDIS_URL].text = "redis://here";
	set.v[id].text = value;
	remote_tag(&store, &set, none, &arena);
	n = (n + 1) % 16;
	agent_name(names[n], &store, &set);
	return names[n];
}

Test(agent, processes_with_other_rights_ask_another_agent)
{
	const char *here = named(SETTING_REDIS_URL, "redis://here");

	cr_expect_str_neq(named(SETTING_REDIS_URL, "redis://elsewhere"), here);
	cr_expect_str_neq(named(SETTING_REMOTE_LOOKUP_TIMEOUT, "7s"), here);
	cr_expect_str_eq(named(SETTING_JOB, "another"), here, "its budget is in the question");
	cr_expect_str_neq(named(SETTING_LOG, "/elsewhere"), here);
	cr_expect_str_neq(named(SETTING_MAX_SIZE, "1G"), here);
	cr_expect_str_neq(named(SETTING_READONLY, "1"), here);
	cr_expect_str_eq(named(SETTING_REDIS_PASSWORD, "secret"), here);
	cr_expect_str_eq(named(SETTING_REDIS_URL, "redis://:secret@here"), here);
}

/* What agent_room() says fits a socket with that buffer, and where it is bounded by the buffer one
 * byte more does not. */
static void fits(int buffer)
{
	static unsigned char bytes[2 * AGENT_BYTES];
	size_t head = sizeof(struct agent_reply);
	int pair[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	cr_assert_eq(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer), 0);
	size_t room = agent_room(pair[0], head);

	cr_expect_gt(room, 0);
	cr_expect_eq(send(pair[0], bytes, head + room, MSG_DONTWAIT), head + room);
	cr_expect_eq(recv(pair[1], bytes, sizeof bytes, 0), head + room);
	if (room < AGENT_BYTES)
		cr_expect_lt(send(pair[0], bytes, head + room + 1, MSG_DONTWAIT), 0);
	close(pair[0]);
	close(pair[1]);
}
Test(agent, what_fits_a_small_buffer) { fits(1); }
Test(agent, what_fits_a_buffer_of_20_kb) { fits(10000); }
Test(agent, what_fits_a_large_buffer)
{
	int pair[2];

	fits(200000);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	cr_expect_eq(agent_room(pair[0], 1u << 30), 0, "no message is so large");
	cr_expect_eq(agent_room(-1, 0), 0);
	close(pair[0]);
	close(pair[1]);
}

/* What agent_peer_is_ours() says of a socket that this user made. */
static int is_ours_of(uid_t user)
{
	int pair[2];

	cr_assert_eq(seteuid(user), 0);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	cr_assert_eq(seteuid(getuid()), 0);
	int ours = agent_peer_is_ours(pair[0]);

	close(pair[0]);
	close(pair[1]);
	return ours;
}
Test(agent, a_peer_is_of_the_same_user)
{
	cr_expect_eq(is_ours_of(geteuid()), 1);
	cr_expect_eq(agent_peer_is_ours(-1), 0);
	if (getuid() == 0)
		cr_expect_eq(is_ours_of(65534), 0);
}
