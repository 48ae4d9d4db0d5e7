/* judge/text/comment_free.c - decides which inputs of a run may differ in the words of comments.
 *
 * The memo keeps the digest of a form under the digest of the text's content, so each text is read
 * once. The content's own digest stands for TEXT_BYTES, and zeros for TEXT_VOID. */
#include "judge/text/text.h"

#include <string.h>

#include "judge/output/output.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "tools/cmdline/language.h"
#include "tools/cmdline/response.h"
#include "tools/comment/comment.h"
#include "tools/driver.h"
#include "tools/text/line_marks.h"
#include "trace/files.h"
#include "trace/real_names.h"

#include "shim/banned.h"

/* No header is larger. */
#define TEXT_MOST (16u << 20)
/* An object, and a dependency file. */
#define OUTPUTS_MOST 2

enum text_use {
	TEXT_FREE,  /* the form stands for the text */
	TEXT_BYTES, /* it has no form: its bytes count */
	TEXT_VOID   /* it may show any text of the unit as it is: the bytes of all count */
};
struct form {
	enum text_use use;
	struct digest digest; /* TEXT_FREE */
	uint64_t places;
};

/* Reads a file, or the head of a larger one. NULL: it cannot be read. */
static char *read_text(struct arena *a, const char *path, size_t *n)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	struct statx st;
	size_t most = TEXT_KIND_HEAD;
	char *text = NULL;
	ssize_t got = -1;

	if (fd < 0)
		return NULL;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) == 0 &&
	    (st.stx_mode & S_IFMT) == S_IFREG) {
		most = st.stx_size <= TEXT_MOST ? st.stx_size + 1 : most;
		text = arena_alloc(a, most);
		got = text ? sys_read_all(fd, text, most) : -1;
	}
	sys_close(fd);
	*n = (size_t)got;
	return got < 0 ? NULL : text;
}

static int is_content(const char *text, size_t n, const struct digest *content)
{
	struct digest d;

	digest_of(&d, text, n);
	return digest_equal(&d, content);
}

/* Reads a text for the first time. strip: the content is that of the file without the comments at
 * its end. 1: the answer holds for each file of this content. */
static int read_form(struct arena *a, const char *path, int strip, int documented,
                     const struct digest *content, struct form *f)
{
	size_t n = 0, len;
	char *text = read_text(a, path, &n), *out;
	enum text_kind kind = text ? text_kind(text, n) : TEXT_COMPILED;
	int named = comment_options_text(path);

	f->use = TEXT_VOID;
	if (kind == TEXT_COMPILED || kind == TEXT_PRECOMPILED)
		return 0;
	/* Neither a library nor an archive of locales is a text that another one includes. */
	if (!named && (kind == TEXT_OBJECT || memchr(text, 0, n))) {
		f->use = TEXT_BYTES;
		return 0;
	}
	if (strip && !is_content(text, n, content))
		n = comments_strip(text, n);
	out = arena_alloc(a, n + 1);
	if (!out || !is_content(text, n, content))
		return 0;
	f->places = comment_free_places(text, n);
	if (line_marks_in(text, n) || line_marks_embed(text, n))
		return 1;
	f->use = comment_free_form(text, n, documented, out, &len) ? TEXT_FREE : TEXT_BYTES;
	if (f->use == TEXT_FREE) {
		/* Not the form alone: a text without comments is equal to its form. */
		out[len] = COMMENT_FREE_RULES;
		digest_of(&f->digest, out, len + 1);
	}
	return 1;
}

static void form_of(const struct tool_row *row, struct memo *memo, const char *path, int strip,
                    const struct digest *content, struct form *f)
{
	struct arena arena = ARENA_INIT;
	static const struct digest zeros;
	const int documented = comment_options_doxygen(row);
	const unsigned rules = COMMENT_FREE_RULES + (unsigned)documented;

	f->places = 0;
	if (memo_text_get(memo, rules, content, &f->digest, &f->places))
		f->use = digest_equal(&f->digest, &zeros)    ? TEXT_VOID
		         : digest_equal(&f->digest, content) ? TEXT_BYTES
		                                             : TEXT_FREE;
	else if (read_form(&arena, path, strip, documented, content, f))
		memo_text_put(memo, rules, content,
		              f->use == TEXT_FREE   ? &f->digest
		              : f->use == TEXT_VOID ? &zeros
		                                    : content,
		              f->places);
	arena_free(&arena);
	if (f->use == TEXT_FREE && !comment_options_text(path))
		f->use = TEXT_BYTES;
}

