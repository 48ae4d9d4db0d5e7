/* judge/comment_free.c - decides which inputs of a run may differ inside comments. */
#include "judge/comment_free.h"

#include <string.h>

#include "judge/outputs.h"
#include "judge/text_form.h"
#include "judge/tree_file.h"
#include "judge/tree_named.h"
#include "shim/log.h"
#include "shim/sort.h"
#include "tools/comment_options.h"
#include "tools/driver.h"
#include "tools/specs.h"

#include "shim/banned.h"

/* An object, and a dependency file. */
#define OUTPUTS_MOST 2

static int any_word(const char *words)
{
	return words[0] != '\0';
}

void comment_free_command(struct start *s)
{
	struct text_reader r = TEXT_READER_INIT;
	const char *editor = driver_editor(s->row);
	const char *edits = *editor ? invocation_env(&s->call, editor) : NULL;

	if (s->call.nested || (edits && *edits) || start_variables_say(s, any_word) ||
	    !comment_options_allow(s->row, &s->cmd))
		return;
	s->comment_free = 1;
	for (size_t i = 0; i < s->primaries.count; i++) {
		struct primary *p = &s->primaries.v[i];
		struct text_form f;

		if (p->response)
			continue;
		p->text = p->keyed;
		text_form_of(s, &r, p->path, p->strippable, &p->text, &f);
		if (f.kind != COMMENT_FREE)
			continue;
		p->keyed = f.digest;
		p->formed = 1;
	}
	text_reader_free(&r);
}

/* 1: the form of this content, with the lengths of its lines, is `want`. */
static int counted_is(struct start *s, struct text_reader *r, const char *path, int strip,
                      const struct digest *content, const struct digest *form,
                      const struct digest *want)
{
	struct digest counted;

	return comment_options_places(s->row) &&
	       text_form_counted(s, r, path, strip, content, form, &counted) == 0 &&
	       digest_equal(&counted, want);
}

int comment_free_holds(struct start *s, const struct input *in, const char *path,
                       const struct digest *content)
{
	struct text_reader r = TEXT_READER_INIT;
	struct text_form f;
	int same;

	if (!s->comment_free)
		return 0;
	text_form_of(s, &r, path, 0, content, &f);
	same = f.kind == COMMENT_FREE &&
	       (digest_equal(&f.digest, in->form) ||
	        counted_is(s, &r, path, 0, content, &f.digest, in->form));
	text_reader_free(&r);
	return same;
}

int comment_free_source_holds(struct start *s, const struct input *in, const char *path)
{
	const struct primary *p = s->primaries.v, *end = p + s->primaries.count;
	struct text_reader r = TEXT_READER_INIT;
	int same;

	while (p < end && strcmp(p->path, path) != 0)
		p++;
	if (p == end || !s->comment_free)
		return 0;
	same = digest_equal(&p->text, &in->value) ||
	       (p->formed &&
	        counted_is(s, &r, path, p->strippable, &p->text, &p->keyed, &in->value));
	text_reader_free(&r);
	return same;
}

/* A text of the unit: an input, or a source that is keyed by its form. */
struct text {
	struct digest form;
	struct input *input;     /* or */
	struct primary *source;
	int bytes;               /* its bytes count */
};

struct unit {
	struct start *start;
	struct tree *t;
	struct candidate *c;
	struct text *v;
	size_t count;
	uint64_t places;
	enum tree_assembler assembler;
	int counted;       /* the lengths of lines count */
	const char *bytes; /* why the bytes of all texts count; NULL: they do not */
};

static int programs_are_known(const struct tree *t)
{
	for (size_t i = 0; i < t->process_count; i++)
		/* Without a hello it is the caller, whose pid an event named. */
		if (t->process[i].hello && !comment_options_program(t->process[i].program))
			return 0;
	return 1;
}

/* *data: its bytes count, since an assembler read it, for example. */
static uint64_t opens(struct unit *u, const char *path, int *data)
{
	const struct tree_file *f = judge_tree_file(u->start, u->t, path);

	*data = !f || f->is_data || f->flags & TREE_RUN ||
	        (u->assembler != TREE_ASSEMBLER_APART && f->named < f->opens);
	return f && f->opens ? f->opens : 1;
}

static void add_text(struct unit *u, struct text_reader *r, struct input *in, struct primary *p,
                     const char *path)
{
	struct text *x = &u->v[u->count];
	uint64_t times = opens(u, path, &x->bytes);
	struct text_form f;

	/* A library, or what the driver reads: neither is a text of the unit. */
	if (in && x->bytes && !comment_options_text(path))
		return;
	text_form_of(u->start, r, path, p && p->strippable, p ? &p->text : &in->value, &f);
	u->places += times * f.places;
	if (f.kind == COMMENT_VOID)
		u->bytes = path;
	if (f.kind != COMMENT_FREE)
		return;
	x->form = f.digest;
	x->input = in;
	x->source = p && p->formed ? p : NULL;
	u->count++;
}

static void add_texts(struct unit *u)
{
	struct start *s = u->start;
	struct text_reader r = TEXT_READER_INIT;

	for (size_t i = 0; i < s->primaries.count && !u->bytes; i++)
		if (!s->primaries.v[i].response)
			add_text(u, &r, NULL, &s->primaries.v[i], s->primaries.v[i].path);
	for (size_t i = 0; i < u->c->count && !u->bytes; i++) {
		struct input *in = &u->c->v[i];
		const char *path;

		if (!input_is_content(in->kind))
			continue;
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		if (!path || specs_is(in->spec) || specs_is_config(in->spec))
			u->bytes = "a file with options";
		else
			add_text(u, &r, in, NULL, path);
	}
	text_reader_free(&r);
}

