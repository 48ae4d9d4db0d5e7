/* Lines of a job's list on any bytes. Every record is of a class that a list may name, and complete
 * in the text. Every other line that is not empty is counted. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/buf.h"
#include "store/job/job_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* "\n", class, " ", key, " ", result */
#define LINE (1 + 1 + 1 + DIGEST_HEX + 1 + DIGEST_HEX)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);
	uint64_t damaged = 0, lines = 0;
	char hex[DIGEST_HEX + 1];
	char *text = malloc(size);

	if (!text && size)
		abort();
	if (size)
		memcpy(text, data, size);
	job_list_parse(text, size, &b, &damaged);
	for (size_t i = 0; i < size; i++)
		lines += text[i] != '\n' && (i == 0 || text[i - 1] == '\n');
	if (b.failed || b.len % sizeof(struct job_list_record) ||
	    b.len / sizeof(struct job_list_record) + damaged != lines)
		abort();
	for (size_t i = 0; i < b.len / sizeof(struct job_list_record); i++) {
		const struct job_list_record *r = (const struct job_list_record *)b.data + i;

		if (r->class != STORE_MANIFEST && r->class != STORE_UNIT && r->class != STORE_SET)
			abort();
		digest_hex(&r->key, hex);
		if (size < LINE - 1 || !memmem(text, size, hex, DIGEST_HEX))
			abort();
		digest_hex(&r->result, hex);
		if (!memmem(text, size, hex, DIGEST_HEX))
			abort();
	}
	free(text);
	arena_free(&a);
	return 0;
}
