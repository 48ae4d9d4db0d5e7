/* remote/wire/resolve.c with our own getaddrinfo in libc's place: order, what the process
 * remembers, late and failing look-ups. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <sched.h>
#include <sys/wait.h>

#include "remote/wire/resolve.h"
#include "shim/kernel/sys.h"

/* The answer that the next child finds: addresses with blanks between, or none. */
static const char *finds = "10.0.0.1";
static int takes_ms;

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
	char text[256], *save = NULL;
	struct addrinfo **end = out;
	int numeric = hints->ai_flags & AI_NUMERICHOST;

	(void)service;
	*out = NULL;
	if (!numeric)
		usleep((unsigned)takes_ms * 1000);
	snprintf(text, sizeof text, "%s", numeric ? host : finds);
	for (char *p = strtok_r(text, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
		struct { struct addrinfo ai; struct sockaddr_in6 sa; } *n = calloc(1, sizeof *n);
		struct sockaddr_in *in = (void *)&n->sa;

		n->ai.ai_addr = (void *)&n->sa;
		if (inet_pton(AF_INET, p, &in->sin_addr) == 1)
			in->sin_family = AF_INET;
		else if (inet_pton(AF_INET6, p, &n->sa.sin6_addr) == 1)
			n->sa.sin6_family = AF_INET6;
		else
			return free(n), EAI_NONAME;
		*end = &n->ai;
		end = &n->ai.ai_next;
	}
	return *out ? 0 : EAI_NONAME;
}

void freeaddrinfo(struct addrinfo *p)
{
	while (p) {
		struct addrinfo *next = p->ai_next;
		free(p);
		p = next;
	}
}

TestSuite(resolve, .fini = resolve_forget);

static struct resolve_list list;
static struct fault fault;

static enum wire_status look(const char *host, int ms)
{
	int64_t start = sys_now_ns(CLOCK_MONOTONIC);
	enum wire_status s = resolve(&list, host, start + ms * 1000000ll, &fault);

	cr_expect_lt(sys_now_ns(CLOCK_MONOTONIC) - start, (ms + 200) * 1000000ll, "late");
	cr_expect(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "a child that wait() sees");
	return s;
}

/* "10.0.0.1 ::1" */
static const char *found(void)
{
	static char text[512];
	char one[64];

	*text = '\0';
	for (unsigned i = 0; i < list.count; i++) {
		inet_ntop(list.v[i].family == 4 ? AF_INET : AF_INET6, list.v[i].b, one, sizeof one);
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
		         one);
	}
	return text;
}

Test(resolve, numbers)
{
	finds = "";
	cr_expect_eq(look("10.1.2.3", 100), WIRE_OK);
	cr_expect_str_eq(found(), "10.1.2.3");
	cr_expect_eq(look("2001:db8::7", 100), WIRE_OK);
	cr_expect_str_eq(found(), "2001:db8::7");
	cr_expect_eq(look("LocalHost", 100), WIRE_OK);
	cr_expect_str_eq(found(), "127.0.0.1 ::1");
	cr_expect_eq(look("10.1.2", 100), WIRE_REFUSED);
	cr_expect_eq(look("::x", 100), WIRE_REFUSED);
	cr_expect_eq(look("no.such.name", 1000), WIRE_REFUSED);
	cr_expect(strstr(fault.text, "no.such.name"), "%s", fault.text);
}

