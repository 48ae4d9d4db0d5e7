/* cli/run/launch.c - sets the environment that a job is started with: LD_PRELOAD and REPRISE_JOB.
 * */
#include "cli/run/run.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "shim/loader/foreign.h"
#include "shim/settings/job.h"

/* Turns on JAX's compilation cache for a job: `reprise run --jax`.
 *
 * The class jax carries the files of that cache. It is off in JAX unless a directory is named. With
 * a directory named, JAX still leaves out programs that compiled in less than a second. JAX 0.10
 * also puts XLA's autotuning below that directory, and names the path in options that its key
 * covers. So a job with another directory would never find a program. */

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

/* True if an entry of the list is this file, under whatever name. */
static int is_listed(const char *list, const char *library)
{
	char entry[PATH_MAX], resolved[PATH_MAX], wanted[PATH_MAX];

	if (!realpath(library, wanted))
		return 0;
	while (*list) {
		size_t n = strcspn(list, " :");
		if (n && n < sizeof entry) {
			memcpy(entry, list, n);
			entry[n] = 0;
			if (realpath(entry, resolved) && strcmp(resolved, wanted) == 0)
				return 1;
		}
		list += n + (list[n] != 0);
	}
	return 0;
}

/* Appended: libasan must be the first object, and an allocator or a debugging aid may have to be,
 * too. */
static int set_preload(const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	char *list;

	if (!old || !old[strspn(old, " :")])
		return setenv("LD_PRELOAD", library, 1);
	if (is_listed(old, library))
		return 0;
	if (asprintf(&list, "%s:%s", old, library) < 0)
		return -1;
	int rc = setenv("LD_PRELOAD", list, 1);
	free(list);
	return rc;
}

int cli_launch_made_name(const char *job)
{
	unsigned day, second;
	long pid;
	int end = 0;

	return sscanf(job, "run-%8uT%6uZ-%ld%n", &day, &second, &pid, &end) == 3 && !job[end];
}

/* Sets one name for the whole job, on all nodes and in all sessions. */
static int set_job(struct cli *c, const char *wish)
{
	const char *variable, *job = settings_job(&c->settings, c->envp, &c->arena, &variable);
	char own[64];
	time_t now = time(NULL);
	struct tm tm;

	if (wish) {
		job = wish;
		if (setenv("REPRISE_JOB_LIST", "1", 1) < 0)
			return -1;
	} else if (!variable) {
		char when[32];
		strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
		snprintf(own, sizeof own, "run-%s-%ld", when, (long)getpid());
		job = own;
	}
	return setenv("REPRISE_JOB", job, 1);
}

/* True if programs of this machine can load the file. */
static int is_of_this_machine(const char *library)
{
#if defined __x86_64__
	enum { OURS = EM_X86_64 };
#elif defined __aarch64__
	enum { OURS = EM_AARCH64 };
#endif
	Elf64_Ehdr h;
	int fd = open(library, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, &h, sizeof h);

	if (fd >= 0)
		close(fd);
	return n == sizeof h && memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 && h.e_machine == OURS;
}

/* Finds the program as execvp does. NULL: not found. */
static const char *find_program(char out[PATH_MAX], const char *command)
{
	const char *path = getenv("PATH");

	if (strchr(command, '/'))
		return command;
	for (path = path ? path : "/bin:/usr/bin"; *command && *path; path += *path == ':') {
		size_t n = strcspn(path, ":");

		if (snprintf(out, PATH_MAX, "%.*s%s%s", (int)n, path, n ? "/" : "", command) <
		    PATH_MAX && access(out, X_OK) == 0)
			return out;
		path += n;
	}
	return NULL;
}

/* Why the command must run without the object; NULL: it need not. A program of another libc
 * ignores the object, and hands it on. */
static const char *refusal(const char *command)
{
	char path[PATH_MAX];

	switch (foreign_program(find_program(path, command))) {
	case FOREIGN_CLASS: return "is a program for another architecture";
	case FOREIGN_SANITIZER: return "needs a sanitizer's runtime, which must be loaded first";
	default: return NULL;
	}
}

int cli_launch(struct cli *c, const char *who, const char *job, const char *command, int quiet)
{
	char library[PATH_MAX];
	const char *why;

	if (cli_find_library(library, sizeof library, who) < 0)
		return -1;
	if (!is_of_this_machine(library)) {
		if (!quiet)
			fprintf(stderr,
			        "%s: %s is a library for another architecture: nothing is cached\n",
			        who, library);
		return 1;
	}
	char *several = quiet ? NULL : preload_several(library);
	if (several)
		fprintf(stderr, "%s: %s: preload one of them\n", who, several);
	free(several);
	why = command ? refusal(command) : NULL;
	if (why && !quiet && !settings_disabled(c->envp))
		fprintf(stderr, "reprise-run: %s %s: it runs without Reprise\n", command, why);
	if ((!why && set_preload(library) < 0) || set_job(c, job) < 0) {
		fprintf(stderr, "%s: %s\n", who, strerror(errno));
		return -1;
	}
	return why != NULL;
}