/* 0: the last bytes show that no comment is there. Most sources have none. */
static int may_end_so(const struct primary *p)
{
	char tail[1024];
	off_t at = p->st.stx_size > sizeof tail ? (off_t)(p->st.stx_size - sizeof tail) : 0;
	int fd = sys_open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	ssize_t n = fd < 0 ? -1 : sys_pread(fd, tail, sizeof tail, at);

	if (fd >= 0)
		sys_close(fd);
	/* A line that is longer than the tail counts as a comment if it could be a comment.
	 * Inductor writes such lines. */
	return n >= 3 && tail[n - 1] == '\n' &&
	       (comments_strip(tail, (size_t)n) != (size_t)n ||
	        !memchr(tail, '\n', (size_t)n - 1));
}

static void strip(struct start *s, struct primary *p)
{
	char *text;
	size_t n;

	if (p->st.stx_size > TEXT_MOST || !comments_drop(s->row, &s->cmd, p->path))
		return;
	p->strippable = 1;
	if (!may_end_so(p))
		return;
	text = arena_file(&s->arena, p->path, TEXT_MOST, &n, NULL);
	if (!text)
		return;
	digest_of(&p->content, text, n);
	digest_of(&p->keyed, text, comments_strip(text, n));
}

/* Keys sources of C++ without the comments at their ends, where the command makes only an object
 * (comments_drop()). */
static void strip_sources(struct start *s)
{
	for (size_t i = 0; i < s->primaries.count && !s->text; i++)
		if (!s->primaries.v[i].response)
			strip(s, &s->primaries.v[i]);
}

void comment_free_command(struct start *s)
{
	strip_sources(s);
	if (s->call.nested || start_variables_add(s->row, &s->call) ||
	    !comment_options_allow(s->row, &s->cmd))
		return;
	s->comment_free = 1;
	for (size_t i = 0; i < s->primaries.count; i++) {
		struct primary *p = &s->primaries.v[i];
		struct form f;

		if (p->response)
			continue;
		p->text = p->keyed;
		form_of(s->row, &s->memo, p->path, p->strippable, &p->text, &f);
		if (f.use != TEXT_FREE)
			continue;
		p->keyed = f.digest;
		p->formed = 1;
	}
}

int comment_free_holds(struct start *s, const struct input *in, const char *path,
                       const struct digest *content)
{
	struct form f;

	if (!s->comment_free)
		return 0;
	form_of(s->row, &s->memo, path, 0, content, &f);
	return f.use == TEXT_FREE && digest_equal(&f.digest, in->form);
}

int comment_free_source_holds(const struct start *s, const struct input *in, const char *path)
{
	const struct primary *p = s->primaries.v, *end = p + s->primaries.count;

	while (p < end && strcmp(p->path, path) != 0)
		p++;
	return p < end && s->comment_free && digest_equal(&p->text, &in->value);
}

/* A text of the unit: an input, or a source that is keyed by its form. */
struct text {
	struct digest form;
	struct input *input;           /* or */
	const struct primary *source;
	int bytes;                     /* its bytes count */
};

struct unit {
	struct start *start;
	struct tree *t;
	struct candidate *c;
	struct text *v;
	size_t count;
	uint64_t places;
	enum tree_assembler assembler;
	const char *bytes; /* why the bytes of all texts count; NULL: they do not */
};

static int programs_are_known(const struct tool_row *row, const struct tree *t)
{
	for (size_t i = 0; i < t->process_count; i++)
		/* Without a hello it is the caller, whose pid an event named. */
		if (t->process[i].hello && !comment_options_program(row, t->process[i].program))
			return 0;
	return 1;
}

static void add_text(struct unit *u, struct input *in, const struct primary *p, const char *path)
{
	const struct tree_file *file = judge_tree_file(u->start, u->t, path);
	struct text *x = &u->v[u->count];
	struct form f;

	/* An assembler read it, for example. */
	x->bytes = !file || file->is_data || file->flags & TREE_RUN ||
	           (u->assembler != TREE_ASSEMBLER_APART && file->named < file->opens);
	/* A library, or what the driver reads: neither is a text of the unit. */
	if (in && x->bytes && !comment_options_text(path))
		return;
	form_of(u->start->row, &u->start->memo, path, p && p->strippable,
	        p ? &p->text : &in->value, &f);
	u->places += (file && file->opens ? file->opens : 1) * f.places;
	if (f.use == TEXT_VOID)
		u->bytes = path;
	else if (u->places > COMMENT_PLACES_MAX && comment_options_places(u->start->row))
		u->bytes = "no numbers may be left for columns";
	if (f.use != TEXT_FREE)
		return;
	x->form = f.digest;
	x->input = in;
	x->source = p;
	/* Two texts with one form may get equal bytes, and then gcc takes them for one file with
	 * `#pragma once` (judge/input/duplicates.c). */
	for (struct text *y = u->v; y < x; y++)
		if (digest_equal(&x->form, &y->form))
			x->bytes = y->bytes = 1;
	u->count++;
}