Test(resolve, families_take_turns)
{
	finds = "::1 ::2 ::3 10.0.0.1 10.0.0.2 ::1";
	cr_expect_eq(look("a", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "::1 10.0.0.1 ::2 10.0.0.2 ::3");
	finds = "10.0.0.1 10.0.0.2 10.0.0.3 ::1";
	cr_expect_eq(look("b", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.1 ::1 10.0.0.2 10.0.0.3");
	finds = "10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.4 10.0.0.5 10.0.0.6 10.0.0.7 10.0.0.8 10.0.0.9 "
		"10.0.0.10";
	cr_expect_eq(look("c", 1000), WIRE_OK);
	cr_expect_eq(list.count, RESOLVE_MAX);
}

/* Runs checks in a process whose clock is so many seconds later. It remembers what this one
 * does. */
static void later(int seconds, void (*checks)(void))
{
	FILE *f;
	int status = -1;

	if (unshare(CLONE_NEWTIME) < 0 || !(f = fopen("/proc/self/timens_offsets", "w")))
		cr_skip_test("no time namespaces here");
	fprintf(f, "boottime %d 0\n", seconds);
	cr_assert_eq(fclose(f), 0);
	pid_t pid = fork();
	if (pid == 0) {
		checks();
		resolve_forget();
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
}

static void need(int fine)
{
	if (!fine)
		_exit(1);
}

static void asks_anew(void)
{
	need(look("h", 1000) == WIRE_OK && strcmp(found(), "10.0.0.2") == 0);
}

static void falls_back(void)
{
	finds = "";
	need(look("h", 1000) == WIRE_OK && strcmp(found(), "10.0.0.1") == 0);
}

static void forgets(void)
{
	finds = "";
	need(look("h", 1000) == WIRE_REFUSED);
}

Test(resolve, remembers)
{
	cr_expect_eq(look("h", 1000), WIRE_OK);
	finds = "10.0.0.2";
	cr_expect_eq(look("h", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.1", "fresh");
	cr_expect_eq(look("i", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.2", "another name");
	later(RESOLVE_FRESH_S + 5, asks_anew);
}

Test(resolve, falls_back_on_what_it_knew)
{
	cr_expect_eq(look("h", 1000), WIRE_OK);
	later(RESOLVE_FRESH_S + 5, falls_back);
}

Test(resolve, forgets_after_a_day)
{
	cr_expect_eq(look("h", 1000), WIRE_OK);
	later(RESOLVE_STALE_S + 5, forgets);
}

Test(resolve, late)
{
	takes_ms = 400;
	cr_expect_eq(look("h", 100), WIRE_TIMEOUT);
	/* The first child still looks the name up. Later calls get its answer, long before that of
	 * another child would come. */
	takes_ms = 60000;
	finds = "10.0.0.2";
	cr_expect_eq(look("h", 2000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.1");
}

static void late_again(void)
{
	int64_t start = sys_now_ns(CLOCK_MONOTONIC);

	takes_ms = 700;
	finds = "10.0.0.2";
	/* The wait ends after half of the time. */
	need(look("h", 400) == WIRE_OK && strcmp(found(), "10.0.0.1") == 0);
	need(sys_now_ns(CLOCK_MONOTONIC) - start < 380000000);
	/* The child that is late is not waited for. */
	start = sys_now_ns(CLOCK_MONOTONIC);
	need(look("h", 4000) == WIRE_OK && strcmp(found(), "10.0.0.1") == 0);
	need(sys_now_ns(CLOCK_MONOTONIC) - start < 200000000);
	usleep(1000000);
	need(look("h", 1000) == WIRE_OK && strcmp(found(), "10.0.0.2") == 0);
}

Test(resolve, late_with_old_addresses)
{
	cr_expect_eq(look("h", 1000), WIRE_OK);
	later(RESOLVE_FRESH_S + 5, late_again);
}

static void asks_itself(void)
{
	takes_ms = 0;
	finds = "10.0.0.2";
	need(look("h", 1000) == WIRE_OK && strcmp(found(), "10.0.0.2") == 0);
}

Test(resolve, the_child_of_another_process)
{
	takes_ms = 300;
	cr_expect_eq(look("h", 50), WIRE_TIMEOUT);
	later(0, asks_itself);
	cr_expect_eq(look("h", 2000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.1");
}

Test(resolve, more_names_than_it_keeps)
{
	char host[16];

	for (int i = 0; i < 40; i++) {
		snprintf(host, sizeof host, "h%d", i);
		cr_expect_eq(look(host, 1000), WIRE_OK);
	}
	finds = "10.0.0.2";
	cr_expect_eq(look("h39", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.1");
	cr_expect_eq(look("h0", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.2");
}

Test(resolve, no_child_is_left)
{
	takes_ms = 60000;
	cr_expect_eq(look("h", 100), WIRE_TIMEOUT);
	resolve_forget();
	cr_expect_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1, "the late child is gone");
}
