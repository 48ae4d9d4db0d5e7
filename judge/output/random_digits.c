/* judge/output/random_digits.c - searches a result for random numbers that became names. */
#include "judge/output/random_digits.h"

#include <string.h>

#include "shim/buf.h"
#include "shim/format.h"

#include "shim/banned.h"

#define SEED_DIGITS 8 /* of hooks/drawn.c; digits of names are fewer or more */

static int streams_hold(const struct buf streams[2], const char *text, size_t n)
{
	return memmem(streams[0].data, streams[0].len, text, n) ||
	       memmem(streams[1].data, streams[1].len, text, n);
}

static int outputs_hold(const struct result *r, const char *text, size_t n)
{
	for (size_t i = 0; i < r->out_count; i++)
		if (memmem(r->out[i].data, r->out[i].len, text, n) ||
		    memmem(r->out[i].spec, r->out[i].spec_len, text, n))
			return 1;
	return 0;
}

/* A text of eight digits may be a seed: as a number, too, and as its bytes. */
static int result_holds(const struct result *r, const struct buf streams[2], const char *text)
{
	char number[16];
	uint32_t value = 0;
	size_t n = strlen(text);

	if (outputs_hold(r, text, n) || streams_hold(streams, text, n))
		return 1;
	if (n != SEED_DIGITS)
		return 0;
	for (size_t i = 0; i < n; i++)
		value = value << 4 | (uint32_t)(text[i] > '9' ? text[i] - 'a' + 10 : text[i] - '0');
	n = format_text(number, sizeof number, "%u", value);
	return outputs_hold(r, number, n) || streams_hold(streams, number, n) ||
	       outputs_hold(r, (char *)&value, sizeof value) ||
	       streams_hold(streams, (char *)&value, sizeof value);
}

enum reason judge_random_digits(struct start *s, const struct tree *t, const struct result *r)
{
	struct buf streams[2] = {BUF_INIT(&s->arena), BUF_INIT(&s->arena)};

	if (!t->drawn_count)
		return REASON_NONE;
	/* A text may come in pieces. */
	for (size_t i = 0; i < r->chunk_count; i++)
		buf_add(&streams[r->chunk[i].stream == 2], r->chunk[i].data, r->chunk[i].len);
	if (streams[0].failed || streams[1].failed)
		return REASON_UNSTORED_RANDOM;
	for (size_t i = 0; i < t->drawn_count; i++) {
		if (!result_holds(r, streams, t->drawn[i]))
			continue;
		start_detail(s, "random digits in what it left: %s", t->drawn[i]);
		return REASON_UNSTORED_RANDOM;
	}
	return REASON_NONE;
}
