/* tests/fuzz/fuzz_job_used.c - hostile bytes as a list of what a job used. An accepted list is
 * what its bytes say. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "store/job/job_used.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	/* An exact copy on the heap, so that a step outside is seen. */
	unsigned char *in = malloc(size + 1), *again;
	struct job_list l;
	size_t len;

	memcpy(in, data, size);
	if (job_used_decode(&l, in, size, &a) == 0) {
		expect(l.count <= JOB_USED_MOST);
		again = job_used_encode(&len, &l, &a);
		expect(again && len == size && memcmp(again, in, size) == 0);
	}
	arena_free(&a);
	free(in);
	return 0;
}
