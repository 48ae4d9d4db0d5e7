/* remote/wire/tunnel.c - starts reprise-remote and reads its first line. */
#include "remote/wire/tunnel.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "remote/wire/dial.h"
#include "remote/wire/status.h"
#include "shim/format.h"
#include "shim/kernel/hidden_child.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "store/agent_start.h"

#include "shim/banned.h"

/* The program ends as soon as our side is closed, or by the deadline, which it gets as an
 * argument. */
#define END_NS 50000000

/* Runs in the hidden child, the parent of the program: an exec would restore the program's exit
 * signal. */
static void run_program(int fd, char *const argv[], const char *program)
{
	char *const envp[] = {NULL};
	unsigned tries = 0;
	long rc;
	pid_t pid = (pid_t)SYS5(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0) {
		sys_dup3(fd, 0, 0);
		sys_close(fd);
		SYS3(SYS_execve, program, argv, envp);
		sys_exit_group(127);
	}
	/* Only the program may hold the socket: its end is then the caller's end of file. */
	sys_close(fd);
	do
		rc = pid > 0 ? SYS4(SYS_wait4, pid, NULL, 0, NULL) : -ECHILD;
	while (sys_interrupted(rc, &tries));
	sys_exit_group(0);
}

/* Reads the line, without its newline. */
static enum wire_status read_line(int fd, char line[TUNNEL_LINE], int64_t deadline,
                                  struct fault *fault)
{
	unsigned tries = 0;
	size_t n = 0;

	while (n < TUNNEL_LINE) {
		enum wire_status s = dial_wait(fd, POLLIN, deadline);
		ssize_t got;

		if (s != WIRE_OK) {
			fault_set(fault, ETIMEDOUT, "connect by TLS: %s", wire_status_text(s));
			return s;
		}
		got = sys_read(fd, line + n, 1);
		if (sys_not_yet(got, &tries))
			continue;
		if (got <= 0)
			break;
		if (line[n] == '\n') {
			line[n] = '\0';
			return WIRE_OK;
		}
		n++;
	}
	fault_set(fault, ECONNRESET, "libexec/reprise/reprise-remote ended without a message");
	return WIRE_FAULT;
}

static enum wire_status judge_line(const char *line, struct fault *fault)
{
	size_t n = strcspn(line, " ");
	enum wire_status s;

	if (tunnel_status_parse(&s, line, n)) {
		if (s != WIRE_OK)
			fault_set(fault, EPROTO, "%s", line[n] ? line + n + 1 : line);
		return s;
	}
	fault_set(fault, EPROTO, "libexec/reprise/reprise-remote has another version");
	return WIRE_FAULT;
}

enum wire_status tunnel_open(int *fd, pid_t *pid, const struct redis_config *c, const char *host,
                             unsigned port, int64_t deadline, struct fault *fault)
{
	char program[PATH_SIZE], port_text[16], deadline_text[32], line[TUNNEL_LINE];
	char *argv[TUNNEL_ARGC + 1];
	enum wire_status s = WIRE_FAULT;
	int pair[2] = {-1, -1};
	long rc;

	*fd = -1;
	*pid = 0;
	if (agent_program(program, TUNNEL_PROGRAM) < 0) {
		fault_set(fault, ENOENT, "libexec/reprise/reprise-remote is missing");
		return WIRE_REFUSED;
	}
	format_text(port_text, sizeof port_text, "%u", port);
	format_text(deadline_text, sizeof deadline_text, "%lld", (long long)deadline);
	argv[0] = program;
	argv[TUNNEL_HOST] = (char *)host;
	argv[TUNNEL_PORT] = port_text;
	argv[TUNNEL_NAME] = (char *)(*c->tls_name ? c->tls_name : host);
	argv[TUNNEL_CA] = (char *)c->tls_ca;
	argv[TUNNEL_CERT] = (char *)c->tls_cert;
	argv[TUNNEL_KEY] = (char *)c->tls_key;
	argv[TUNNEL_RUNTIME] = (char *)(c->runtime_dir ? c->runtime_dir : "");
	argv[TUNNEL_DEADLINE] = deadline_text;
	argv[TUNNEL_ARGC] = NULL;
	rc = SYS4(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair);
	for (int i = 0; i < 2 && rc >= 0; i++)
		rc = pair[i] = sys_above_streams(pair[i]);
	if (rc >= 0)
		*pid = hidden_child_fork(&pair[1], 1, 0);
	if (*pid == 0 && rc >= 0)
		run_program(pair[1], argv, program);
	if (pair[1] >= 0)
		sys_close(pair[1]);
	if (rc < 0 || *pid < 0) {
		fault_sys(fault, rc < 0 ? (int)-rc : -*pid, "start", program);
	} else {
		s = read_line(pair[0], line, deadline, fault);
		if (s == WIRE_OK)
			s = judge_line(line, fault);
	}
	if (s == WIRE_OK) {
		*fd = pair[0];
		return s;
	}
	if (pair[0] >= 0)
		sys_close(pair[0]);
	tunnel_end(*pid);
	*pid = 0;
	return s;
}

void tunnel_end(pid_t pid)
{
	if (pid > 0)
		hidden_child_reap(pid, END_NS);
}