static void add_texts(struct unit *u)
{
	struct start *s = u->start;

	for (size_t i = 0; i < s->primaries.count && !u->bytes; i++)
		if (!s->primaries.v[i].response)
			add_text(u, NULL, &s->primaries.v[i], s->primaries.v[i].path);
	for (size_t i = 0; i < u->c->count && !u->bytes; i++) {
		struct input *in = &u->c->v[i];
		const char *path;

		if (!input_is_content(in->kind))
			continue;
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		if (!path || specs_is(in->spec) || specs_is_config(in->spec))
			u->bytes = "a file with options";
		else
			add_text(u, in, NULL, path);
	}
}

/* 1: the comments at this source's end reach nothing. gcc opens a source again for a diagnostic, an
 * #include of the source itself, .incbin, and where it compares files. */
static int drops_comments(const struct unit *u, const struct primary *p)
{
	const struct tree_file *f = judge_tree_file(u->start, u->t, p->path);

	return p->strippable && f && f->opens == 1 && !f->is_data && !(f->flags & TREE_RUN);
}

/* The key holds the form of this source, but the result depends on more: on its bytes, or on the
 * text without the comments at its end. */
static int add_source(struct unit *u, const struct primary *p)
{
	const int dropped = u->bytes && proof_on(&u->start->set, PROOF_COMMENTS) &&
	                    drops_comments(u, p);
	struct candidate *c = u->c;
	struct start *s = u->start;
	struct input *v = arena_alloc(&s->arena, (c->count + 1) * sizeof *v);
	struct buf spec = BUF_INIT(&s->arena);

	names_path(&s->names, p->path, &spec); /* as it is keyed */
	buf_u8(&spec, 0);
	if (!v || spec.failed)
		return -1;
	memcpy(v, c->v, c->count * sizeof *v);
	v[c->count++] = (struct input){.kind = dropped ? INPUT_SOURCE : INPUT_FILE,
	                               .spec = (const char *)spec.data,
	                               .spec_len = spec.len - 1, .text = "",
	                               .value = dropped ? p->text : p->content};
	c->v = v;
	return 0;
}

const char *comment_free_run(const struct tool_row *row, const struct tree *t,
                             const struct result *r)
{
	return r->chunk_count                               ? "it printed something"
	       : r->out_count > OUTPUTS_MOST                ? "its outputs"
	       : !programs_are_known(row, t)                ? "its programs"
	       : t->script_count                            ? "a script may read its texts"
	       : tree_assembler(t) == TREE_ASSEMBLER_HIDDEN ? "its assembler may read its texts"
	                                                    : NULL;
}

enum reason comment_free_record(struct start *s, struct tree *t, struct candidate *c,
                                const struct result *r)
{
	struct unit u = {.start = s, .t = t, .c = c};
	int on = proof_on(&s->set, PROOF_COMMENTS);

	if (on && !s->comment_free)
		return REASON_NONE;
	u.assembler = tree_assembler(t);
	u.v = arena_alloc(&s->arena, (c->count + s->primaries.count + 1) * sizeof *u.v);
	u.bytes = !u.v ? "memory" : on ? comment_free_run(s->row, t, r) : "the proof is off";
	if (!u.bytes)
		add_texts(&u);
	if (u.bytes)
		log_write(LOG_INFO, "comments count: %s", u.bytes);
	for (size_t i = 0; i < u.count && !u.bytes; i++) {
		struct input *in = u.v[i].input;

		if (!in || u.v[i].bytes)
			continue;
		in->kind = in->kind == INPUT_FILE ? INPUT_TEXT : INPUT_REAL_TEXT;
		in->form = &u.v[i].form;
	}
	for (size_t i = 0; i < s->primaries.count; i++) {
		const struct primary *p = &s->primaries.v[i];
		int bytes = u.bytes != NULL;

		for (size_t k = 0; k < u.count && !bytes; k++)
			bytes = u.v[k].source == p && u.v[k].bytes;
		if ((p->formed || (!on && p->strippable)) && bytes && add_source(&u, p) < 0)
			return REASON_UNSTORED_MEMORY;
	}
	return REASON_NONE;
}
