/* judge/text/comment_free.h - texts that may differ from the recorded ones in the words of
 * comments.
 *
 * A command that tools/comment/comment_form.h allows is keyed by its source without these words.
 * After a run that printed nothing, inputs that are texts become INPUT_TEXT: these hold for other
 * words, too. After any other run the candidate holds the bytes of all texts. There is one
 * exception: if the command allows it (tools/comment/comments.h) and a source was read
 * once, the candidate holds that source without the comments at its end. THREAD. */
#ifndef JUDGE_TEXT_COMMENT_FREE_H
#define JUDGE_TEXT_COMMENT_FREE_H

#include "judge/start.h"
#include "trace/tree.h"

/* Decides whether the start's command allows it, and sets the digests by which its sources are
 * keyed. */
void comment_free_command(struct start *s);
/* Why each byte of a run's texts counts; NULL: comments may leave no trace. */
const char *comment_free_run(const struct tool_row *row, const struct tree *t,
                             const struct result *r);
/* After judge_outputs(): turns inputs into texts, or adds the bytes of the sources. */
enum reason comment_free_record(struct start *s, struct tree *t, struct candidate *c,
                                const struct result *r);
/* 1: the start's source at the path differs from the input only in comments at its end. */
int comment_free_source_holds(const struct start *s, const struct input *in, const char *path);
/* 1: the text at the path, which has this content, differs from the input only in comments. */
int comment_free_holds(struct start *s, const struct input *in, const char *path,
                       const struct digest *content);

#endif
