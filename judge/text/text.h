/* judge/text/text.h - what texts ask for, name or hide. Memory: the start's arena. THREAD. */
#ifndef JUDGE_TEXT_TEXT_H
#define JUDGE_TEXT_TEXT_H

#include "judge/start.h"
#include "judge/text/texts.h"
#include "tools/asks/definitions.h"
#include "trace/tree.h"

/* --- comment_free.c: texts that may differ from the recorded ones in the words of
 * comments.
 *
 * A command that tools/comment/comment.h allows is keyed by its source without these words.
 * After a run that printed nothing, inputs that are texts become INPUT_TEXT: these hold for other
 * words, too. After any other run the candidate holds the bytes of all texts. There is one
 * exception: if the command allows it (tools/comment/comment.h) and a source was read
 * once, the candidate holds that source without the comments at its end. THREAD. */

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

/* --- defines.c: definitions of macros that no text names (tools/asks/definitions.h).
 *
 * A command that judge/text/comment_free.c allows is keyed without its plain -D and -U options.
 * Each of its candidates then holds them as an INPUT_DEFINES. After a run that printed nothing,
 * this input also holds for other definitions: the texts are searched, and none can name a macro
 * that differs. THREAD. */

/* The definitions that a key leaves out, in the command's order. */
struct defined {
	struct define v[DEFINES_MAX];
	const char *text[DEFINES_MAX]; /* as candidates hold them: "FOO=1", or "FOO" for -UFOO */
	size_t count;
	struct digest digest;          /* of all texts */
};

/* After comment_free_command(): finds the definitions that the key leaves out. */
void defines_command(struct start *s);
/* 1: the key leaves argument i out. */
int defines_argument(const struct defined *defined, int i);
/* Starts with other definitions have another flight (judge/wait/flight.h). */
void defines_flight(struct start *s);
/* After a run: adds the input. */
enum reason defines_record(struct start *s, struct tree *t, struct candidate *c,
                           const struct result *r);

/* 1: the candidate was recorded with these definitions, or its key leaves none out. */
int defines_same(const struct defined *defined, const struct candidate *c);
/* REASON_NONE: the candidate, all other inputs of which hold, also holds under these
 * definitions. */
enum reason defines_hold(struct start *s, const struct candidate *c);

/* --- expanded.c: shows by preprocessed text that a unit does not ask for names --- */

/* Where the texts alone do not decide whether one asks for a name (docs/internals/names.md, "What a
 * text can ask"), the preprocessor can. A run in a new directory costs a fifth more with it, so
 * the recorded run does not ask: the first start with other names does. */

/* 1: the preprocessor may show that no text of the run asks for one of these names (bits). t: the
 * texts of the run; texts below these names are the unit's own. THREAD. */
int expanded_may_show(const struct start *s, struct texts *t, uint64_t names);
/* REASON_NONE: the names that the recorded run left open are the start's, or none of c's texts asks
 * for them. If they were asked, the names have the bindings that follow (proofs.learned). All
 * inputs of c hold. THREAD. */
enum reason open_lets(struct start *s, struct candidate *c);
/* REASON_NONE: these names are the start's, or the preprocessor shows for this start that no text
 * asks for them. If it was asked, they have the bindings that follow (proofs.learned). All inputs
 * of c hold. Calls preprocessor.expand, once a start. THREAD where that is NULL. */
enum reason expanded_lets(struct start *s, struct candidate *c);

/* --- source_names.c: names of sources in the only input of a command
 * (tools/cmdline/input_text.h). */

/* Takes the names in text[0..n), the command's only input, out of the key. NULL, or several inputs,
 * or an unknown text: the key holds the plain bytes. work: for what only the reading needs.
 * THREAD. */
void source_names_command(struct start *s, const char *text, size_t n, struct arena *work);
/* 1: the start accepts other line tables, and is keyed without its own from now on. To be called
 * after a look-up in vain. THREAD. */
int source_names_accept_sloppy(struct start *s);

#endif
