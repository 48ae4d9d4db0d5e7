/* jit/compile_error.c - the cause of a failed compile, by its log. */
#include "jit/jit.h"

#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>

#include "jit/symbols.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

/* Messages of NVRTC's front end (12.1 and 13.0: "catastrophic error: out of memory"), its
 * optimiser, ptxas and libNVVM. First letters are left out, as some begin a sentence. A source
 * whose own #error says so is compiled each time. */
static const char machine[] =
	"ut of memory\0emory alloc\0llocate memory\0llocation fail\0nsufficient memory\0"
	"nternal error\0nternal compiler error\0nternal Compiler Error\0"
	"oo many open files\0o space left\0nput/output error\0esource temporarily\0"
	"emporary file\0";
/* Text behind the name of a file that could not be opened, where the cause is the file. */
static const char ends[][20] = {
	"\n",
	"\r",
	" (no directories",
	": No such file",
	": Not a directory",
	": Is a directory",
	": Permission denied",
};

static int is_of_file(const char *rest)
{
	if (!*rest)
		return 1;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (strncmp(rest, ends[i], strlen(ends[i])) == 0)
			return 1;
	return 0;
}

/* cannot open source file "a.h": Too many open files */
static int opens_fail(const char *log)
{
	for (const char *p = strstr(log, " open "); p; p = strstr(p + 1, " open ")) {
		size_t line = strcspn(p, "\n");
		const char *name = memmem(p, line, "file \"", 6);
		const char *end =
			name ? memchr(name + 6, '"', line - (size_t)(name + 6 - p)) : NULL;

		if (end && !is_of_file(end + 1))
			return 1;
	}
	return 0;
}

int compile_error_by_machine(const char *log)
{
	return !*log || names_mention(log, machine) || opens_fail(log);
}

/* Whether the process may open more files. */

/* The number of descriptors that one ppoll asks about. After QUESTIONS such calls the process
 * counts as one at its limit. */
#define CHUNK 64
#define QUESTIONS 16

/* Asks from the limit down: nearly every process has no descriptor there, so one question is
 * enough. */
int descriptors_free(unsigned need)
{
	struct timespec at_once = {0, 0}; /* qemu-user has to write what is left */
	struct rlimit limit = {0, 0};
	struct pollfd v[CHUNK];
	unsigned free_count = 0;
	int end;

	if (SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) < 0)
		return 0;
	end = limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur : INT_MAX;
	for (int i = 0; i < QUESTIONS && end > 0 && free_count < need; i++) {
		int n = end < CHUNK ? end : CHUNK;

		end -= n;
		for (int k = 0; k < n; k++)
			v[k] = (struct pollfd){end + k, 0, 0};
		if (SYS5(SYS_ppoll, v, n, &at_once, NULL, 0) < 0)
			return 0;
		for (int k = 0; k < n; k++)
			free_count += (v[k].revents & POLLNVAL) != 0;
	}
	return free_count >= need;
}
