/* interpose [FAMILY...] - every hooked file call, plain, under the object, and traced.
 *
 * For each row of interpose.def the program starts itself three times in a fresh directory: without
 * the object, with it, and with it and a trace. Result and errno must be the same each time, and
 * the trace must hold the row's events, no more. Every name of hooks/hooks.def outside the families
 * that start programs must have a row.
 *
 *   REPRISE_LIB   the object; without it the default of make
 *
 * TAP on stdout; status 1 when something differs. `interpose --case N` is the child. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <utime.h>

#include "trace_read.h"

#if defined(__x86_64__)
#define STAT_VERSION 1
#define OLDEST "GLIBC_2.2.5"
#else
#define STAT_VERSION 0
#define OLDEST "GLIBC_2.17"
#endif
#define ERRNO_BEFORE 77
#define OUTPUT_SIZE 8192

/* Names that no header declares: what fortified and old programs call. libc has the stat ones for
 * old programs only, hence the versions. */
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
char *__realpath_chk(const char *, char *, size_t);
char *__getcwd_chk(char *, size_t, size_t);
int __xstat(int, const char *, struct stat *);
int __xstat64(int, const char *, struct stat64 *);
int __lxstat(int, const char *, struct stat *);
int __lxstat64(int, const char *, struct stat64 *);
int __fxstatat(int, int, const char *, struct stat *, int);
int __fxstatat64(int, int, const char *, struct stat64 *, int);
int __xmknod(int, const char *, mode_t, dev_t *);
int __xmknodat(int, int, const char *, mode_t, dev_t *);
__asm__(".symver __xstat, __xstat@" OLDEST);
__asm__(".symver __xstat64, __xstat64@" OLDEST);
__asm__(".symver __lxstat, __lxstat@" OLDEST);
__asm__(".symver __lxstat64, __lxstat64@" OLDEST);
__asm__(".symver __xmknod, __xmknod@" OLDEST);
#if defined(__x86_64__)
#define OLDEST_AT "GLIBC_2.4"
#else
#define OLDEST_AT OLDEST
#endif
__asm__(".symver __fxstatat, __fxstatat@" OLDEST_AT);
__asm__(".symver __fxstatat64, __fxstatat64@" OLDEST_AT);
__asm__(".symver __xmknodat, __xmknodat@" OLDEST_AT);

static int D, F, SOCK;
static struct stat S;
static struct stat64 S64;
static struct statx SX;
static struct statfs SF;
static struct statfs64 SF64;
static struct dirent **L;
static struct dirent64 **L64;
static glob_t G;
static glob64_t G64;
static dev_t DEV;
static struct tm TM;
static time_t TIME;
static struct timespec TS;
static struct timeval TV[2] = {{1000, 0}, {2000, 0}};
static struct sockaddr_un UN = {AF_UNIX, "socket"};
static char B[PATH_MAX], template[64];

static long P(const void *p)
{
	return p != NULL;
}

static char *T(const char *s)
{
	strcpy(template, s);
	return template;
}

static const char *fd_name(int fd)
{
	static char name[64];

	sprintf(name, "/proc/self/fd/%d", fd);
	return name;
}

#pragma GCC diagnostic ignored "-Wnonnull"
#define NAME_(line) case_##line
#define NAME(line) NAME_(line)
#define CASE(hook, call, events)      \
	static long NAME(__LINE__)(void) \
	{                             \
		return (long)(call);  \
	}
#include "interpose.def"
#undef CASE

static const struct test_case {
	const char *hook, *call, *events;
	long (*run)(void);
} cases[] = {
#define CASE(hook, call, events) {#hook, #call, events, NAME(__LINE__)},
#include "interpose.def"
#undef CASE
};
#define CASES (int)(sizeof cases / sizeof cases[0])

