/* names/names.c - spec bytes:
 *   path spec   'A' absolute | 'C' relative to the cwd | 'F' as file n, then spec text
 *   spec text   any byte but NUL and 0x01 stands for itself
 *               0x01 kind '0'+n  name n of this kind (enum name_kind): T, B, X, F
 *               0x01 0x01        a byte 0x01
 */
#include "names/names.h"

#include <string.h>

#include "names/bases.h"
#include "names/name_shape.h"
#include "shim/ascii.h"
#include "shim/buf.h"

#include "shim/banned.h"

static int known_name(const struct names *n, const char *text, size_t len)
{
	for (int i = 0; i < n->count; i++)
		if (n->v[i].len == len && memcmp(n->v[i].text, text, len) == 0)
			return i;
	return -1;
}

static int learn_name(struct names *n, const char *text, size_t len)
{
	char *copy;

	if (n->count == NAMES_VOLATILE_MAX || !(copy = arena_memdup(n->arena, text, len))) {
		n->overflow = 1;
		return -1;
	}
	n->v[n->count].text = copy;
	n->v[n->count].len = len;
	return n->count++;
}

static void put_literal(struct buf *out, const char *p, size_t len)
{
	const char *end = p + len, *mark;

	while ((mark = memchr(p, NAMES_MARK, (size_t)(end - p)))) {
		buf_add(out, p, (size_t)(mark + 1 - p));
		buf_u8(out, NAMES_MARK);
		p = mark + 1;
	}
	buf_add(out, p, (size_t)(end - p));
}

static void put_name(struct buf *out, enum name_kind kind, int index)
{
	buf_u8(out, NAMES_MARK);
	buf_u8(out, (unsigned char)kind);
	buf_u8(out, (unsigned)('0' + index));
}

/* Kind and index of a letter and a number. */
static void set_kind(unsigned letter, unsigned number, unsigned char *kind, unsigned char *index)
{
	int one = letter == NAME_KIND_BASE && number >= NAME_KINDS_OF_ONE &&
	          number < NAMES_MAX;

	*kind = (unsigned char)(one ? number : letter);
	*index = (unsigned char)(one ? 0 : number);
}

/* A component. token: the length of the generated name that it begins with; 0: none. */
static void put_component(struct names *n, const char *text, size_t len, size_t token, int learn,
                          struct buf *out)
{
	int index = -1;

	if (n->own.len && len >= n->own.len && memcmp(text, n->own.text, n->own.len) == 0) {
		put_name(out, NAME_KIND_OWN, 0);
		text += n->own.len;
		len -= n->own.len;
		token = 0;
	}
	if (token) {
		index = known_name(n, text, token);
		if (index < 0 && learn)
			index = learn_name(n, text, token);
	}
	if (index >= 0) {
		put_name(out, NAME_KIND_TEMP, index);
		text += token;
		len -= token;
	}
	put_literal(out, text, len);
}

/* Text that is no absolute path. */
static void put_relative(struct names *n, const char *text, size_t len, int learn, struct buf *out)
{
	for (size_t at = 0, end; at < len; at = end) {
		size_t token;

		for (end = at; end < len && text[end] != '/'; end++)
			;
		token = name_token(text + at, end - at);
		if (name_is_unique(text + at, token) || name_is_uv(text, at, token))
			put_component(n, text + at, end - at, token, learn, out);
		else
			put_literal(out, text + at, end - at);
		for (; end < len && text[end] == '/'; end++)
			put_literal(out, "/", 1);
	}
}

/* Puts one absolute path of len bytes (its own string in the arena, or the tail of such a
 * string). */
static void put_path(struct names *n, const char *path, size_t len, int learn, struct buf *out)
{
	int base = names_base_of(n, path, len);
	size_t at = 0;

	if (base >= 0) {
		base = names_use_base(n, base);
		at = n->base[base].len;
		put_name(out, NAME_KIND_BASE, base);
	}
	while (at < len) {
		size_t begin = at, token;

		while (at < len && path[at] == '/')
			at++;
		put_literal(out, path + begin, at - begin);
		begin = at;
		while (at < len && path[at] != '/')
			at++;
		token = name_token(path + begin, at - begin);
		if (!names_is_generated(n, path, begin - 1, token))
			token = 0;
		if (token || (n->own.len && names_below_root(n, path, begin - 1)))
			put_component(n, path + begin, at - begin, token, learn, out);
		else
			put_literal(out, path + begin, at - begin);
	}
}

static int is_separator(int c) { return c == '=' || c == ',' || c == ':' || c == '@'; }

/* The place where the first path of an argument may begin: at the start, or after a flag's letters
 * (-I, -isystem). Any other path comes after a separator. */
static size_t first_path(const char *arg)
{
	size_t i = 0;

	if (arg[0] != '-')
		return 0;
	while (arg[i] == '-')
		i++;
	while (ascii_letter((unsigned char)arg[i]))
		i++;
	return arg[i] == '/' ? i : 0;
}

/* Bytes of the escape at p (after its NAMES_MARK); NULL when it names nothing. */
static const char *resolve_mark(const struct names *n, unsigned char kind, unsigned char index,
                                size_t *len)
{
	const char *base;
	int i = index - '0';

	if (i < 0 || i >= NAMES_VOLATILE_MAX)
		return NULL;
	if (kind == NAME_KIND_TEMP && i < n->count) {
		*len = n->v[i].len;
		return n->v[i].text;
	}
	if (kind == NAME_KIND_OWN && i == 0 && n->own.len) {
		*len = n->own.len;
		return n->own.text;
	}
	if (kind == NAME_KIND_FILE && i < n->files) {
		*len = n->file[i].len;
		return n->file[i].text;
	}
	base = kind == NAME_KIND_BASE ? names_base(n, i) : NULL;
	*len = base ? strlen(base) : 0;
	return base;
}

