/* tools/text/ptx.c - what ptxas without -g does with source names, and so what may leave the key
 * (ptxas 12.9 and 13.4, tests/long/ptx_corpus.py):
 *
 *   .file N "<dir>/<file>"     both into .debug_line, complete, once each, by N; blanked. Up
 *                              to 13.0 with the file's modification time and size:
 *                              ptx_add_sources()
 *   .loc ... // <file>:L:C     dropped; blanked
 *   .b8 in .debug_info         dropped; blanked where it spells a name and a zero
 *   any other line             goes into .nv_debug_ptx_txt unchanged, with comments: literal
 *   .file under -c             also a hash of both into the name of that section,
 *                              .nv_debug_ptx_txt.2994440466: literal (INPUT_TEXT_BOUND)
 *
 * A name may stand anywhere else, such as the path of a device_assert, spelled in a .global. It
 * could reach the result in a form that no patch finds, or be taken for a name that is patched. So
 * it stays literal everywhere. A name also stays literal if it is too short to be patched, or has
 * characters that ptxas may change.
 *
 * Canonical text: bytes unchanged; a blanked place as 0x01, its kind, the name's index and its
 * length. Sloppy lineinfo leaves the length out. */
#include "tools/text/ptx.h"

#include <stdint.h>
#include <string.h>

#include "shim/ascii.h"
#include "shim/buf.h"
#include "shim/sort.h"
#include "tools/text/ptx_scan.h"
#include "tools/text/ptx_source.h"

#include "shim/banned.h"

#define MARK 0x01
#define SLOPPY_INDEX 0xff
/* MARK, kind, index and length of a blanked place. */
#define BLANKED_MAX 7

enum span_kind { SPAN_FILE = 'f', SPAN_COMMENT = 'c', SPAN_BYTE = 'b', SPAN_DROPPED = 'd' };
struct span {
	uint32_t at, len;
	unsigned char kind, index;
};

/* A distinct directory or file name of the .file directives. */
struct source_name {
	const char *text;
	uint32_t len;
	unsigned char is_dir;
	unsigned char literal; /* may not be blanked */
};

struct canon {
	const struct ptx_scan *s;
	struct source_name v[INPUT_TEXT_SOURCES_MAX];
	int count;
	enum input_text_names names;
	struct buf spans; /* struct span, to be sorted by `at` */
	struct buf bytes; /* the scan's data bytes; blanked bytes are MARK */
};

/* Characters seen to pass through ptxas unchanged. A quote or a byte above 126 is a syntax
 * error. */
static int is_plain(const char *p, size_t len)
{
	static const char extra[] = "_-./+=@~,";

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if (!ascii_alnum(c) && !memchr(extra, c, sizeof extra - 1))
			return 0;
		if (c == '/' && i + 1 < len && p[i + 1] == '/')
			return 0;
	}
	return len && p[len - 1] != '/';
}

static int find_name(const struct canon *c, const char *p, size_t len, int is_dir)
{
	for (int i = 0; i < c->count; i++)
		if (c->v[i].len == len && c->v[i].is_dir == is_dir &&
		    memcmp(c->v[i].text, p, len) == 0)
			return i;
	return -1;
}

static int add_name(struct canon *c, const char *p, size_t len, int is_dir)
{
	if (!len || find_name(c, p, len, is_dir) >= 0)
		return 0;
	if (c->count == INPUT_TEXT_SOURCES_MAX)
		return -1;
	c->v[c->count].text = p;
	c->v[c->count].len = (uint32_t)len;
	c->v[c->count].is_dir = (unsigned char)is_dir;
	c->v[c->count].literal =
		c->names == INPUT_TEXT_BOUND || len < NAME_VOLATILE_MIN || !is_plain(p, len);
	c->count++;
	return 0;
}

static int collect_names(struct canon *c)
{
	const struct ptx_file *f = (const struct ptx_file *)c->s->files.data;

	for (size_t i = 0; i < c->s->files.len / sizeof *f; i++) {
		const char *path = c->s->text + f[i].at;
		size_t dir = ptx_split(path, f[i].len), base = dir;

		while (base < f[i].len && path[base] == '/')
			base++;
		if (add_name(c, path, dir, 1) < 0 ||
		    add_name(c, path + base, f[i].len - base, 0) < 0)
			return -1;
	}
	return 0;
}

