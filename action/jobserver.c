/* action/jobserver.c - is there a jobserver of make's for this start, and does it ask? */
#include "action/jobserver.h"

#include <string.h>

#include "action/command.h"
#include "judge/start.h"
#include "shim/sys.h"

#include "shim/banned.h"

/* The number at *s, which goes behind it and a comma; -1 for none. */
static int take_number(const char **s)
{
	int n = 0;

	if (**s < '0' || **s > '9')
		return -1;
	for (; **s >= '0' && **s <= '9'; ++*s)
		if ((n = 10 * n + **s - '0') > 1 << 20)
			return -1;
	*s += **s == ',';
	return n;
}

static int is_fifo(int dir, const char *path, int flags)
{
	struct statx st;

	return sys_statx(dir, path, flags, STATX_TYPE, &st) == 0 && (st.stx_mode & S_IFMT) == S_IFIFO;
}

/* As the tool will find it: what closes at an exec is ours. gcc asks no more than that it is open. */
static int is_inherited(const struct start *a, int fd)
{
	long flags = fd > 0 ? sys_fcntl(fd, F_GETFD, 0) : -1;

	return flags >= 0 && !(flags & FD_CLOEXEC) && (a->row->family == FAMILY_GCC || is_fifo(fd, "", AT_EMPTY_PATH));
}

/* What follows the last --jobserver-auth= or, of makes before 4.2 and not for nvcc, --jobserver-fds=. */
static const char *find_last(const struct start *a)
{
	const char *last = NULL, *s = start_env(a, "MAKEFLAGS");

	for (; s && (s = strstr(s, "--jobserver-")); s++)
		if (strncmp(s + 12, "auth=", 5) == 0 || (strncmp(s + 12, "fds=", 4) == 0 && a->row->family == FAMILY_GCC))
			last = strchr(s, '=') + 1;
	return last;
}

static const char *fifo_of(struct start *a, const char *auth)
{
	const char *path;

	if (!auth || strncmp(auth, "fifo:", 5) != 0)
		return NULL;
	auth += 5;
	path = arena_memdup(&a->arena, auth, strcspn(auth, " "));
	return path && is_fifo(AT_FDCWD, path, 0) ? path : NULL;
}

static int is_usable(struct start *a, const char *auth)
{
	return fifo_of(a, auth) || (is_inherited(a, take_number(&auth)) && is_inherited(a, take_number(&auth)));
}

/* An options file may say it as well. */
static int says_jobserver(const char *words)
{
	return strstr(words, "jobserver") || strstr(words, "-optf") || strstr(words, "-options-file");
}

static int asks(const struct start *a)
{
	if (a->row->family == FAMILY_GCC)
		return (a->cmd.flags & CMD_LINK) != 0; /* objects may hold code for LTO whatever the command says */
	if (a->row->family != FAMILY_NVCC && a->row->family != FAMILY_CICC && a->row->family != FAMILY_PTXAS &&
	    a->row->family != FAMILY_NVLINK)
		return 0;
	for (int i = 1; i < a->cmd.count; i++)
		if (says_jobserver(a->cmd.v[i].text))
			return 1;
	return start_variables_say(a, says_jobserver);
}

const char *jobserver_state(struct start *a)
{
	const char *auth = find_last(a);

	if (!asks(a))
		return NULL;
	if (auth && is_usable(a, auth))
		return "usable";
	if (a->row->family != FAMILY_GCC)
		return auth ? "closed" : "none";
	for (int i = 1; i < a->cmd.count; i++)
		if (strcmp(a->cmd.v[i].text, "-flto=jobserver") == 0)
			return auth ? "closed" : start_env(a, "MAKEFLAGS") ? "absent" : "no make";
	return "none";
}

const char *jobserver_fifo(struct start *a)
{
	return fifo_of(a, find_last(a));
}
