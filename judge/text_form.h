/* judge/text_form.h - the comment-free form of a file (tools/comment_free.h).
 *
 * The memo keeps it under the digest of the file's content, so each text is read once.
 *
 *     struct text_reader r = TEXT_READER_INIT;
 *     text_form_of(s, &r, path, 0, &content, &form);
 *     text_reader_free(&r);
 *
 * THREAD. Memory: the reader's own, for one text at a time. */
#ifndef JUDGE_TEXT_FORM_H
#define JUDGE_TEXT_FORM_H

#include "judge/start.h"
#include "tools/comment_free.h"

struct text_form {
	enum comment_kind kind;
	struct digest digest; /* COMMENT_FREE */
	uint64_t places;
};
struct text_reader {
	struct arena arena;
	char *text, *out;
	size_t cap;
};
#define TEXT_READER_INIT {ARENA_INIT, NULL, NULL, 0}

/* Sets *f for the file at the path, which must have this content. strip: the content is that of the
 * file without its trailing comments (tools/comments.h). */
void text_form_of(struct start *s, struct text_reader *r, const char *path, int strip,
                  const struct digest *content, struct text_form *f);
/* Sets *counted for the same file, which has this form (comment_counted()). -1: the file has
 * another content by now, or it cannot be read. */
int text_form_counted(struct start *s, struct text_reader *r, const char *path, int strip,
                      const struct digest *content, const struct digest *form,
                      struct digest *counted);
void text_reader_free(struct text_reader *r);

#endif
