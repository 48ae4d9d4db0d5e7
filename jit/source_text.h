/* jit/source_text.h - what a source's text says that no file call shows.
 *
 * NVRTC asks for the time of day in every compile, whether the source uses it or not. So the text
 * itself is searched for a date: __TIME__, __DATE__, __TIMESTAMP__, or pieces that the
 * preprocessor could paste to one of these names. The pieces may stand in different texts, so
 * flags of all texts are joined before source_text_dates() answers. Words of comments are no
 * pieces. A text with a path of its own may reach files below the working directory without a
 * search that begins there. So may a directory above the working one.
 * Pure but for source_text_read and source_text_flags_kept. THREAD. */
#pragma once

#include <stddef.h>

struct arena;
struct memo;
enum {
	SOURCE_TIME = 1,      /* uses the date or the time */
	SOURCE_DIRECTORY = 2, /* contains a path that may lie in the working directory */
	/* may use the program's name (tools/asks/asks.h), or contains a generated
	 * part of it */
	SOURCE_ITSELF = 4,
	/* pieces of the three names: "_" or "__" as a word; two letters or more; single letters */
	SOURCE_SCORE = 8,
	SOURCE_LETTERS = 16,
	SOURCE_LETTER = 32,   /* one bit for each of SOURCE_NAMED_LETTERS */
};
#define SOURCE_NAMED_LETTERS "TIMEDASP"
#define SOURCE_ALL (SOURCE_TIME | SOURCE_DIRECTORY | SOURCE_ITSELF)
/* Flags of a text. cwd: absolute; "" where the directory of the compile is not known: every
 * absolute path then counts as one into it. */
int source_text_flags(const char *text, size_t n, const char *cwd, size_t cwd_len);
/* The same for a header, whose flags the memo keeps under its content and cwd. */
int source_text_flags_kept(struct memo *m, const char *text, size_t n, const char *cwd,
                           size_t cwd_len);
/* 1: texts with these flags may use the date or the time. Without SOURCE_TIME only pieces say so,
 * which may stand where nothing pastes. */
int source_text_dates(int flags);
/* 1: the path in an option, or in the directory of a program's name, is cwd, or lies above or below
 * it, or contains "..". */
int source_text_reaches(const char *text, const char *cwd);
/* The definition that an option may hold (-DX=y, or X=y behind -D) as a line of a text. "": none.
 * NULL: no memory. */
const char *source_text_definition(const char *option, struct arena *arena);
/* Room for the text of one file after the other. Reading the next one overwrites a text, unless
 * `data` is cleared before. */
struct source_text_room {
	struct arena *arena;
	char *data;
	size_t size;
};
/* The text of a regular file. NULL: it cannot be read whole, or there is no memory. It counts as
 * SOURCE_ALL then. */
const char *source_text_read(struct source_text_room *room, const char *path, size_t *n);
