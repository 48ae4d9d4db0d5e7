/* judge/text/text.h - what texts ask for, name or hide. Memory: the start's arena. THREAD. */
#pragma once

#include "judge/start.h"
#include "shim/index_table.h"
#include "tools/asks/asks.h"
#include "tools/asks/definitions.h"
#include "trace/tree.h"

struct texts;

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

/* 0: the preprocessor cannot show that no text of the run asks for one of these names (bits). 1: it
 * may, unless a text computes what it asks for; to see that takes all headers, so it is left to the
 * start that asks the preprocessor. t: the texts of the run; texts below these names are the unit's
 * own. THREAD. */
int expanded_may_show(const struct start *s, struct texts *t, uint64_t names);
/* REASON_NONE: the names that the recorded run left open are the start's, or none of c's texts asks
 * for them. If they were asked, the names have the bindings that follow (proofs.learned). All
 * inputs of c hold. THREAD. */
enum reason open_lets(struct start *s, struct candidate *c);
/* REASON_NONE: these names are the start's, or the preprocessor shows for this start that no text
 * asks for them. If it was asked, they have the bindings that follow (proofs.learned). All inputs
 * of c hold. Calls preprocessor.expand, once a start. THREAD where that is NULL. */
enum reason expanded_lets(struct start *s, struct candidate *c);

/* --- plain_names.c: names of sources in the only input of a command
 * (tools/cmdline/input_text.h). */

/* Takes the names in text[0..n), the command's only input, out of the key. NULL, or several inputs,
 * or an unknown text: the key holds the plain bytes. work: for what only the reading needs.
 * THREAD. */
void source_names_command(struct start *s, const char *text, size_t n, struct arena *work);
/* 1: the start accepts other line tables, and is keyed without its own from now on. To be called
 * after a look-up in vain. THREAD. */
int source_names_accept_sloppy(struct start *s);

/* --- plain_names.c ---
 *
 * Which files of generated directories and of bases have a plain name. A preprocessor finds a
 * header by a directory and by the name that a text spells, as in "x/y.h". A text may also put a
 * whole path together, by ## or by macros, and hide the question itself (`#define HAS(x)
 * __has_include(x)`). The path then has the name of one run. So a file that a preprocessor read
 * below such a name must end as some text spells: its last components stand between quotes, or
 * between "<" and ">", or an argument is these. */

struct plain_names {
	struct index_table table;
	struct buf ends; /* of the paths in verdict.generated: each ends at a component */
	int failed;
};

/* Finds the files in question, for plain_names_begin(): verdict.generated. */
void plain_names_files(struct start *s, const struct tree *t);
/* Adds the files and what the arguments spell. Memory: the arena's. */
void plain_names_begin(struct plain_names *p, const struct start *s, struct arena *a);
void plain_names_text(struct plain_names *p, const char *text, size_t n);
/* Bit i: name i leads to a file that no text names plainly. */
uint64_t plain_names_missing(const struct plain_names *p, const struct start *s);

/* --- precompiled.c ---
 *
 * The texts that made a precompiled header of gcc. The header hides its macros and their effects.
 * So the recording that makes the header stores the list of its texts in the local store (class
 * TEXTS), under the header's digest. On another node the first replay of the header stores the
 * list. A unit that uses the header is judged by these texts, as long as they are unchanged. */

struct precompiled_text {
	const char *path; /* absolute */
	struct digest content;
};
struct precompiled {
	const char *options; /* the lines that its -D options define */
	struct precompiled_text *v;
	size_t count;
};
/* Stores the list for the outputs of c's result that are precompiled headers. made: the digests of
 * their content. */
void precompiled_record(struct start *s, const struct candidate *c, const struct digest *made,
                        size_t made_count);
/* 1: it was stored before. */
int precompiled_recorded(struct start *s, const struct candidate *c);
/* 0, or -1: the texts of this header are not known. */
int precompiled_texts(struct precompiled *p, struct start *s, const struct digest *made,
                      struct arena *arena);

/* --- text_marks.c --- */

enum text_mark {
	TEXT_MARK_COMPUTES = 1 << 0,  /* computed_files() */
	TEXT_MARK_ASSEMBLES = 1 << 1, /* assembled_files() or asks_looks() */
	TEXT_MARK_DIRECTS = 1 << 2,   /* assembler_directs() */
	TEXT_MARK_SCRIPT = 1 << 3,    /* text_sees_names() */
	TEXT_MARK_RENAMES = 1 << 4    /* line_marks_rename() */
};
/* The marks of a text, of those that are wanted. content: the digest of the file that the text was
 * read from, under which the memo keeps them; NULL: they are not kept. THREAD. */
unsigned text_marks(struct memo *m, const struct digest *content, const char *text, size_t n,
                    unsigned wanted);

/* --- texts.c: the texts that a run read: whether one could ask for a name, or spells it --- */

/* A text that is not the unit's own. Most starts need no more of it than this. */
struct texts_header {
	const char *path;
	struct digest content;
	size_t size;
};
struct texts {
	struct arena arena;  /* holds the texts until texts_free() */
	struct asks asks;    /* the unit's own texts and the options; after texts_load() all */
	struct buf headers;  /* the headers in reading order */
	struct texts_header *header; /* each content once; empty after texts_load() */
	size_t header_count;
	char *room;          /* the file that is read */
	size_t room_size;
	uint64_t spelled;    /* bit i: some text spells name i of the action */
	uint64_t named;      /* bit i: the path of a text has name i */
	struct buf files;    /* base names of the unit's own texts, each with its NUL */
	size_t longest;      /* length of the longest path of a text of the unit's own */
	uint64_t above;      /* bit i: a directory above base i is known (judge/name/above.c) */
	uint64_t pieces;     /* bit i: a text or option has a piece of name i */
	int computes;        /* a text computes names of files */
	struct plain_names plain;
	int directs;         /* a text has an assembler's directive that reads a file */
	uint64_t parts;      /* bit i: a text may name a path below it by a part of its name */
	int renames;         /* a text may give a file an absolute name (tools/text/line_marks.h) */
	int precompiled;     /* a precompiled header was among them */
	int assembles;       /* with TEXTS_ALL: some may hold assembler text (line_marks.h) */
	int all;             /* read with TEXTS_ALL */
	int script;          /* a text is a linker script with patterns, or an archive of paths */
};
#define TEXTS_ALL (~0ull)
/* Reads the sources and every file among c's inputs. own, bit i: name i leads to texts of the
 * unit's own; TEXTS_ALL: all are the unit's own, and none may be precompiled. above: what
 * judge_above() says, or 0. 0, or -1: a text could not be read. */
int texts_read(struct texts *t, struct start *s, const struct candidate *c, uint64_t own,
               uint64_t above);
/* Fills in what an assembler read of the run's files: verdict.assembled. Call it before
 * texts_read(). */
void texts_assembled(struct start *s, const struct tree *t);
/* Adds the headers to t->asks. -1: one is not as it was read before. */
int texts_load(struct texts *t);
/* Frees the texts. */
void texts_free(struct texts *t);

/* The facts that all headers of a unit give together. The local store keeps them, so the next unit
 * with the same headers need not search the headers. */

/* As asks_answer() of x, which is t's. t is NULL if x holds all texts. If the headers are many, it
 * first looks for their facts (class TEXTS). If there are none and the store is writable, it stores
 * them. THREAD. */
enum asks_answer facts_answer(struct start *s, struct asks *x, struct texts *t);
/* The same for all texts of t, but -1 where facts would have to be made. */
int facts_ready(struct start *s, struct texts *t);