static void add_span(struct canon *c, size_t at, size_t len, enum span_kind kind, int index)
{
	struct span s;

	memset(&s, 0, sizeof s); /* padding too: the bytes are copied */
	s.at = (uint32_t)at;
	s.len = (uint32_t)len;
	s.kind = (unsigned char)kind;
	s.index = (unsigned char)index;
	buf_add(&c->spans, &s, sizeof s);
}

/* Adds spans for a directory and a file name, or for a file name alone, that fill
 * text[at..at+len). */
static void span_path(struct canon *c, size_t at, size_t len, enum span_kind kind)
{
	const char *path = c->s->text + at;
	size_t dir = ptx_split(path, len), base = dir;
	int i;

	while (base < len && path[base] == '/')
		base++;
	if (dir && (i = find_name(c, path, dir, 1)) >= 0 && !c->v[i].literal)
		add_span(c, at, dir, kind, i);
	if (base < len && (i = find_name(c, path + base, len - base, 0)) >= 0 && !c->v[i].literal)
		add_span(c, at + base, len - base, kind, i);
}

/* Words of the form <path>:<line>:<column> in a comment. LLVM leaves a line's column out where it
 * has none. */
static void span_comment(struct canon *c, size_t at, size_t len)
{
	const char *p = c->s->text;
	size_t end = at + len;

	while (at < end) {
		size_t begin = at, colon = 0, colons = 0;

		for (; at < end && p[at] != ' ' && p[at] != '\t'; at++)
			if (p[at] == ':' && at + 1 < end && p[at + 1] >= '0' && p[at + 1] <= '9') {
				if (!colons++)
					colon = at;
			}
		if (colons == 1 || colons == 2)
			span_path(c, begin, colon - begin, SPAN_COMMENT);
		while (at < end && (p[at] == ' ' || p[at] == '\t'))
			at++;
	}
}

/* The name that the data bytes from `at` spell. They are a directory or file name and a zero, or a
 * directory, a slash and a file name. In the second form the directory is the name. -1: no name. */
static int spelled_name(const struct canon *c, size_t at)
{
	const unsigned char *p = c->s->bytes.data;
	size_t left = c->s->bytes.len - at;
	int best = -1;

	for (int i = 0; i < c->count; i++) {
		const struct source_name *v = &c->v[i];

		if (v->literal || v->len >= left || p[at] != (unsigned char)v->text[0] ||
		    memcmp(p + at, v->text, v->len) != 0)
			continue;
		if (p[at + v->len] != 0 && !(v->is_dir && p[at + v->len] == '/'))
			continue;
		if (best < 0 || v->len > c->v[best].len)
			best = i;
	}
	return best;
}

static void span_bytes(struct canon *c)
{
	const struct ptx_byte *where = (const struct ptx_byte *)c->s->where.data;

	buf_add(&c->bytes, c->s->bytes.data, c->s->bytes.len);
	for (size_t at = 0; at < c->s->bytes.len && !c->bytes.failed;) {
		int i = where[at].len ? spelled_name(c, at) : -1;
		size_t len = i < 0 ? 0 : c->v[i].len;

		for (size_t k = 0; k < len; k++)
			if (!where[at + k].len)
				len = 0; /* written in a way that may not be blanked */
		for (size_t k = 0; k < len; k++) {
			add_span(c, where[at + k].at, where[at + k].len, SPAN_BYTE, i);
			c->bytes.data[at + k] = MARK;
		}
		at += len ? len : 1;
	}
}

static int make_spans(struct canon *c)
{
	const struct ptx_file *f = (const struct ptx_file *)c->s->files.data;
	const struct ptx_piece *v = (const struct ptx_piece *)c->s->comments.data;

	c->spans.len = c->bytes.len = 0;
	for (size_t i = 0; i < c->s->files.len / sizeof *f; i++)
		if (c->names == INPUT_TEXT_SLOPPY)
			add_span(c, f[i].at, f[i].len, SPAN_FILE, SLOPPY_INDEX);
		else
			span_path(c, f[i].at, f[i].len, SPAN_FILE);
	for (size_t i = 0; i < c->s->comments.len / sizeof *v; i++)
		if (c->names == INPUT_TEXT_SLOPPY)
			add_span(c, v[i].at, v[i].len, SPAN_COMMENT, SLOPPY_INDEX);
		else
			span_comment(c, v[i].at, v[i].len);
	span_bytes(c);
	v = (const struct ptx_piece *)c->s->sections.data;
	for (size_t i = 0; c->names == INPUT_TEXT_SLOPPY && i < c->s->sections.len / sizeof *v; i++)
		add_span(c, v[i].at, v[i].len, SPAN_DROPPED, SLOPPY_INDEX);
	return c->spans.failed || c->bytes.failed ? -1 : 0;
}

