/* tests/fuzz/fuzz_negative_cache.c - the file of absences is the input, cut at its end. What was
 * noted is known, unless it is torn. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/negative_cache.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char table[64];
	struct negative_cache t = {.path = table};
	struct digest key;
	FILE *f;

	if (size < 1)
		return 0;
	if (!*table)
		snprintf(table, sizeof table, "%s/fuzz-absent-%d",
		         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
	/* A key whose slot is one of the first. */
	memset(&key, 0, sizeof key);
	memcpy(&key, data, size < sizeof key ? size : sizeof key);
	key.b[8] = size & 31;
	key.b[9] = key.b[10] = key.b[11] = 0;
	f = fopen(table, "wb");
	expect(f && fwrite(data, 1, size, f) == size);
	fclose(f);
	negative_cache_known(&t, &key);
	negative_cache_note(&t, &key);
	expect(negative_cache_known(&t, &key));
	negative_cache_forget(&t, &key);
	expect(!negative_cache_known(&t, &key));
	unlink(table);
	return 0;
}