static const struct {
	const char *family, *name;
} hooks[] = {
#define HOOK(family, type, name, parameters) {#family, #name},
#include "hooks/hooks.def"
#undef HOOK
};
#define HOOKS (int)(sizeof hooks / sizeof hooks[0])

/* A look at a variable that is not set: the trace shows it. */
static void mark(const char *name)
{
	if (getenv(name))
		_exit(2);
}

/* The child. It uses raw system calls for its own work, so that the trace between the two marks
 * holds the case alone. */
static int run_case(int n)
{
	long result;
	int error;

	D = (int)syscall(SYS_openat, AT_FDCWD, "dir", O_RDONLY | O_DIRECTORY);
	F = (int)syscall(SYS_openat, AT_FDCWD, "file", O_RDWR);
	SOCK = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
	mark("CASE_BEGINS");
	errno = ERRNO_BEFORE;
	result = cases[n].run();
	error = errno;
	mark("CASE_ENDS");
	dprintf(1, "%ld errno %d", result, error);
	return 0;
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void put(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, "text\n", 5) != 5)
		die(path);
	close(fd);
}

/* The directory that interpose.def describes, made again. */
static void fresh(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	if (mkdir(dir, 0755) < 0 || chdir(dir) < 0)
		die(dir);
	if (mkdir("dir", 0755) < 0 || mkdir("empty", 0755) < 0 || symlink("file", "link") < 0 ||
	    symlink("dir", "dirlink") < 0 || symlink("nowhere", "dangling") < 0 ||
	    symlink("loop", "loop") < 0 || symlink("../file", "dir/up") < 0)
		die("fresh");
	put("file");
	put("dir/one");
	put("dir/two");
}

/* Starts case n once. Returns its output, or how it died. */
static void start(int n, char *self, const char *lib, const char *trace, char out[OUTPUT_SIZE])
{
	char preload[PATH_MAX + 16], traced[PATH_MAX + 16], number[16];
	char *argv[] = {self, "--case", number, NULL};
	char *envp[] = {"CASE_VALUE=here", "CASE_EMPTY=", NULL, NULL, NULL};
	int fds[2], status, null;
	ssize_t len, size = 0;
	pid_t pid;

	snprintf(number, sizeof number, "%d", n);
	snprintf(preload, sizeof preload, "LD_PRELOAD=%s", lib);
	snprintf(traced, sizeof traced, "REPRISE_TRACE=%s", trace ? trace : "");
	if (lib)
		envp[2] = preload;
	if (lib && trace)
		envp[3] = traced;
	if (pipe2(fds, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		die("fork");
	if (pid == 0) {
		null = open("/dev/null", O_RDONLY | O_CLOEXEC);
		dup2(null, 0);
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		execve(self, argv, envp);
		_exit(126);
	}
	close(fds[1]);
	while ((len = read(fds[0], out + size, (size_t)(OUTPUT_SIZE - 64 - size))) > 0)
		size += len;
	close(fds[0]);
	waitpid(pid, &status, 0);
	if (status)
		size += sprintf(out + size, " status %#x", (unsigned)status);
	out[size] = '\0';
}

/* The events between the two marks, worded. */
static void events_of(const char *trace, const char *cwd, char out[OUTPUT_SIZE])
{
	struct trace_view v;
	struct trace_event e;
	uint64_t at = TRACE_HEAD;
	size_t len = 0;
	int rc, inside = 0, hello = 0;
	char *random;

	out[0] = '\0';
	if (trace_open(&v, trace) < 0) {
		strcpy(out, "no trace");
		return;
	}
	while ((rc = trace_next(&v, &at, &e)) == 1) {
		hello |= e.op == TRACE_HELLO;
		if (e.op == TRACE_GETENV && strcmp(e.a, "CASE_ENDS") == 0)
			inside = 2;
		if (inside == 1) {
			if (len)
				len += (size_t)snprintf(out + len, OUTPUT_SIZE - len, "; ");
			random = out + len;
			len += (size_t)trace_word(out + len, OUTPUT_SIZE - len, &e, cwd);
			random = strstr(random, "/t");
			if (random && strlen(random) >= 8 &&
			    (e.op == TRACE_TEMP || e.op == TRACE_FAILED))
				memset(random + 2, 'X', 6);
		}
		if (e.op == TRACE_GETENV && strcmp(e.a, "CASE_BEGINS") == 0)
			inside = 1;
	}
	trace_close(&v);
	if (rc < 0 || inside != 2 || !hello)
		snprintf(out + len, OUTPUT_SIZE - len, " (%s%s%s)", rc < 0 ? "hole " : "",
		         inside != 2 ? "no marks " : "", hello ? "" : "no hello");
}

static const char *family_of(const char *hook)
{
	int i;

	for (i = 0; i < HOOKS; i++)
		if (strcmp(hooks[i].name, hook) == 0)
			return hooks[i].family;
	return "";
}

static int wanted(const char *family, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], family) == 0)
			return 1;
	return argc == 1;
}

