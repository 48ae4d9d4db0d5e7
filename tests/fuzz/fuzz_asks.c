/* Any texts as a program and its headers, divided by a NUL. Nothing is read beyond a text. If a
 * part asks, the complete text asks, provided that the part is the program alone. If the headers'
 * facts settle an answer, the complete text gives the same answer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/buf.h"
#include "tools/asks/asks.h"
#include "tools/asks/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int asks(const uint8_t *data, size_t size, int headers, unsigned words)
{
	struct arena a = ARENA_INIT;
	struct buf facts = BUF_INIT(&a);
	struct asks x;
	char *copy[16];
	int own = 1, count = 0, answer, by_facts;

	asks_init(&x, &a, words);
	while (count < 16 && (own || headers)) {
		const uint8_t *end = memchr(data, 0, size);
		size_t n = end ? (size_t)(end - data) : size;

		/* An exact copy, so that a byte read behind it is seen. */
		copy[count] = malloc(n ? n : 1);
		memcpy(copy[count], data, n);
		asks_add(&x, copy[count++], n, own);
		own = 0;
		if (!end)
			break;
		data = end + 1;
		size -= n + 1;
	}
	if (asks_facts(&x, &facts) < 0)
		abort();
	by_facts = asks_by_facts(&x, facts.data, facts.len);
	asks_computes(&x);
	answer = asks_answer(&x);
	if (by_facts != ASKS_UNKNOWN && by_facts != answer)
		abort();
	arena_free(&a);
	while (count > 0)
		free(copy[--count]);
	return answer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const unsigned nvrtc = ASKS_CXX | ASKS_NVRTC;

	if (asks(data, size, 0, nvrtc) && !asks(data, size, 1, nvrtc))
		abort();
	asks(data, size, 1, ASKS_CXX);
	return 0;
}
