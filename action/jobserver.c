/* action/jobserver.c - is there a jobserver of make's for this start? */
#include "action/jobserver.h"

#include <string.h>

#include "shim/sys.h"

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

/* As the tool will find it: what closes at an exec is ours. */
static int is_inherited(int fd)
{
	long flags = fd > 0 ? sys_fcntl(fd, F_GETFD, 0) : -1;

	return flags >= 0 && !(flags & FD_CLOEXEC);
}

static int is_usable(struct action *a, const char *s)
{
	struct statx st;
	const char *fifo;

	if (strncmp(s, "fifo:", 5) != 0)
		return is_inherited(take_number(&s)) && is_inherited(take_number(&s));
	s += 5;
	fifo = arena_memdup(&a->arena, s, strcspn(s, " "));
	return fifo && sys_statx(AT_FDCWD, fifo, 0, STATX_TYPE, &st) == 0;
}

/* What follows the last --jobserver-auth= or, of makes before 4.2, --jobserver-fds=. */
static const char *find_last(const char *flags)
{
	const char *last = NULL, *s;

	for (s = flags; s && (s = strstr(s, "--jobserver-")); s++)
		if (strncmp(s + 12, "auth=", 5) == 0 || strncmp(s + 12, "fds=", 4) == 0)
			last = strchr(s, '=') + 1;
	return last;
}

const char *jobserver_state(struct action *a)
{
	const char *flags = action_env(a, "MAKEFLAGS"), *auth = find_last(flags);

	if (auth && is_usable(a, auth))
		return "usable";
	for (int i = 1; i < a->cmd.count; i++)
		if (strcmp(a->cmd.v[i].text, "-flto=jobserver") == 0)
			return auth ? "closed" : flags ? "absent" : "no make";
	return "none";
}
