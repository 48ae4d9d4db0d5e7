/* judge/text_form.c - reads a text once for its form.
 *
 * In the memo the digest of the content stands for COMMENT_BYTES, and zeros for COMMENT_VOID. */
#include "judge/text_form.h"

#include <string.h>

#include "shim/sys.h"
#include "tools/comment_options.h"
#include "tools/comments.h"
#include "tools/text_kind.h"

#include "shim/banned.h"

/* No header is larger. */
#define TEXT_MAX (16u << 20)

static int make_room(struct text_reader *r, size_t n)
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
static int read_text(struct text_reader *r, const char *path, size_t *n)
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

/* Reads the text that has this content; strip: or has it before its trailing comments. 0: another
 * text is there by now. -1: it cannot be read. */
static int read_content(struct text_reader *r, const char *path, int strip,
                        const struct digest *content, size_t *n)
{
	if (read_text(r, path, n) < 0)
		return -1;
	if (is_content(r->text, *n, content))
		return 1;
	if (strip)
		*n = comments_strip(r->text, *n);
	return strip && is_content(r->text, *n, content);
}

/* 1: or it cannot be read. */
static int is_compiled(const char *path)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	char head[TEXT_KIND_HEAD];
	ssize_t n = fd < 0 ? -1 : sys_pread(fd, head, sizeof head, 0);
	enum text_kind kind = n < 0 ? TEXT_COMPILED : text_kind(head, (size_t)n);

	if (fd >= 0)
		sys_close(fd);
	return kind == TEXT_COMPILED || kind == TEXT_PRECOMPILED;
}

static const struct digest zeros;

static void from_memo(struct text_form *f, const struct digest *content)
{
	f->kind = digest_equal(&f->digest, &zeros)    ? COMMENT_VOID
	          : digest_equal(&f->digest, content) ? COMMENT_BYTES
	                                              : COMMENT_FREE;
}

static void to_memo(struct start *s, const struct text_form *f, const struct digest *content)
{
	memo_text_put(&s->memo, COMMENT_FREE_VERSION, content,
	              f->kind == COMMENT_FREE   ? &f->digest
	              : f->kind == COMMENT_VOID ? &zeros
	                                        : content,
	              f->places);
}

/* A file with a name that no text has: a locale, a list for a sanitizer. But any file may be
 * included. */
static int is_no_text(const char *text, size_t n)
{
	return text_kind(text, n) == TEXT_OBJECT || memchr(text, 0, n) != NULL;
}

static void read_form(struct start *s, struct text_reader *r, const char *path, int strip,
                      const struct digest *content, struct text_form *f)
{
	int named = comment_options_text(path);
	enum text_kind kind;
	size_t n;
	int rc = read_content(r, path, strip, content, &n);

	f->kind = COMMENT_VOID;
	if (rc < 0) {
		/* glibc's archive of locales has some hundred MB */
		if (!named && !is_compiled(path))
			f->kind = COMMENT_BYTES;
		return;
	}
	kind = text_kind(r->text, n);
	if (!rc || kind == TEXT_COMPILED || kind == TEXT_PRECOMPILED)
		return;
	if (!named && is_no_text(r->text, n)) {
		f->kind = COMMENT_BYTES;
		return;
	}
	f->kind = comment_free_digest(r->text, n, r->out, &f->digest, &f->places);
	to_memo(s, f, content);
}

void text_form_of(struct start *s, struct text_reader *r, const char *path, int strip,
                  const struct digest *content, struct text_form *f)
{
	f->places = 0;
	if (memo_text_get(&s->memo, COMMENT_FREE_VERSION, content, &f->digest, &f->places))
		from_memo(f, content);
	else
		read_form(s, r, path, strip, content, f);
	if (f->kind == COMMENT_FREE && !comment_options_text(path))
		f->kind = COMMENT_BYTES;
}

int text_form_counted(struct start *s, struct text_reader *r, const char *path, int strip,
                      const struct digest *content, const struct digest *form,
                      struct digest *counted)
{
	struct digest lengths;
	uint64_t unused;
	size_t n;

	if (!memo_text_get(&s->memo, COMMENT_LENGTHS_VERSION, content, &lengths, &unused)) {
		if (read_content(r, path, strip, content, &n) <= 0)
			return -1;
		comment_line_lengths(r->text, n, &lengths);
		memo_text_put(&s->memo, COMMENT_LENGTHS_VERSION, content, &lengths, 0);
	}
	comment_counted(form, &lengths, counted);
	return 0;
}

void text_reader_free(struct text_reader *r)
{
	arena_free(&r->arena);
}
