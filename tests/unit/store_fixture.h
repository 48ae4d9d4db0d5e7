/* A store in a temporary directory of its own, for the tests of store/. */
#pragma once

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "remote/remote.h"
#include "store/job/counters.h"
#include "store/store.h"

static struct arena arena;
static struct fault fault;
static struct store store;
static char root[64], cache[80], runtime[80];

static inline const char *in_root(const char *name)
{
	static char path[8][256];
	static int n;

	n = (n + 1) % 8;
	snprintf(path[n], sizeof path[n], "%s/%s", root, name);
	return path[n];
}

/* This host's file in the spool of the store's remote. */
static inline const char *in_spool(const char *name)
{
	static char path[4][256];
	static int n;
	struct utsname u;

	uname(&u);
	n = (n + 1) % 4;
	snprintf(path[n], sizeof path[n], "%s/spool/%s/%s/%s", cache, u.nodename, store.remote,
	         name);
	return path[n];
}

static inline void shell(const char *format, const char *arg)
{
	char command[512];

	snprintf(command, sizeof command, format, arg);
	cr_assert_eq(system(command), 0, "%s", command);
}

/* Opens a store under these variables (NULL-terminated), like a tool that has something to queue.
 */
static inline int open_env(struct store *s, char **env)
{
	struct settings set;

	settings_defaults(&set);
	settings_merge_env(&set, env, &arena);
	fault = (struct fault){0};
	int rc = store_open(s, &set, env, &arena, &fault);
	remote_tag(s, &set, env, &arena);
	return rc;
}

/* The last of the cache directories, and ours alone. */
static inline const char *last_resort(void)
{
	static char path[128];

	snprintf(path, sizeof path, "/tmp/reprise_%s", strrchr(root, '/') + 1);
	return path;
}

static inline void open_store(struct store *s, const char *more)
{
	char dir[128], run[128], user[128], other[128];
	char *env[] = {dir, run, user, other, NULL};

	snprintf(user, sizeof user, "USER=%s", strrchr(root, '/') + 1);

	snprintf(dir, sizeof dir, "REPRISE_CACHE_DIR=%s", cache);
	snprintf(run, sizeof run, "REPRISE_RUNTIME_DIR=%s", runtime);
	snprintf(other, sizeof other, "%s", more ? more : "X=");
	cr_assert_eq(open_env(s, env), 0);
}

static inline void fixture_start_in(const char *at)
{
	snprintf(root, sizeof root, "%s/reprise-test-XXXXXX", at);
	cr_assert_not_null(mkdtemp(root));
	cr_assert_eq(chmod(root, 0755), 0);
	snprintf(cache, sizeof cache, "%s/cache", root);
	snprintf(runtime, sizeof runtime, "%s/run", root);
	open_store(&store, NULL);
}

static inline void fixture_start(void)
{
	fixture_start_in("/tmp");
}

/* For suites that make and remove thousands of files: ext4 steps over the numbers of files that
 * were removed in the last minutes, one by one at each creation, also for other tests. */
static inline void fixture_start_in_memory(void)
{
	fixture_start_in("/dev/shm");
}

static inline void fixture_stop(void)
{
	shell("rm -rf '%s'", root);
	shell("rm -rf '%s'", last_resort());
	arena_free(&arena);
}

static inline struct digest key_of(const char *text)
{
	struct digest d;

	digest_of(&d, text, strlen(text));
	return d;
}

static inline void write_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	cr_assert_geq(fd, 0, "%s", path);
	cr_assert_eq(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

static inline size_t read_whole(const char *path, unsigned char *out, size_t cap)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	cr_assert_geq(fd, 0, "%s", path);
	n = read(fd, out, cap);
	close(fd);
	cr_assert_geq(n, 0);
	return (size_t)n;
}

static inline int exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static inline int64_t counted(enum counter c)
{
	int64_t v[COUNTERS_ALL];

	cr_assert_eq(counters_read(&store, v, &fault), 0);
	return v[c];
}

/* Sets the store's size, as the counters know it. */
static inline void set_size(int64_t bytes)
{
	counters_add(&store, COUNTER_STORE_SIZE, bytes - counters_size(&store));
}

/* Nanoseconds of the monotonic clock. */
static inline int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static inline int child_ended(pid_t pid)
{
	int status;

	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Runs f in a child; its exit status. */
static inline int in_child(int (*f)(void *), void *arg)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(f(arg));
	return child_ended(pid);
}

/* A process that stays after f has written to its descriptor that it is ready. end_one ends it. */
static inline pid_t stays(void (*f)(int ready, const void *ctx), const void *ctx)
{
	int ready[2];
	char c;

	cr_assert_eq(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		f(ready[1], ctx);
		for (;;)
			pause();
	}
	close(ready[1]);
	cr_assert_eq(read(ready[0], &c, 1), 1, "it is ready");
	close(ready[0]);
	return pid;
}

static inline void end_one(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static inline int64_t ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

static pid_t crowd[16];
static int crowd_size;

/* Starts n children at once, each runs f with its number. crowd_end waits; each must have returned
 * 0. */
static inline void crowd_start(int n, int (*f)(int number))
{
	cr_assert_leq(n, 16);
	for (crowd_size = 0; crowd_size < n; crowd_size++)
		if ((crowd[crowd_size] = fork()) == 0)
			_exit(f(crowd_size));
}

static inline void crowd_end(void)
{
	for (int i = 0; i < crowd_size; i++)
		cr_expect_eq(child_ended(crowd[i]), 0, "child %d", i);
}
