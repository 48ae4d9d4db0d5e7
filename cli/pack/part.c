/* cli/pack/part.c - removes what an export that fails has written so far. */
#include "cli/pack/part.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDS (sizeof ends / sizeof *ends)

static const char *volatile parts[PARTS_MOST];
static volatile sig_atomic_t count;
static sigset_t before;

static void drop_and_end(int sig)
{
	part_drop();
	signal(sig, SIG_DFL);
	raise(sig);
}

void part_begin(void)
{
	for (size_t i = 0; i < ENDS; i++)
		if (signal(ends[i], drop_and_end) == SIG_IGN)
			signal(ends[i], SIG_IGN);
}

void part_hold(void)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < ENDS; i++)
		sigaddset(&held, ends[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
}

void part_release(void)
{
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void part_add(const char *path)
{
	if (count < PARTS_MOST) {
		parts[count] = path;
		count++;
	}
}

void part_drop(void)
{
	int error = errno;

	for (int i = count; i-- > 0;)
		if (unlink(parts[i]) < 0)
			rmdir(parts[i]);
	count = 0;
	errno = error;
}

void part_keep(void)
{
	count = 0;
}