/* A hooked name without a row is a failure, where this libc has it. */
static int check_rows(int argc, char **argv, int *tests)
{
	int i, n, failed = 0;

	for (i = 0; i < HOOKS; i++) {
		const char *family = hooks[i].family;

		if (strcmp(family, "exec") == 0 || strcmp(family, "spawn") == 0 ||
		    strcmp(family, "process") == 0 || !wanted(family, argc, argv))
			continue;
		for (n = 0; n < CASES && strcmp(cases[n].hook, hooks[i].name) != 0; n++)
			;
		if (n == CASES && dlsym(RTLD_DEFAULT, hooks[i].name)) {
			printf("not ok %d %s has no row\n", ++*tests, hooks[i].name);
			failed = 1;
		}
	}
	return failed;
}

int main(int argc, char **argv)
{
	static char plain[OUTPUT_SIZE], hosted[OUTPUT_SIZE], traced[OUTPUT_SIZE],
	        events[OUTPUT_SIZE];
	char self[PATH_MAX], lib[PATH_MAX], base[PATH_MAX];
	char root[] = "/tmp/reprise-interpose.XXXXXX";
	char dir[PATH_MAX + 8], trace[PATH_MAX + 8];
	int n, ok, tests = 0, failed;

	if (argc == 3 && strcmp(argv[1], "--case") == 0)
		return run_case(atoi(argv[2]));
	if (!realpath("/proc/self/exe", self))
		die("self");
	if (!realpath(getenv("REPRISE_LIB") ? getenv("REPRISE_LIB") : "build/libreprise.so", lib))
		die("REPRISE_LIB");
	umask(022);
	if (!mkdtemp(root) || !realpath(root, base))
		die(root);
	snprintf(dir, sizeof dir, "%s/w", base);
	snprintf(trace, sizeof trace, "%s/trace", base);
	failed = check_rows(argc, argv, &tests);
	for (n = 0; n < CASES; n++) {
		if (!wanted(family_of(cases[n].hook), argc, argv))
			continue;
		fresh(dir);
		start(n, self, NULL, NULL, plain);
		fresh(dir);
		start(n, self, lib, NULL, hosted);
		fresh(dir);
		trace_make(trace);
		start(n, self, lib, trace, traced);
		events_of(trace, dir, events);
		ok = strcmp(plain, hosted) == 0 && strcmp(plain, traced) == 0 &&
		     strcmp(events, cases[n].events) == 0;
		printf("%sok %d %s\n", ok ? "" : "not ", ++tests, cases[n].call);
		if (!ok) {
			printf("# plain %s, hosted %s, traced %s\n", plain, hosted, traced);
			printf("# events %s\n# wanted %s\n", events, cases[n].events);
			failed = 1;
		}
	}
	printf("1..%d\n", tests);
	if (chdir("/") == 0)
		nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return failed || !tests;
}
