/* library_run.h - code of the programs that call a compiler's library and write down its
 * answers. */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { THREADS_MAX = 64 };

static inline void die(const char *what, const char *which)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, which);
	exit(3);
}

/* The bytes of a file, with a NUL at the end. */
static inline char *bytes_of(const char *dir, const char *file, size_t *size)
{
	char path[4096], *bytes;
	struct stat st;
	FILE *in;

	snprintf(path, sizeof path, "%s/%s", dir, file);
	in = fopen(path, "r");
	if (!in || fstat(fileno(in), &st) != 0)
		die("cannot read", path);
	bytes = calloc(1, (size_t)st.st_size + 1);
	*size = fread(bytes, 1, (size_t)st.st_size, in);
	fclose(in);
	return bytes;
}

/* Runs the function in count threads, this one included. Each thread gets its number, from 0. */
static inline void run_in_threads(void *(*thread)(void *number), int count)
{
	pthread_t ids[THREADS_MAX];
	int i;

	for (i = 1; i < count; i++)
		if (pthread_create(&ids[i], NULL, thread, (void *)(size_t)i) != 0)
			die("no thread", "pthread_create");
	thread(NULL);
	for (i = 1; i < count; i++)
		pthread_join(ids[i], NULL);
}