static int by_at(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	return a->at < b->at ? -1 : a->at > b->at;
}

/* Writes the canonical text of the spans to out. A span inside the previous span is left out. This
 * happens only with sloppiness, where the bytes of a dropped section are spans too. */
static int render(struct canon *c, struct buf *out)
{
	size_t count = c->spans.len / sizeof(struct span), at = 0;
	/* A few ascending lists stand one after the other. */
	const struct span *v = sort_stable(c->spans.arena, c->spans.data, count, sizeof *v, by_at);
	char *p;

	out->len = 0;
	if ((count && !v) || !(p = buf_reserve(out, c->s->n + count * BLANKED_MAX)))
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (v[i].at < at)
			continue;
		p = mempcpy(p, c->s->text + at, v[i].at - at);
		*p++ = MARK;
		*p++ = (char)v[i].kind;
		*p++ = (char)v[i].index;
		if (v[i].kind != SPAN_BYTE && v[i].index != SLOPPY_INDEX)
			for (int byte = 0; byte < 4; byte++)
				*p++ = (char)(v[i].len >> 8 * byte);
		at = (size_t)v[i].at + v[i].len;
	}
	p = mempcpy(p, c->s->text + at, c->s->n - at);
	out->len = (size_t)(p - (char *)out->data);
	return 0;
}

/* Marks literal every name that still stands in the remaining text; 1 when there was such a
 * name. */
static int find_elsewhere(struct canon *c, const struct buf *text)
{
	int found = 0;

	for (int i = 0; i < c->count; i++) {
		struct source_name *v = &c->v[i];

		if (v->literal)
			continue;
		if (input_text_stands_in(text->data, text->len, v->text, v->len) ||
		    input_text_stands_in(c->bytes.data, c->bytes.len, v->text, v->len))
			v->literal = found = 1;
	}
	return found;
}

static int copy_names(struct input_text *out, const struct canon *c, struct arena *a)
{
	for (int i = 0; i < c->count; i++) {
		struct patch_name *name = &out->names[out->count];

		if (c->v[i].literal)
			continue;
		if (!(name->text = arena_memdup(a, c->v[i].text, c->v[i].len)))
			return -1;
		name->kind = NAME_KIND_TEXT;
		name->index = (unsigned char)i;
		name->len = c->v[i].len;
		out->count++;
	}
	return 0;
}

/* --- public, in header order --- */

int ptx_recognise(const char *text, size_t n)
{
	static const char word[] = ".version";
	size_t at = 0;

	while (at < n) {
		if (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n') {
			at++;
		} else if (text[at] == '/' && at + 1 < n && text[at + 1] == '/') {
			while (at < n && text[at] != '\n')
				at++;
		} else {
			return n - at > sizeof word &&
			       memcmp(text + at, word, sizeof word - 1) == 0;
		}
	}
	return 0;
}

int ptx_canonical(struct input_text *out, const char *text, size_t n, enum input_text_names names,
                  struct arena *a)
{
	struct canon *c;
	struct ptx_scan s;
	struct digest_state state;
	struct buf canonical = BUF_INIT(a);

	memset(out, 0, sizeof *out);
	if (!ptx_recognise(text, n) || !(c = arena_alloc(a, sizeof *c)) ||
	    ptx_scan(&s, text, n, a) < 0)
		return -1;
	c->s = &s;
	c->names = names;
	out->sloppy = names == INPUT_TEXT_SLOPPY;
	c->spans = c->bytes = (struct buf)BUF_INIT(a);
	if (collect_names(c) < 0)
		return -1;
	/* Each round except the last makes a name literal, and this name's text may hold another
	 * name. */
	do {
		if (make_spans(c) < 0 || render(c, &canonical) < 0)
			return -1;
	} while (find_elsewhere(c, &canonical));
	digest_init(&state);
	digest_add(&state, out->sloppy ? "PTXs" : "PTX1", 4);
	digest_add(&state, canonical.data, canonical.len);
	digest_final(&state, &out->canonical);
	out->blanked = (const char *)canonical.data;
	out->blanked_len = canonical.len;
	return copy_names(out, c, a) < 0 || ptx_list_sources(out, &s, a) < 0 ? -1 : 0;
}
