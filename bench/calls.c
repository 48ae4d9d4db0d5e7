/* calls N - measures four calls over N rounds each: open and close, open of an absent file, stat,
 * and stat of an absent file. Prints for each the nanoseconds of one call in the fastest of 300
 * blocks. The difference between runs with and without the preload is the cost of a hook. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Blocks are short, so that some run without an interrupt and without another process. */
#define BLOCKS 300

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void call_open(void)
{
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
}

static void call_open_absent(void)
{
	if (open("/etc/no-such-file", O_RDONLY | O_CLOEXEC) >= 0)
		exit(1);
}

static void call_stat(void)
{
	struct stat st;

	if (stat("/etc/passwd", &st) < 0)
		exit(1);
}

static void call_stat_absent(void)
{
	struct stat st;

	if (stat("/etc/no-such-file", &st) == 0)
		exit(1);
}

int main(int argc, char **argv)
{
	static void (*const calls[])(void) = {call_open, call_open_absent, call_stat,
					      call_stat_absent};
	static const char *const names[] = {"open+close", "open-absent", "stat", "stat-absent"};
	long n = argc > 1 ? atol(argv[1]) : 100000;

	for (int c = 0; c < 4; c++) {
		double least = 1e18;
		for (int block = 0; block < BLOCKS; block++) {
			double start = now_ns();
			for (long i = 0; i < n / BLOCKS; i++)
				calls[c]();
			double each = (now_ns() - start) / (double)(n / BLOCKS);
			least = each < least ? each : least;
		}
		printf("%s %.1f\n", names[c], least);
	}
	return 0;
}
