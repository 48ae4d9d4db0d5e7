/* remote/wire/resolve.c - resolves names, and keeps the addresses in a file:
 *   offset 0  size 8  magic    "RPRADDR" and the version, 1
 *          8       8  made_at  seconds since 1970
 *         16       4  count    1 to RESOLVE_MAX
 *         20     192  RESOLVE_MAX times family (4 or 6), scope, 16 bytes; zeros after the last
 *        212      32  digest of the host's name and all before
 * Native byte order: the file never leaves the node. */
#include "remote/wire/resolve.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "shim/format.h"
#include "shim/kernel/hidden_child.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "store/lock.h"

/* A child ends as soon as it has answered. */
#define REAP_NS 100000000

struct address_file {
	char magic[8];
	int64_t made_at;
	struct resolve_list list;
	struct digest check;
} __attribute__((packed));
_Static_assert(sizeof(struct address_file) == 212 + DIGEST_SIZE, "table above");
static const char magic[8] = {'R', 'P', 'R', 'A', 'D', 'D', 'R', 1};

/* Answer of the child; gai is 0 or getaddrinfo's code. */
struct answer {
	int gai;
	struct resolve_list list;
};

static void check_of(struct digest *out, const struct address_file *f, const char *host)
{
	struct digest_state s;

	digest_init(&s);
	digest_add(&s, host, strlen(host) + 1);
	digest_add(&s, f, offsetof(struct address_file, check));
	digest_final(&s, out);
}

static int cache_path(char out[PATH_SIZE], const char *runtime_dir, const char *host,
                      const char *suffix)
{
	char name[64], hex[DIGEST_HEX + 1];
	struct digest d;

	digest_of(&d, host, strlen(host));
	digest_hex(&d, hex);
	hex[16] = '\0';
	format_text(name, sizeof name, "address-%s%s", hex, suffix);
	return path_join(out, PATH_SIZE, runtime_dir, name) < PATH_SIZE ? 0 : -1;
}

/* Reads the file. Returns its age in seconds, or -1 if it is missing or unusable. */
static int64_t cache_read(struct resolve_list *out, const char *runtime_dir, const char *host)
{
	char path[PATH_SIZE];
	struct address_file f;
	struct digest check;
	ssize_t n;
	int fd;

	if (!runtime_dir || cache_path(path, runtime_dir, host, "") < 0)
		return -1;
	fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	n = sys_read_all(fd, &f, sizeof f);
	sys_close(fd);
	if (n != (ssize_t)sizeof f || memcmp(f.magic, magic, sizeof magic) != 0)
		return -1;
	check_of(&check, &f, host);
	if (!digest_equal(&check, &f.check) || !f.list.count || f.list.count > RESOLVE_MAX)
		return -1;
	memcpy(out, &f.list, sizeof *out);
	int64_t now = sys_now_ns(CLOCK_REALTIME) / 1000000000;
	/* A time in the future: the clock was set back. The file is used like a stale one. */
	if (f.made_at > now)
		return RESOLVE_FRESH_S;
	return f.made_at > now - RESOLVE_STALE_S ? now - f.made_at : -1;
}

static void cache_write(const struct resolve_list *list, const char *runtime_dir, const char *host)
{
	char path[PATH_SIZE], temporary[PATH_SIZE];
	struct address_file f;
	int fd;

	if (!runtime_dir || cache_path(path, runtime_dir, host, "") < 0 ||
	    cache_path(temporary, runtime_dir, host, ".new") < 0)
		return;
	memset(&f, 0, sizeof f);
	memcpy(f.magic, magic, sizeof magic);
	f.made_at = sys_now_ns(CLOCK_REALTIME) / 1000000000;
	memcpy(&f.list, list, sizeof f.list);
	check_of(&f.check, &f, host);
	/* There is one writer, which holds the name's lock; it overwrites the file of a killed
	 * writer. */
	fd = sys_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
	              0600);
	if (fd < 0)
		return;
	if (sys_write_all(fd, &f, sizeof f) == (ssize_t)sizeof f)
		sys_rename(temporary, path);
	else
		sys_unlink(temporary);
	sys_close(fd);
}