static int by_form(const void *first, const void *second)
{
	const struct text *x = first, *y = second;

	return memcmp(&x->form, &y->form, sizeof x->form);
}

/* Two texts with one form may get equal bytes, and then gcc takes them for one file with
 * `#pragma once` (judge/duplicates.c). */
static void find_equal(struct unit *u)
{
	struct text *v = sort_stable(&u->start->arena, u->v, u->count, sizeof *v, by_form);

	if (!v) {
		u->bytes = "memory";
		return;
	}
	u->v = v;
	for (size_t i = 1; i < u->count; i++)
		if (by_form(&v[i - 1], &v[i]) == 0)
			v[i - 1].bytes = v[i].bytes = 1;
}

/* gcc may run out of numbers for columns: then the lengths of all lines count, but those of the
 * comments at a source's end. */
static void count_lines(struct unit *u)
{
	struct start *s = u->start;
	struct text_reader r = TEXT_READER_INIT;

	u->counted = comment_options_places(s->row) && u->places > COMMENT_PLACES_MAX;
	for (size_t i = 0; i < u->count && u->counted; i++) {
		struct text *x = &u->v[i];
		const struct input *in = x->input;
		struct digest form = x->form;
		const char *path;

		if (!in || x->bytes)
			continue;
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		if (!path ||
		    text_form_counted(s, &r, path, 0, &in->value, &form, &x->form) < 0)
			x->bytes = 1;
	}
	text_reader_free(&r);
}

/* 1: the comments at this source's end reach nothing. gcc opens a source again for a diagnostic, an
 * #include of the source itself, .incbin, and where it compares files. */
static int drops_comments(const struct unit *u, const struct primary *p)
{
	const struct tree_file *f = judge_tree_file(u->start, u->t, p->path);

	return p->strippable && f && f->opens == 1 && !f->is_data && !(f->flags & TREE_RUN);
}

/* The key holds the form of this source, but the result depends on more. Adds what it depends on:
 * the bytes, the text without the comments at its end, or the lengths of its lines. */
static int add_source(struct unit *u, const struct primary *p, int bytes)
{
	struct candidate *c = u->c;
	struct start *s = u->start;
	struct input *v = arena_alloc(&s->arena, (c->count + 1) * sizeof *v);
	struct buf spec = BUF_INIT(&s->arena);
	struct text_reader r = TEXT_READER_INIT;
	int rc;

	names_path(&s->names, p->path, &spec); /* as it is keyed */
	buf_u8(&spec, 0);
	if (!v || spec.failed)
		return -1;
	memcpy(v, c->v, c->count * sizeof *v);
	v[c->count++] = (struct input){.kind = bytes ? INPUT_FILE : INPUT_SOURCE,
	                               .spec = (const char *)spec.data,
	                               .spec_len = spec.len - 1, .text = "",
	                               .value = bytes ? p->content : p->text};
	c->v = v;
	if (bytes || !u->counted)
		return 0;
	rc = text_form_counted(s, &r, p->path, p->strippable, &p->text, &p->keyed,
	                       &v[c->count - 1].value);
	text_reader_free(&r);
	return rc;
}

static void make_texts(struct unit *u)
{
	for (size_t i = 0; i < u->count; i++) {
		struct input *in = u->v[i].input;

		if (!in || u->v[i].bytes)
			continue;
		in->kind = in->kind == INPUT_FILE ? INPUT_TEXT : INPUT_REAL_TEXT;
		in->form = &u->v[i].form;
	}
}

const char *comment_free_run(const struct tree *t, const struct result *r)
{
	return r->chunk_count                                     ? "it printed something"
	       : r->out_count > OUTPUTS_MOST                      ? "its outputs"
	       : !programs_are_known(t)                           ? "its programs"
	       : t->script_count                                  ? "a script may read its texts"
	       : tree_assembler(t) == TREE_ASSEMBLER_HIDDEN ? "its assembler may read its texts"
	                                                          : NULL;
}

int comment_free_inputs(struct start *s, struct tree *t, struct candidate *c,
                        const struct result *r)
{
	struct unit u = {.start = s, .t = t, .c = c};

	if (!s->comment_free)
		return 0;
	u.assembler = tree_assembler(t);
	u.v = arena_alloc(&s->arena, (c->count + s->primaries.count + 1) * sizeof *u.v);
	u.bytes = u.v ? comment_free_run(t, r) : "memory";
	if (!u.bytes)
		add_texts(&u);
	if (!u.bytes)
		find_equal(&u);
	if (!u.bytes)
		count_lines(&u);
	if (!u.bytes)
		make_texts(&u);
	if (u.bytes)
		log_write(LOG_INFO, "comments count: %s", u.bytes);
	for (size_t i = 0; i < s->primaries.count; i++) {
		const struct primary *p = &s->primaries.v[i];
		int more = u.bytes || u.counted;
		int bytes = more && !drops_comments(&u, p) && (u.bytes || p->strippable);

		for (size_t k = 0; k < u.count && !bytes; k++)
			bytes = u.v[k].source == p && u.v[k].bytes;
		if (p->formed && (more || bytes) && add_source(&u, p, bytes) < 0)
			return -1;
	}
	return 0;
}
