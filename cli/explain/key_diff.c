/* cli/explain/key_diff.c - prints how the fields of two keys differ.
 *
 * Fields have the form of struct key (keying/key.h): u8 tag, lstr label, lstr value. Arguments have
 * no labels, and are paired by value; all other fields are paired by tag and label. Texts are
 * specs (names/names.h): 0x01 'T' '0' prints as @T0. */
#include "cli/explain/explain.h"

#include "cli/cli.h"
#include "keying/key.h"

/* A few fields are an answer; a hundred are noise. */
#define LINES_MAX 20

struct field {
	unsigned tag;
	const char *label, *value;
	size_t label_len, value_len;
	int matched;
};
struct fields {
	struct field *v;
	size_t n;
};
struct output {
	FILE *to;
	int lines, more;
};

static int read_fields(struct fields *f, const void *bytes, size_t len, struct arena *a)
{
	struct reader r = reader_of(bytes, len);
	size_t cap = len / 11 + 1; /* the shortest field: tag, two lengths, two NULs */

	f->n = 0;
	f->v = arena_alloc(a, cap * sizeof *f->v);
	while (f->v && r.p < r.end && !r.failed && f->n < cap) {
		struct field *x = &f->v[f->n++];
		x->tag = reader_u8(&r);
		x->label = reader_lstr(&r, &x->label_len);
		x->value = reader_lstr(&r, &x->value_len);
	}
	return f->v && !r.failed ? 0 : -1;
}

static int same_value(const struct field *a, const struct field *b)
{
	return a->value_len == b->value_len && memcmp(a->value, b->value, a->value_len) == 0;
}

static int same_name(const struct field *a, const struct field *b)
{
	return a->tag == b->tag && a->label_len == b->label_len &&
	       memcmp(a->label, b->label, a->label_len) == 0;
}

static int is_sequence(const struct field *f)
{
	return f->tag == KEY_ARG || f->tag == KEY_RESPONSE;
}

/* Starts a line; 0 after LINES_MAX lines. */
static int line(struct output *o)
{
	if (o->lines >= LINES_MAX) {
		o->more++;
		return 0;
	}
	o->lines++;
	fputs("    ", o->to);
	return 1;
}

static void print_subject(FILE *to, const struct field *f)
{
	const char *name = key_tag_name(f->tag, NULL), *label = f->label;
	size_t n = f->label_len;

	if (name)
		fputs(name, to);
	else
		fprintf(to, "field %u", f->tag);
	if (f->tag == KEY_PRIMARY && n && (*label == 'A' || *label == 'C')) {
		label++; /* the letter that says how the path was spelled */
		n--;
		if (n && label[n - 1] == 0)
			n--;
	}
	if (n) {
		putc(' ', to);
		cli_print_spec(to, label, n);
	}
}

/* Prints a pair; a field that only one key has is paired with NULL. */
static void print_pair(struct output *o, const struct field *before, const struct field *after)
{
	const struct field *f = before ? before : after;
	int text = 0;

	if (!line(o))
		return;
	print_subject(o->to, f);
	key_tag_name(f->tag, &text);
	if (!text) {
		fputs(before && after ? " changed" : after ? " is new" : " is gone", o->to);
	} else {
		fputs(": ", o->to);
		before ? cli_print_spec(o->to, before->value, before->value_len)
		       : (void)fputs(f->tag == KEY_ENV ? "unset" : "none", o->to);
		fputs(" -> ", o->to);
		after ? cli_print_spec(o->to, after->value, after->value_len)
		      : (void)fputs(f->tag == KEY_ENV ? "unset" : "none", o->to);
	}
	putc('\n', o->to);
}

static void diff_labelled(struct output *o, struct fields *x, struct fields *y)
{
	size_t at = 0; /* both keys mostly have the same order */

	for (size_t i = 0; i < x->n; i++) {
		struct field *f = &x->v[i], *other = NULL;
		if (is_sequence(f))
			continue;
		for (size_t k = 0; k < y->n && !other; k++) {
			struct field *g = &y->v[(at + k) % y->n];
			if (!g->matched && same_name(f, g)) {
				other = g;
				at = (at + k + 1) % y->n;
			}
		}
		if (other)
			other->matched = 1;
		if (!other || !same_value(f, other))
			print_pair(o, f, other);
	}
	for (size_t i = 0; i < y->n; i++)
		if (!is_sequence(&y->v[i]) && !y->v[i].matched)
			print_pair(o, NULL, &y->v[i]);
}

static void print_argument(struct output *o, unsigned tag, size_t number,
                           const struct field *before, const struct field *after)
{
	if (!line(o))
		return;
	fprintf(o->to, "%s %zu", key_tag_name(tag, NULL), number);
	fputs(!before ? " added: " : !after ? " dropped: " : ": ", o->to);
	if (before)
		cli_print_spec(o->to, before->value, before->value_len);
	if (before && after)
		fputs(" -> ", o->to);
	if (after)
		cli_print_spec(o->to, after->value, after->value_len);
	putc('\n', o->to);
}

/* Pairs equal arguments. 1: they have one order. */
static int pair_arguments(struct fields *x, struct fields *y, unsigned tag)
{
	size_t at = 0; /* both keys mostly have the same order */
	int ordered = 1;

	for (size_t i = 0; i < y->n; i++)
		for (size_t k = 0; y->v[i].tag == tag && k < x->n; k++) {
			struct field *f = &x->v[(at + k) % x->n];

			if (f->tag != tag || f->matched || !same_value(f, &y->v[i]))
				continue;
			ordered &= at + k < x->n;
			at = (at + k) % x->n + 1;
			f->matched = y->v[i].matched = 1;
			break;
		}
	return ordered;
}

/* The next argument that has no pair; its number is *number - 1 then. */
static const struct field *next_argument(const struct fields *f, unsigned tag, size_t *at,
                                         size_t *number)
{
	while (*at < f->n) {
		const struct field *x = &f->v[(*at)++];

		*number += x->tag == tag;
		if (x->tag == tag && !x->matched)
			return x;
	}
	return NULL;
}

/* Arguments are numbered as in argv of the newer run, dropped arguments as in the older run. */
static void diff_sequence(struct output *o, unsigned tag, struct fields *x, struct fields *y)
{
	size_t i = 0, j = 0, before = 0, after = 0;
	int ordered = pair_arguments(x, y, tag);
	const struct field *p, *q;

	while ((p = next_argument(x, tag, &i, &before), q = next_argument(y, tag, &j, &after),
	        p || q))
		print_argument(o, tag, (q ? after : before) - 1, p, q);
	if (!ordered && line(o))
		fprintf(o->to, "%ss have another order\n", key_tag_name(tag, NULL));
}

int cli_key_diff(FILE *to, const void *old_fields, size_t old_len, const void *new_fields,
                   size_t new_len, struct arena *a)
{
	static const unsigned sequences[] = {KEY_ARG, KEY_RESPONSE};
	struct output o = {to, 0, 0};
	struct fields x, y;

	if (read_fields(&x, old_fields, old_len, a) < 0 ||
	    read_fields(&y, new_fields, new_len, a) < 0)
		return 0;
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
		diff_sequence(&o, sequences[i], &x, &y);
	diff_labelled(&o, &x, &y);
	if (o.more)
		fprintf(to, "    and %d more\n", o.more);
	return o.lines + o.more;
}
