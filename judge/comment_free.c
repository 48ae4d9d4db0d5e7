/* judge/comment_free.c - decides which inputs of a run may differ inside comments.
 *
 * The form of a text (tools/comment_free.h) is remembered in the memo under the digest of its
 * content, so a text is read once. In the memo the digest of the content stands for "it has no
 * form", and zeros for COMMENT_VOID. */
#include "judge/comment_free.h"

#include <string.h>

#include "judge/outputs.h"
#include "judge/tree_file.h"
#include "shim/log.h"
#include "shim/sort.h"
#include "shim/sys.h"
#include "tools/comment_free.h"
#include "tools/comment_options.h"
#include "tools/comments.h"
#include "tools/driver.h"
#include "tools/specs.h"
#include "tools/text_kind.h"

#include "shim/banned.h"

/* No header is larger. */
#define TEXT_MAX (16u << 20)
/* An object, and a dependency file. */
#define OUTPUTS_MOST 2

struct form {
	enum comment_kind kind;
	struct digest digest; /* COMMENT_FREE */
	uint64_t places;
};

/* Memory for one text at a time. */
struct reading {
	struct arena arena;
	char *text, *out;
	size_t cap;
};

static int make_room(struct reading *r, size_t n)
{
	if (n <= r->cap)
		return 0;
	arena_free(&r->arena);
	r->cap = 0;
	n = n < 2 * (size_t)ARENA_CHUNK ? 2 * (size_t)ARENA_CHUNK : n;
	r->text = arena_alloc(&r->arena, n);
	r->out = arena_alloc(&r->arena, n);
	if (!r->text || !r->out)
		return -1;
	r->cap = n;
	return 0;
}

/* Reads a text, and its length. -1: it cannot be read, or is too large. */
static int read_text(struct reading *r, const char *path, size_t *n)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	struct statx st;
	ssize_t got = -1;

	if (fd < 0)
		return -1;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) == 0 &&
	    (st.stx_mode & S_IFMT) == S_IFREG && st.stx_size <= TEXT_MAX &&
	    make_room(r, st.stx_size + 1) == 0)
		got = sys_read_all(fd, r->text, st.stx_size + 1);
	sys_close(fd);
	*n = got > 0 ? (size_t)got : 0;
	return got >= 0 && (unsigned long long)got == st.stx_size ? 0 : -1;
}

static int is_content(const char *text, size_t n, const struct digest *content)
{
	struct digest d;

	digest_of(&d, text, n);
	return digest_equal(&d, content);
}

static enum comment_kind kind_of_file(const char *path)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	char head[TEXT_KIND_HEAD];
	ssize_t n = fd < 0 ? -1 : sys_pread(fd, head, sizeof head, 0);
	enum text_kind kind = n < 0 ? TEXT_COMPILED : text_kind(head, (size_t)n);

	if (fd >= 0)
		sys_close(fd);
	return kind == TEXT_COMPILED || kind == TEXT_PRECOMPILED ? COMMENT_VOID : COMMENT_BYTES;
}

static const struct digest zeros;

static void from_memo(struct form *f, const struct digest *content)
{
	f->kind = digest_equal(&f->digest, &zeros)    ? COMMENT_VOID
	          : digest_equal(&f->digest, content) ? COMMENT_BYTES
	                                              : COMMENT_FREE;
}

/* The form of the text at the path, which must have this content. strip: or have it before its
 * trailing comments. */
static void form_of(struct start *s, struct reading *r, const char *path, int strip,
                    const struct digest *content, struct form *f)
{
	size_t n;

	f->places = 0;
	if (!comment_options_text(path)) {
		f->kind = kind_of_file(path);
		return;
	}
	if (memo_text_get(&s->memo, COMMENT_FREE_VERSION, content, &f->digest, &f->places)) {
		from_memo(f, content);
		return;
	}
	if (read_text(r, path, &n) < 0) {
		f->kind = kind_of_file(path);
		return;
	}
	if (strip && !is_content(r->text, n, content))
		n = comments_strip(r->text, n);
	if (!is_content(r->text, n, content)) {
		f->kind = COMMENT_VOID; /* another text is there by now */
		return;
	}
	f->kind = comment_free_digest(r->text, n, r->out, &f->digest, &f->places);
	memo_text_put(&s->memo, COMMENT_FREE_VERSION, content,
	              f->kind == COMMENT_FREE   ? &f->digest
	              : f->kind == COMMENT_VOID ? &zeros
	                                        : content,
	              f->places);
}

