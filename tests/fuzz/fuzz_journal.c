/* The journal's lines on any bytes: no NULL field, a limited number of records, none before the
 * array. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/job/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORDS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct journal_record out[RECORDS];
	char *text = malloc(size + 1);
	int at = RECORDS;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	journal_parse(text, size, out, &at);
	if (at < 0 || at > RECORDS)
		abort();
	for (int i = at; i < RECORDS; i++) {
		const struct journal_record *r = &out[i];
		const char *fields[] = {r->job, r->tool, r->verdict, r->reason, r->detail,
		                        r->cwd, r->key, r->key_history, r->argv};

		if (r->time < 0 || r->pid < 0)
			abort();
		for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
			if (!fields[k] || fields[k] < text ||
			    fields[k] + strlen(fields[k]) > text + size)
				abort();
	}
	free(text);
	return 0;
}
