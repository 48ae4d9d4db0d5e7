/* tests/fuzz/fuzz_job_node.c - hostile bytes as a node's part of a job. An accepted part joins a
 * report, whose figures stay within the limits of one node. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "store/job/job_node.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	/* An exact copy on the heap, so that a step outside is seen. */
	unsigned char *in = malloc(size + 1);
	struct events e = {0};
	struct job_node n;
	const char *why;

	memcpy(in, data, size);
	if (job_node_decode(&n, in, size, "job", &a, &why) == 0) {
		expect(n.events * (size_t)EVENT_BYTES == size - JOB_NODE_HEAD);
		expect(*n.host && strcmp(n.job, "job") == 0);
		expect(job_node_join(&e, &n, 0, 0, 100, &a) == 0);
		expect(job_node_join(&e, &n, 1, 0, 200, &a) == 0);
		expect(e.count <= 200 && e.sums.dropped >= 0);
		for (size_t i = 0; i < e.count; i++)
			expect(e.v[i].duration >= 0 && e.v[i].start + e.v[i].duration >= 0);
	} else {
		expect(why != NULL);
	}
	arena_free(&a);
	free(in);
	return 0;
}
