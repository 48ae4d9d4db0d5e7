/* tools/cmdline/jobserver.c - is there a jobserver of make for this start, and does the start ask
 * for it? */
#include "tools/cmdline/jobserver.h"

#include "shim/kernel/sys.h"
#include "shim/list.h"
#include "shim/path.h"
#include "shim/settings/settings.h"
#include "tools/cmdline/cmdline.h"
#include "tools/driver.h"

#include "shim/banned.h"

static const char descriptors[] = "/dev/fd/";

static enum jobserver_use use_of(const struct jobserver_start *s)
{
	return driver_of(s->row)->jobserver;
}

/* Reads the number at *s and moves *s behind it and a comma; -1: no number. */
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

	return sys_statx(dir, path, flags, STATX_TYPE, &st) == 0 &&
	       (st.stx_mode & S_IFMT) == S_IFIFO;
}

/* Whether the tool will find this descriptor. A descriptor that closes at an exec is ours. gcc only
 * asks whether it is open. */
static int is_inherited(const struct jobserver_start *s, int fd)
{
	long flags = fd > 0 ? sys_fcntl(fd, F_GETFD, 0) : -1;

	return flags >= 0 && !(flags & FD_CLOEXEC) &&
	       (use_of(s) == JOBSERVER_LINK || is_fifo(fd, "", AT_EMPTY_PATH));
}

/* rustc takes the first of three variables that is set. */
static const char *variable(const struct jobserver_start *s)
{
	static const char names[] = "CARGO_MAKEFLAGS\0" "MAKEFLAGS\0" "MFLAGS\0";
	const char *value = NULL;

	if (use_of(s) != JOBSERVER_ALWAYS)
		return env_get(s->envp, "MAKEFLAGS");
	for (const char *name = names; *name && !value; name = LIST_NEXT(name))
		value = env_get(s->envp, name);
	return value;
}

/* The text behind the last --jobserver-auth=. Makes before 4.2 write --jobserver-fds=, which nvcc
 * does not read. */
static const char *find_last(const struct jobserver_start *s)
{
	const char *last = NULL, *p = variable(s);

	for (; p && (p = strstr(p, "--jobserver-")); p++)
		if (strncmp(p + 12, "auth=", 5) == 0 ||
		    (strncmp(p + 12, "fds=", 4) == 0 &&
		     (use_of(s) == JOBSERVER_LINK || use_of(s) == JOBSERVER_ALWAYS)))
			last = strchr(p, '=') + 1;
	return last;
}

static const char *fifo_of(const struct jobserver_start *s, const char *auth)
{
	const char *path;

	if (!auth || strncmp(auth, "fifo:", 5) != 0)
		return NULL;
	auth += 5;
	path = arena_memdup(s->arena, auth, strcspn(auth, " "));
	return path && is_fifo(AT_FDCWD, path, 0) ? path : NULL;
}

static int is_usable(const struct jobserver_start *s, const char *auth)
{
	return fifo_of(s, auth) || (is_inherited(s, take_number(&auth)) &&
	                            is_inherited(s, take_number(&auth)));
}

/* An options file may ask for the jobserver as well. */
static int says_jobserver(const char *words)
{
	return strstr(words, "jobserver") || strstr(words, "-optf") ||
	       strstr(words, "-options-file");
}

static int asks(const struct jobserver_start *s)
{
	switch (use_of(s)) {
	case JOBSERVER_NOT: return 0;
	case JOBSERVER_ALWAYS: return 1;
	/* objects may hold code for LTO whatever the command says */
	case JOBSERVER_LINK: return (s->cmd->flags & CMD_LINK) != 0;
	case JOBSERVER_ASKED: break;
	}
	for (int i = 1; i < s->cmd->count; i++)
		if (says_jobserver(s->cmd->v[i].text))
			return 1;
	for (const char *name = driver_of(s->row)->variables; *name; name = LIST_NEXT(name)) {
		const char *value = env_get(s->envp, name);

		if (value && says_jobserver(value))
			return 1;
	}
	return 0;
}

const char *jobserver_state(const struct jobserver_start *s)
{
	const char *auth = find_last(s);

	if (!asks(s))
		return NULL;
	if (auth && is_usable(s, auth))
		return use_of(s) == JOBSERVER_ALWAYS ? NULL : "usable";
	/* rustc says where it cannot use the one that is named, and nothing else. */
	if (use_of(s) == JOBSERVER_ALWAYS)
		return auth ? "closed" : NULL;
	if (use_of(s) != JOBSERVER_LINK)
		return auth ? "closed" : "none";
	if (!cmdline_has(s->cmd, "-flto=jobserver\0"))
		return "none";
	return auth ? "closed" : env_get(s->envp, "MAKEFLAGS") ? "absent" : "no make";
}

/* rustc opens the ends of a pipe anew, by their numbers. */
static const char *pipe_of(const struct jobserver_start *s, const char *auth)
{
	size_t n = auth ? strspn(auth, "0123456789,") : 0;

	if (use_of(s) != JOBSERVER_ALWAYS || !n)
		return NULL;
	return arena_cat(s->arena, descriptors, arena_memdup(s->arena, auth, n), NULL);
}

const char *jobserver_fifo(const struct jobserver_start *s)
{
	const char *auth = find_last(s), *fifo = fifo_of(s, auth);

	return fifo ? fifo : pipe_of(s, auth);
}

int jobserver_is(const char *jobserver, const char *path)
{
	size_t head = sizeof descriptors - 1;
	const char *end = strchr(jobserver, ',');

	if (!end || strncmp(jobserver, descriptors, head) != 0)
		return strcmp(path, jobserver) == 0;
	if (strncmp(path, descriptors, head) != 0)
		return 0;
	path += head;
	jobserver += head;
	return strcmp(path, end + 1) == 0 ||
	       (strlen(path) == (size_t)(end - jobserver) &&
	        memcmp(path, jobserver, strlen(path)) == 0);
}

int jobserver_is_made(const char *program, const char *call, const char *path)
{
	static const char name[] = "GMfifo";
	const char *base = path_base(path);

	return (strcmp(program, "make") == 0 || strcmp(program, "gmake") == 0) &&
	       path[0] == '/' && strcmp(call, "mkfifo") == 0 &&
	       strncmp(base, name, sizeof name - 1) == 0 &&
	       !base[sizeof name - 1 + strspn(base + sizeof name - 1, "0123456789")];
}
