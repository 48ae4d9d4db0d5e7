/* The answer for a text, with and without the facts of its header. */
#pragma once

#include <criterion/criterion.h>
#include <string.h>

#include "shim/buf.h"
#include "tools/asks/asks.h"
#include "tools/asks/words.h"

static unsigned settled __attribute__((unused)); /* by the header's facts */

static inline void asks_fill(struct asks *x, struct arena *arena, const char *own,
                             const char *header, const char *given, unsigned words)
{
	asks_init(x, arena, words);
	asks_add(x, own, strlen(own), 1);
	if (header)
		asks_add(x, header, strlen(header), 0);
	if (given)
		asks_add_given(x, given, strlen(given));
}

/* A program, one header, and the macros of the command line; NULL: none. If the
 * header's facts settle the answer, its text must give the same answer. */
static inline enum asks_answer answer_given(const char *own, const char *header,
                                             const char *given, unsigned words)
{
	struct arena arena = ARENA_INIT;
	struct buf facts = BUF_INIT(&arena);
	struct asks x;
	enum asks_answer answer;
	int by_facts;

	asks_fill(&x, &arena, own, header, given, words);
	answer = asks_answer(&x);
	asks_fill(&x, &arena, own, header, given, words);
	if (asks_own_freely(&x))
		cr_expect_eq(answer, ASKS_FREELY, "%s | %s", own, header);
	cr_assert_eq(asks_declare(&x), 0);
	cr_assert_eq(asks_facts(&x, &facts), 0);
	by_facts = asks_by_facts(&x, facts.data, facts.len);
	if (by_facts != ASKS_UNKNOWN) {
		cr_expect_eq(by_facts, (int)answer, "%s | %s", own, header);
		settled++;
	}
	arena_free(&arena);
	return answer;
}

static inline enum asks_answer answer(const char *own, const char *header, unsigned words)
{
	return answer_given(own, header, NULL, words);
}

static inline int asks(const char *own, const char *header)
{
	return answer(own, header, ASKS_CXX | ASKS_NVRTC) != ASKS_NOT;
}
