/* cli/launch_jax.c - turns on JAX's compilation cache for a job: `reprise run --jax`.
 *
 * The class jax carries the files of that cache. It is off in JAX unless a directory is named. With
 * a directory named, JAX still leaves out programs that compiled in less than a second. JAX 0.10
 * also puts XLA's autotuning below that directory, and names the path in options that its key
 * covers. So a job with another directory would never find a program. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/launch_jax.h"

/* Letters of a job's name in a path. */
#define JOB_MOST 100

static const struct {
	const char *name, *value;
} variables[] = {
	{"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0"},
	{"JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1"},
	{"JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES", "none"},
};

/* The job's name as a name of a directory. */
static void name_of_job(char out[JOB_MOST + 1])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                              "0123456789_-.";
	const char *job = getenv("REPRISE_JOB");
	size_t n = job ? strnlen(job, JOB_MOST) : 0;

	for (size_t i = 0; i < n; i++)
		out[i] = strchr(letters, job[i]) && (i || job[i] != '.') ? job[i] : '_';
	out[n] = '\0';
}

/* In a directory that all users may write to, another user may have made it: programs in it are
 * code that the job runs. */
static int is_private(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return 0;
	errno = EPERM;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static int make_private(const char *path)
{
	return (mkdir(path, 0700) == 0 || errno == EEXIST) && is_private(path) ? 0 : -1;
}

static int set_directory(const char *who, int quiet)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX] = "", job[JOB_MOST + 1];
	int n, made;

	name_of_job(job);
	n = snprintf(path, sizeof path, "%s/reprise-jax-%u", tmp && *tmp == '/' ? tmp : "/tmp",
	             (unsigned)geteuid());
	errno = ENAMETOOLONG;
	made = n < (int)sizeof path && make_private(path) == 0;
	if (made) {
		errno = ENAMETOOLONG;
		n += snprintf(path + n, sizeof path - (size_t)n, "/%s", job);
		made = n < (int)sizeof path && make_private(path) == 0;
	}
	if (made)
		return setenv("JAX_COMPILATION_CACHE_DIR", path, 1);
	if (!quiet)
		fprintf(stderr, "%s: --jax: %s: %s: set JAX_COMPILATION_CACHE_DIR to a directory "
		        "of yours; JAX's cache stays off\n", who, path, strerror(errno));
	return 0;
}

int cli_launch_jax(const char *who, int quiet)
{
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (setenv(variables[i].name, variables[i].value, 0) < 0)
			return -1;
	return getenv("JAX_COMPILATION_CACHE_DIR") ? 0 : set_directory(who, quiet);
}