/* NULL: the path is not of the kind that its spec says. */
static const char *resolved(const char *spec, const char *path)
{
	int fits = path && (spec[0] == SPEC_FILE || (spec[0] == SPEC_ABSOLUTE) == (path[0] == '/'));

	return fits ? path : NULL;
}

/* --- public, in header order --- */

void names_own(struct names *n, unsigned pid)
{
	static const char shape[] = "tmpxft_00000000_00000000";
	char *text = n->own.len ? (char *)n->own.text : arena_strdup(n->arena, shape);

	if (!text)
		return;
	ascii_put_hex(text + sizeof "tmpxft_" - 1, pid, 8);
	n->own = (struct name){text, sizeof shape - 1};
}

void names_arg(struct names *n, const char *arg, int learn, struct buf *out)
{
	size_t at = first_path(arg), quoted = strcspn(arg, "\"'");

	put_literal(out, arg, at);
	while (arg[at]) {
		size_t begin = at;

		while (arg[at] && !is_separator((unsigned char)arg[at]))
			at++;
		/* A quote makes text of everything behind it: -DPATH="/a:/tmp/tmpab12cd34". */
		if (arg[begin] == '/' && at <= quoted)
			put_path(n, arg + begin, at - begin, learn, out);
		else if (name_xft_len(arg + begin, at - begin) && at <= quoted)
			put_component(n, arg + begin, at - begin,
			              name_token(arg + begin, at - begin), learn, out);
		else if (at <= quoted)
			put_relative(n, arg + begin, at - begin, learn, out);
		else
			put_literal(out, arg + begin, at - begin);
		if (arg[at])
			put_literal(out, arg + at++, 1);
	}
}

void names_env(struct names *n, const char *value, int quoted, struct buf *out)
{
	size_t len;

	if (!quoted) {
		names_arg(n, value, 0, out);
		return;
	}
	/* A quote inside a word is written as '\'', so each part of such a word is handled by
	 * itself. */
	for (; *value; value += len) {
		const char *part;

		len = strcspn(value, "'");
		part = arena_memdup(n->arena, value, len);
		if (part)
			names_arg(n, part, 0, out);
		else
			put_literal(out, value, len);
		if (value[len])
			put_literal(out, value + len++, 1);
	}
}

void names_path(struct names *n, const char *path, struct buf *out)
{
	if (path[0] == '/') {
		buf_u8(out, SPEC_ABSOLUTE);
		put_path(n, path, strlen(path), 0, out);
	} else {
		buf_u8(out, SPEC_RELATIVE);
		put_relative(n, path, strlen(path), 0, out);
	}
}

const char *names_resolve(const struct names *n, const char *spec, size_t len, struct arena *a)
{
	struct buf out = BUF_INIT(a);

	if (!len || !spec[0] || !strchr("ACF", spec[0]) || memchr(spec, 0, len))
		return NULL;
	if (!memchr(spec, NAMES_MARK, len))
		return resolved(spec, arena_memdup(a, spec + 1, len - 1));
	for (size_t i = 1; i < len; i++) {
		const char *text;
		size_t n_text;

		if (spec[i] != NAMES_MARK) {
			buf_u8(&out, (unsigned char)spec[i]);
		} else if (i + 1 < len && spec[i + 1] == NAMES_MARK) {
			buf_u8(&out, NAMES_MARK);
			i++;
		} else if (i + 2 < len &&
		           (text = resolve_mark(n, (unsigned char)spec[i + 1],
		                                (unsigned char)spec[i + 2], &n_text))) {
			buf_add(&out, text, n_text);
			i += 2;
		} else {
			return NULL;
		}
	}
	buf_u8(&out, 0);
	return resolved(spec, out.failed ? NULL : (const char *)out.data);
}

void names_put_kind(struct buf *out, unsigned kind, unsigned index)
{
	buf_u8(out, kind < NAMES_MAX ? NAME_KIND_BASE : kind);
	buf_u8(out, kind < NAMES_MAX ? kind : index);
}

void names_read_kind(struct reader *r, unsigned char *kind, unsigned char *index)
{
	unsigned letter = reader_u8(r);

	r->failed |= letter < NAMES_MAX;
	set_kind(letter, reader_u8(r), kind, index);
}

void names_spec_kind(const char spec[2], unsigned char *kind, unsigned char *index)
{
	set_kind((unsigned char)spec[0], (unsigned char)(spec[1] - '0'), kind, index);
}

const char *names_print(const char *spec, size_t len, struct arena *a)
{
	struct buf out = BUF_INIT(a);

	for (size_t i = 0; i < len; i++) {
		if (spec[i] != NAMES_MARK) {
			buf_u8(&out, spec[i] ? (unsigned char)spec[i] : '?');
		} else if (i + 2 < len && strchr("TBXF", spec[i + 1]) && spec[i + 1]) {
			unsigned index = (unsigned char)spec[i + 2] - '0';

			buf_u8(&out, '@');
			buf_u8(&out, (unsigned char)spec[i + 1]);
			if (index >= 10)
				buf_u8(&out, '0' + index / 10 % 10);
			buf_u8(&out, '0' + index % 10);
			i += 2;
		} else {
			buf_str(&out, "\\x01");
			i += i + 1 < len && spec[i + 1] == NAMES_MARK;
		}
	}
	buf_u8(&out, 0);
	return out.failed ? "" : (const char *)out.data;
}