static int any_word(const char *words)
{
	return words[0] != '\0';
}

void comment_free_command(struct start *s)
{
	struct reading r = {.arena = ARENA_INIT};
	const char *editor = driver_editor(s->row), *edits = *editor ? start_env(s, editor) : NULL;

	if (s->nested || (edits && *edits) || start_variables_say(s, any_word) ||
	    !comment_options_allow(s->row, &s->cmd))
		return;
	s->comment_free = 1;
	for (size_t i = 0; i < s->primary_count; i++) {
		struct primary *p = &s->primary[i];
		struct form f;

		if (p->response)
			continue;
		p->text = p->keyed;
		form_of(s, &r, p->path, p->strippable, &p->text, &f);
		if (f.kind != COMMENT_FREE)
			continue;
		p->keyed = f.digest;
		p->formed = 1;
	}
	arena_free(&r.arena);
}

int comment_free_holds(struct start *s, const struct input *in, const char *path,
                       const struct digest *content)
{
	struct reading r = {.arena = ARENA_INIT};
	struct form f;

	if (!s->comment_free)
		return 0;
	form_of(s, &r, path, 0, content, &f);
	arena_free(&r.arena);
	return f.kind == COMMENT_FREE && digest_equal(&f.digest, in->form);
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

	*data = !f || f->is_data || f->flags & TREE_RUN;
	return f && f->opens ? f->opens : 1;
}

static void add_text(struct unit *u, struct reading *r, struct input *in, struct primary *p,
                     const char *path)
{
	struct text *x = &u->v[u->count];
	uint64_t times = opens(u, path, &x->bytes);
	struct form f;

	/* A library, or what the driver reads: neither is a text of the unit. */
	if (in && x->bytes && !comment_options_text(path))
		return;
	form_of(u->start, r, path, p && p->strippable, p ? &p->text : &in->value, &f);
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
	struct reading r = {.arena = ARENA_INIT};

	for (size_t i = 0; i < s->primary_count && !u->bytes; i++)
		if (!s->primary[i].response)
			add_text(u, &r, NULL, &s->primary[i], s->primary[i].path);
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
	arena_free(&r.arena);
	if (comment_options_places(s->row) && u->places > COMMENT_PLACES_MAX)
		u->bytes = "columns";
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

/* The key holds the form of this source, and the result depends on its bytes. */
static int add_source(struct unit *u, const struct primary *p)
{
	struct candidate *c = u->c;
	struct start *s = u->start;
	struct input *v = arena_alloc(&s->arena, (c->count + 1) * sizeof *v);
	struct buf spec = BUF_INIT(&s->arena);

	names_path(&s->names, p->path, &spec); /* as it is keyed */
	buf_u8(&spec, 0);
	if (!v || spec.failed)
		return -1;
	memcpy(v, c->v, c->count * sizeof *v);
	v[c->count++] = (struct input){.kind = INPUT_FILE, .spec = (const char *)spec.data,
	                               .spec_len = spec.len - 1, .text = "",
	                               .value = p->content};
	c->v = v;
	return 0;
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

int comment_free_inputs(struct start *s, struct tree *t, struct candidate *c,
                        const struct result *r)
{
	struct unit u = {.start = s, .t = t, .c = c};

	if (!s->comment_free)
		return 0;
	u.v = arena_alloc(&s->arena, (c->count + s->primary_count + 1) * sizeof *u.v);
	u.bytes = !u.v                          ? "memory"
	          : r->chunk_count              ? "it printed something"
	          : r->out_count > OUTPUTS_MOST ? "its outputs"
	          : !programs_are_known(t)      ? "its programs"
	                                        : NULL;
	if (!u.bytes)
		add_texts(&u);
	if (!u.bytes)
		find_equal(&u);
	if (!u.bytes)
		make_texts(&u);
	if (u.bytes)
		log_write(LOG_INFO, "comments count: %s", u.bytes);
	for (size_t i = 0; i < s->primary_count; i++) {
		int bytes = u.bytes != NULL;

		for (size_t k = 0; k < u.count && !bytes; k++)
			bytes = u.v[k].source == &s->primary[i] && u.v[k].bytes;
		if (s->primary[i].formed && bytes && add_source(&u, &s->primary[i]) < 0)
			return -1;
	}
	return 0;
}
