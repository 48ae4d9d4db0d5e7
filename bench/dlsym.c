/* dlsym N - measures dlsym of a name that no compiler library defines, over N rounds. Prints the
 * nanoseconds of one call in the fastest of 300 blocks. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCKS 300

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) / BLOCKS : 300;
	void *self = dlopen(NULL, RTLD_NOW);
	double least = 1e30;

	for (int b = 0; b < BLOCKS; b++) {
		double begin = now_ns();

		for (long i = 0; i < n; i++)
			if (!dlsym(self, "qsort"))
				return 1;
		begin = (now_ns() - begin) / (double)n;
		least = begin < least ? begin : least;
	}
	printf("%.2f\n", least);
	return 0;
}
