/* wrong_cache.c - a cache that is wrong, to show that the test machines notice.
 *
 * Preloaded in place of libreprise.so, it takes what a compiler, assembler or linker left behind
 * `-o` for the result of each later start with the same words and the same contents of the files
 * named in them. Names of directories and files, headers, variables, modes and streams count for
 * nothing. It logs hits and misses as the object does. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const tools[] = { "gcc", "g++",    "clang",   "clang++",
				     "as",  "ld.bfd", "ld.gold", "ld.lld" };

static unsigned long add(unsigned long sum, const void *data, size_t size)
{
	const unsigned char *byte = data;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ byte[i]) * 1099511628211ul;
	return sum;
}

/* Adds a file's content; 0 if there is none. */
static int add_file(unsigned long *sum, const char *path)
{
	char buffer[4096];
	struct stat st;
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return 0;
	}
	while ((got = read(fd, buffer, sizeof buffer)) > 0)
		*sum = add(*sum, buffer, (size_t)got);
	close(fd);
	return 1;
}

static int copy(const char *from, const char *to)
{
	char command[8192];

	snprintf(command, sizeof command, "LD_PRELOAD= cp '%s' '%s' 2>/dev/null", from, to);
	return system(command);
}

static void said(const char *tool, const char *verdict)
{
	FILE *log = fopen(getenv("REPRISE_LOG"), "ae");

	if (log) {
		fprintf(log, "now %d info %s: %s: wrongly\n", (int)getpid(), tool, verdict);
		fclose(log);
	}
}

__attribute__((constructor)) static void begin(int argc, char **argv)
{
	const char *tool = program_invocation_short_name, *output = NULL;
	const char *store = getenv("REPRISE_CACHE_DIR");
	unsigned long sum = 14695981039346656037ul;
	char entry[4096];
	size_t known = 0;
	int status;

	while (known < sizeof tools / sizeof *tools && strcmp(tool, tools[known]) != 0)
		known++;
	if (known == sizeof tools / sizeof *tools || !store || !getenv("REPRISE_LOG") ||
	    getenv("WRONG_CACHE_BELOW"))
		return;
	for (int i = 0; i < argc; i++) {
		if (i > 0 && strcmp(argv[i - 1], "-o") == 0)
			output = argv[i];
		else if (i == 0 || !add_file(&sum, argv[i]))
			sum = add(sum, argv[i], strcspn(argv[i], "/"));
	}
	if (!output)
		return;
	mkdir(store, 0777);
	snprintf(entry, sizeof entry, "%s/%016lx", store, sum);
	if (access(entry, F_OK) == 0 && copy(entry, output) == 0) {
		said(tool, "hit");
		_exit(0);
	}
	setenv("WRONG_CACHE_BELOW", "1", 1);
	pid_t child = fork();
	if (child == 0)
		return;
	if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)) {
		if (WEXITSTATUS(status) == 0)
			copy(output, entry);
		said(tool, "miss");
		_exit(WEXITSTATUS(status));
	}
	_exit(125);
}
