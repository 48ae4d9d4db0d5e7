/* remote/wire/resolve.c with our own getaddrinfo in libc's place: order, the node's file, late and
 * failing look-ups. */
#include "tests/unit/scratch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <sys/wait.h>

#include "remote/wire/resolve.h"
#include "shim/digest.h"
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

static void init(void)
{
	scratch_make();
}

TestSuite(resolve, .init = init, .fini = scratch_remove);

static struct resolve_list list;
static struct fault fault;

static enum wire_status look(const char *host, int ms)
{
	int64_t start = sys_now_ns(CLOCK_MONOTONIC);
	enum wire_status s = resolve(&list, host, scratch_dir, start + ms * 1000000ll, &fault);

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

/* The file of a host, and its age made seconds. */
static const char *file_of(const char *host)
{
	char hex[DIGEST_HEX + 1], name[64];
	struct digest d;

	digest_of(&d, host, strlen(host));
	digest_hex(&d, hex);
	snprintf(name, sizeof name, "address-%.16s", hex);
	return scratch(name);
}

static void make_old(const char *host, int64_t seconds)
{
	unsigned char bytes[212 + DIGEST_SIZE];
	struct digest_state s;
	struct digest d;
	int64_t made_at = time(NULL) - seconds;
	FILE *f = fopen(file_of(host), "r+");

	cr_assert(f);
	cr_assert_eq(fread(bytes, 1, sizeof bytes, f), sizeof bytes, "the format's table");
	memcpy(bytes + 8, &made_at, 8);
	digest_init(&s);
	digest_add(&s, host, strlen(host) + 1);
	digest_add(&s, bytes, 212);
	digest_final(&s, &d);
	memcpy(bytes + 212, &d, DIGEST_SIZE);
	rewind(f);
	fwrite(bytes, 1, sizeof bytes, f);
	fclose(f);
}

Test(resolve, file)
{
	cr_expect_eq(look("h", 1000), WIRE_OK);
	finds = "10.0.0.2";
	cr_expect_eq(look("h", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.1", "fresh");
	make_old("h", RESOLVE_FRESH_S - 5);
	cr_expect_eq(look("h", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.1", "still fresh");
	make_old("h", RESOLVE_FRESH_S + 5);
	cr_expect_eq(look("h", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.2", "asked anew");
	/* The file is stale, and the look-up finds nothing. */
	make_old("h", RESOLVE_FRESH_S + 5);
	finds = "";
	cr_expect_eq(look("h", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.2");
	make_old("h", RESOLVE_STALE_S + 5);
	cr_expect_eq(look("h", 1000), WIRE_REFUSED, "too old");
	/* A clock that was set back. */
	make_old("h", -1000);
	finds = "10.0.0.3";
	cr_expect_eq(look("h", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.3");
	/* Another name's file under ours. */
	cr_expect_eq(look("i", 1000), WIRE_OK);
	cr_assert_eq(rename(file_of("i"), file_of("h")), 0);
	finds = "10.0.0.4";
	cr_expect_eq(look("h", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.4");
}

Test(resolve, file_that_is_none)
{
	cr_assert_eq(mkfifo(file_of("h"), 0600), 0);
	cr_expect_eq(look("h", 1000), WIRE_OK, "nobody waits for who writes there");
	cr_expect_str_eq(found(), "10.0.0.1");
}

Test(resolve, late)
{
	takes_ms = 400;
	cr_expect_eq(look("h", 100), WIRE_TIMEOUT);
	/* The first child still looks the name up. Later callers get its answer, long before their
	 * own would come. */
	takes_ms = 60000;
	finds = "10.0.0.2";
	cr_expect_eq(look("h", 2000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.1");
	/* If there is an old file, the wait ends after half of the time. */
	make_old("h", RESOLVE_FRESH_S + 5);
	takes_ms = 700;
	int64_t start = sys_now_ns(CLOCK_MONOTONIC);
	cr_expect_eq(look("h", 400), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.1");
	cr_expect_lt(sys_now_ns(CLOCK_MONOTONIC) - start, 350000000);
	/* If another process asks meanwhile, there is no wait. */
	start = sys_now_ns(CLOCK_MONOTONIC);
	cr_expect_eq(look("h", 4000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.1");
	cr_expect_lt(sys_now_ns(CLOCK_MONOTONIC) - start, 200000000);
	usleep(900000);
	cr_expect_eq(look("h", 1000), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.2", "the late child's");
}

Test(resolve, no_runtime_directory)
{
	int64_t start = sys_now_ns(CLOCK_MONOTONIC);

	cr_expect_eq(resolve(&list, "h", NULL, start + 1000000000, &fault), WIRE_OK);
	cr_expect_str_eq(found(), "10.0.0.1");
	takes_ms = 60000;
	start = sys_now_ns(CLOCK_MONOTONIC);
	cr_expect_eq(resolve(&list, "h", NULL, start + 100000000, &fault), WIRE_TIMEOUT);
	cr_expect_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1, "the late child is gone");
}
