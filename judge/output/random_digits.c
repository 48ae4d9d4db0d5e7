/* judge/output/random_digits.c - searches a result for what was random in names: numbers that the
 * run drew, and letters that the system chose. */
#include "judge/output/output.h"

#include <elf.h>
#include <string.h>

#include "names/name_shape.h"
#include "shim/buf.h"
#include "shim/format.h"
#include "tools/chance.h"

#include "shim/banned.h"

/* Of hooks/drawn.c. A name may have as many digits as a seed. */
#define SEED_DIGITS 8
#define DIGITS_MOST 32

/* Where there are no bytes, there is no address. */
static int stands_in(const void *bytes, size_t size, const void *text, size_t n)
{
	return size && memmem(bytes, size, text, n);
}

static int holds(const struct result *r, const struct buf streams[2], const void *text, size_t n)
{
	for (size_t i = 0; i < r->out_count; i++)
		if (stands_in(r->out[i].data, r->out[i].len, text, n) ||
		    stands_in(r->out[i].spec, r->out[i].spec_len, text, n))
			return 1;
	return stands_in(streams[0].data, streams[0].len, text, n) ||
	       stands_in(streams[1].data, streams[1].len, text, n);
}

/* In small or capital letters. */
static int either_case_holds(const struct result *r, const struct buf streams[2], const char *text)
{
	char capitals[DIGITS_MOST];
	size_t n = strlen(text);

	if (n > sizeof capitals)
		return 1;
	for (size_t i = 0; i < n; i++)
		capitals[i] = text[i] >= 'a' ? (char)(text[i] - 'a' + 'A') : text[i];
	return holds(r, streams, text, n) || holds(r, streams, capitals, n);
}

/* A text of eight digits may be a seed: a number in hex digits without zeros in front, in decimal
 * digits, with a sign or not, and as its bytes in either order. */
static int seed_holds(const struct result *r, const struct buf streams[2], const char *text)
{
	char number[16];
	uint32_t value = 0, bytes[2], signs[2];

	for (const char *p = text; *p; p++)
		value = value << 4 | (uint32_t)(*p > '9' ? *p - 'a' + 10 : *p - '0');
	bytes[0] = signs[0] = value;
	bytes[1] = __builtin_bswap32(value);
	signs[1] = -value;
	for (int i = 0; i < 2; i++)
		if (holds(r, streams, &bytes[i], sizeof value) ||
		    holds(r, streams, number,
		          format_text(number, sizeof number, "%u", signs[i])))
			return 1;
	return either_case_holds(r, streams, text + strspn(text, "0"));
}

static int digits_hold(const struct result *r, const struct buf streams[2], const char *text)
{
	return either_case_holds(r, streams, text) ||
	       (strlen(text) == SEED_DIGITS && seed_holds(r, streams, text));
}

/* A text may come in pieces. -1: no memory. */
static int join_streams(struct start *s, const struct result *r, struct buf streams[2])
{
	streams[0] = streams[1] = (struct buf)BUF_INIT(&s->arena);
	for (size_t i = 0; i < r->chunk_count; i++)
		buf_add(&streams[r->chunk[i].stream == 2], r->chunk[i].data, r->chunk[i].len);
	return streams[0].failed || streams[1].failed ? -1 : 0;
}

enum reason judge_random_digits(struct start *s, const struct tree *t, const struct result *r)
{
	struct buf streams[2];

	if (!t->drawn_count)
		return REASON_NONE;
	if (join_streams(s, r, streams) < 0)
		return REASON_UNSTORED_RANDOM;
	for (size_t i = 0; i < t->drawn_count; i++) {
		if (!digits_hold(r, streams, t->drawn[i]))
			continue;
		start_detail(s, "random digits in what it left: %s", t->drawn[i]);
		return REASON_UNSTORED_RANDOM;
	}
	return REASON_NONE;
}

/* --- the time that a linker asks for --- */

/* 1: an output that the process made and that is ELF. A linker makes one program, so it made no
 * other kind that another program took. */
static int made_elf(struct start *s, struct tree *t, const struct result *r, uint32_t pid)
{
	for (size_t i = 0; i < r->out_count; i++) {
		const struct result_output *o = &r->out[i];
		const char *path = names_resolve(&s->names, o->spec, o->spec_len, &s->arena);
		const struct tree_file *f = path ? judge_tree_file(s, t, path) : NULL;

		if (f && f->maker == pid && o->len >= SELFMAG &&
		    memcmp(o->data, ELFMAG, SELFMAG) == 0)
			return 1;
	}
	return 0;
}

static int all_made_elf(struct start *s, struct tree *t, const struct result *r)
{
	for (size_t i = 0; i < t->process_count; i++)
		if (t->process[i].asked_time && !made_elf(s, t, r, t->process[i].pid))
			return 0;
	return 1;
}

/* --- public, in header order --- */

enum reason judge_linker_time(struct start *s, struct tree *t, const struct result *r)
{
	if (!t->linker_asks_time)
		return REASON_NONE;
	if (all_made_elf(s, t, r) && !chance_prints(&s->cmd) &&
	    !invocation_env(&s->call, CHANCE_PRINTS_VARIABLE))
		return REASON_NONE;
	start_detail(s, "ld may have written or printed the time");
	return REASON_UNSTORED_TIME;
}

/* mkstemp and its like choose so many letters. */
#define RANDOM_LETTERS 6

enum reason judge_generated(struct start *s, const struct tree *t, const struct result *r)
{
	struct buf streams[2];

	if (!s->verdict.scripts_see_names)
		return REASON_NONE;
	if (join_streams(s, r, streams) < 0)
		return REASON_UNSTORED_MEMORY;
	for (size_t i = 0; i < t->count; i++) {
		const struct tree_file *f = &t->file[i];
		const char *base = path_base(f->path);
		size_t n = name_token(base, strlen(base));

		/* nvcc chooses from its process id. */
		if (!(f->flags & TREE_MADE) || f->is_chosen || n < RANDOM_LETTERS ||
		    !holds(r, streams, base + n - RANDOM_LETTERS, RANDOM_LETTERS))
			continue;
		start_detail(s, "the generated name %s", f->path);
		return REASON_UNSTORED_SCRIPT;
	}
	return REASON_NONE;
}