static int add_address(struct resolve_list *l, const struct sockaddr *sa)
{
	struct resolve_address *a = &l->v[l->count];

	if (l->count == RESOLVE_MAX)
		return 0;
	memset(a, 0, sizeof *a);
	if (sa->sa_family == AF_INET) {
		a->family = 4;
		memcpy(a->b, &((const struct sockaddr_in *)sa)->sin_addr, 4);
	} else if (sa->sa_family == AF_INET6) {
		a->family = 6;
		a->scope = ((const struct sockaddr_in6 *)sa)->sin6_scope_id;
		memcpy(a->b, &((const struct sockaddr_in6 *)sa)->sin6_addr, 16);
	} else {
		return 0;
	}
	for (unsigned i = 0; i < l->count; i++)
		if (!memcmp(&l->v[i], a, sizeof *a))
			return 0;
	l->count++;
	return 1;
}

/* Alternates the families, so that an unreachable family costs one pause (remote/wire/dial.c). */
static void take_turns(struct resolve_list *l)
{
	for (unsigned i = 1; i < l->count; i++) {
		unsigned k = i;

		while (k < l->count && l->v[k].family == l->v[i - 1].family)
			k++;
		if (k == l->count)
			return;
		struct resolve_address other = l->v[k];
		memmove(&l->v[i + 1], &l->v[i], (k - i) * sizeof other);
		l->v[i] = other;
	}
}

/* Calls getaddrinfo and returns its code. */
static int ask(struct resolve_list *out, const char *host, int flags)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags}, *found = NULL;
	int rc = getaddrinfo(host, NULL, &hints, &found);

	out->count = 0;
	if (rc)
		return rc;
	for (struct addrinfo *p = found; p; p = p->ai_next)
		add_address(out, p->ai_addr);
	freeaddrinfo(found);
	take_turns(out);
	return out->count ? 0 : EAI_NONAME;
}

static int is_numeric(const char *host)
{
	return strchr(host, ':') || !host[strspn(host, "0123456789.")];
}

/* Waits for the child's answer. 1: it came; 0: the deadline passed; -1: the child ended without an
 * answer. */
static int await_answer(int fd, struct answer *answer, int64_t deadline)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int64_t left = deadline - sys_now_ns(CLOCK_MONOTONIC);
		struct timespec ts = {left / 1000000000, left % 1000000000};

		if (left <= 0)
			return 0;
		long rc = SYS5(SYS_ppoll, &p, 1, &ts, NULL, SIGNALS_SET_SIZE);
		if (rc > 0)
			return sys_read_all(fd, answer, sizeof *answer) == sizeof *answer ? 1 : -1;
		if (rc < 0 && rc != -EINTR)
			return -1;
	}
}

static void child(const char *host, const char *runtime_dir, int fd)
{
	struct answer answer;

	memset(&answer, 0, sizeof answer);
	answer.gai = ask(&answer.list, host, 0);
	if (!answer.gai)
		cache_write(&answer.list, runtime_dir, host);
	/* If the parent has closed its end: SIGPIPE, which is as good as the exit. */
	sys_write_all(fd, &answer, sizeof answer);
	sys_exit_group(0);
}

/* Asks a child, which inherits the lock's descriptor and holds the lock until it ends. 1, 0 or -1
 * as hear. */
static int ask_child(struct answer *answer, const char *host, const char *runtime_dir,
                     struct lock *lock, int64_t deadline)
{
	int fds[2], keep[2], rc;
	pid_t pid;

