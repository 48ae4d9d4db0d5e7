/* tests/unit/test_jobserver.c - finds make's jobserver at a start. */
#include "tools/cmdline/jobserver.h"

#include <criterion/criterion.h>
#include <string.h>

static struct arena arena;

/* MAKEFLAGS may be NULL. */
static const char *state(const char *tool, char *argument, unsigned flags, char *makeflags)
{
	static char *envp[2];
	struct cmdline_arg v[] = {{.text = tool}, {.text = argument}};
	struct cmdline c = {.v = v, .count = 2, .flags = flags};
	const char *said;

	envp[0] = makeflags;
	said = jobserver_state(&(struct jobserver_start){tool_find(tool, NULL), &c, envp, &arena});
	return said ? said : "";
}

Test(jobserver, tools_that_ask)
{
	cr_assert_str_eq(state("gcc", "a.o", CMD_LINK, NULL), "none");
	cr_assert_str_eq(state("gcc", "-c", 0, NULL), "");
	cr_assert_str_eq(state("clang", "a.o", CMD_LINK, NULL), "");
	cr_assert_str_eq(state("nvcc", "--jobserver", 0, NULL), "none");
	cr_assert_str_eq(state("nvcc", "a.cu", 0, NULL), "");
	cr_assert_str_eq(state("cicc", "--jobserver", 0, NULL), "none");
	cr_assert_str_eq(state("fatbinary", "--jobserver", 0, NULL), "");
	cr_assert_str_eq(state("nvcc", "a.cu", 0, "NVCC_APPEND_FLAGS=--jobserver"), "none");
}

Test(jobserver, why_there_is_none)
{
	static char gone[] = "MAKEFLAGS= --jobserver-auth=fifo:/nowhere";
	static char old[] = "MAKEFLAGS= --jobserver-fds=3,4";

	cr_assert_str_eq(state("gcc", "-flto=jobserver", CMD_LINK, NULL), "no make");
	cr_assert_str_eq(state("gcc", "-flto=jobserver", CMD_LINK, "MAKEFLAGS=-k"), "absent");
	cr_assert_str_eq(state("gcc", "-flto=jobserver", CMD_LINK, gone), "closed");
	cr_assert_str_eq(state("nvcc", "--jobserver", 0, old), "none", "nvcc does not know it");
	cr_assert_str_eq(state("nvcc", "--jobserver", 0, gone), "closed");
}

Test(jobserver, of_cargo)
{
	static char closed[] =
		"CARGO_MAKEFLAGS=-j --jobserver-fds=901,902 --jobserver-auth=901,902";
	static char *envp[] = {closed, NULL};
	struct cmdline c = {0};
	const struct jobserver_start s = {tool_find("rustc", NULL), &c, envp, &arena};

	cr_assert_str_eq(state("rustc", "a.rs", 0, NULL), "");
	cr_assert_str_eq(state("rustc", "a.rs", 0, "MAKEFLAGS=-k"), "");
	cr_assert_str_eq(state("rustc", "a.rs", 0, closed), "closed");
	cr_assert_str_eq(jobserver_fifo(&s), "/dev/fd/901,902");
	cr_assert(jobserver_is("/dev/fd/901,902", "/dev/fd/901"));
	cr_assert(jobserver_is("/dev/fd/901,902", "/dev/fd/902"));
	cr_assert_not(jobserver_is("/dev/fd/901,902", "/dev/fd/90"));
	cr_assert_not(jobserver_is("/dev/fd/901,902", "/dev/fd/9"));
	cr_assert_not(jobserver_is("/dev/fd/901,902", "901"));
	cr_assert(jobserver_is("/tmp/GMfifo1", "/tmp/GMfifo1"));
	cr_assert_not(jobserver_is("/tmp/GMfifo1", "/tmp/GMfifo"));
}

Test(jobserver, made_by_make)
{
	cr_assert(jobserver_is_made("make", "mkfifo", "/tmp/GMfifo123"));
	cr_assert(jobserver_is_made("gmake", "mkfifo", "/tmp/GMfifo123"));
	cr_assert_not(jobserver_is_made("ninja", "mkfifo", "/tmp/GMfifo123"));
	cr_assert_not(jobserver_is_made("make", "mkfifo", "/tmp/GMfifo123x"));
	cr_assert_not(jobserver_is_made("make", "mkfifo", "GMfifo123"));
	cr_assert_not(jobserver_is_made("make", "mknod", "/tmp/GMfifo123"));
}