	rc = sys_pipe2(fds, O_CLOEXEC);
	if (rc < 0)
		return -1;
	fds[0] = sys_above_streams(fds[0]);
	fds[1] = sys_above_streams(fds[1]);
	if (fds[0] < 0 || fds[1] < 0) {
		rc = -1;
		goto out;
	}
	keep[0] = fds[1];
	keep[1] = lock->fd;
	pid = hidden_child_fork(keep, lock->fd >= 0 ? 2 : 1, RESOLVE_CHILD_S);
	if (pid == 0)
		child(host, runtime_dir, fds[1]);
	sys_close(fds[1]);
	fds[1] = -1;
	rc = pid < 0 ? -1 : await_answer(fds[0], answer, deadline);
	/* Without a runtime directory no process can use the addresses of a late child. */
	if (pid > 0 && (rc != 0 || !runtime_dir))
		hidden_child_reap(pid, rc != 0 ? REAP_NS : 0);
out:
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			sys_close(fds[i]);
	return rc;
}

static enum wire_status ask_name(struct resolve_list *out, const char *host,
                                 const char *runtime_dir, int stale, int64_t deadline,
                                 struct fault *fault)
{
	int64_t now = sys_now_ns(CLOCK_MONOTONIC), patience = deadline - now;
	struct lock lock = LOCK_INIT;
	struct answer answer;
	struct digest key;
	int rc;

	/* With stale addresses to fall back on, half of the time is left for the connection. */
	if (stale)
		patience /= 2;
	digest_of(&key, host, strlen(host));
	if (runtime_dir) {
		enum lock_status taken = lock_take(&lock, runtime_dir, &key, stale ? 0 : patience,
		                                   NULL);
		int64_t age = cache_read(out, runtime_dir, host);

		if (age >= 0 && (age < RESOLVE_FRESH_S || taken == LOCK_TIMEOUT)) {
			lock_release(&lock);
			return WIRE_OK;
		}
		if (taken == LOCK_TIMEOUT) {
			fault_set(fault, ETIMEDOUT, "look up %s: timed out", host);
			return WIRE_TIMEOUT;
		}
	}
	rc = ask_child(&answer, host, runtime_dir, &lock, now + patience);
	lock_forget(&lock);
	if (rc > 0 && !answer.gai && answer.list.count && answer.list.count <= RESOLVE_MAX) {
		*out = answer.list;
		return WIRE_OK;
	}
	if (cache_read(out, runtime_dir, host) >= 0)
		return WIRE_OK;
	if (rc == 0) {
		fault_set(fault, ETIMEDOUT, "look up %s: timed out", host);
		return WIRE_TIMEOUT;
	}
	if (rc < 0) {
		fault_set(fault, EAGAIN, "look up %s: no answer from the child", host);
		return WIRE_FAULT;
	}
	fault_set(fault, ENOENT, "look up %s: %s", host, gai_strerror(answer.gai));
	return WIRE_REFUSED;
}

enum wire_status resolve(struct resolve_list *out, const char *host, const char *runtime_dir,
                         int64_t deadline, struct fault *fault)
{
	static const struct sockaddr_in loop4 = {.sin_family = AF_INET};
	static const struct sockaddr_in6 loop6 = {.sin6_family = AF_INET6,
	                                          .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int64_t age;

	memset(out, 0, sizeof *out);
	if (!strcasecmp(host, "localhost")) {
		struct sockaddr_in sin = loop4;

		sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		add_address(out, (const struct sockaddr *)&sin);
		add_address(out, (const struct sockaddr *)&loop6);
		return WIRE_OK;
	}
	if (is_numeric(host)) {
		int rc = ask(out, host, AI_NUMERICHOST);

		if (!rc)
			return WIRE_OK;
		fault_set(fault, ENOENT, "%s is not an address: %s", host, gai_strerror(rc));
		return WIRE_REFUSED;
	}
	age = cache_read(out, runtime_dir, host);
	if (age >= 0 && age < RESOLVE_FRESH_S)
		return WIRE_OK;
	return ask_name(out, host, runtime_dir, age >= 0, deadline, fault);
}
