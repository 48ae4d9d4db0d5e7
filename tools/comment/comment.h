/* tools/comment/comment.h - C and C++ texts without the words of their comments. Pure code.
 * THREAD. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tools/cmdline/cmdline.h"
#include "tools/tool.h"

/* --- comment_form.c ---
 *
 * The comment-free form of a text: the text without the words of its comments. A compiler cannot
 * distinguish two texts of one form.
 *
 * Each comment stays where it is, and so do all tokens, the lines, the blanks at both ends of a
 * line, and the tabs before a token. A comment's words become dots before a token, to keep its
 * column. At the end of a line they vanish. One or two dots stand for the words of a line inside a
 * comment: gcc warns by its indentation (-Wmisleading-indentation).
 *
 * A comment keeps its words where a compiler may look at them:
 *   - "/" before "*" (-Wcomment), "fall" (-Wimplicit-fallthrough), bytes outside ASCII
 *     (-Wbidi-chars, -Winvalid-utf8);
 *   - a line that begins with "#" (gcc's search for an #if);
 *   - a line of COMMENT_LONG bytes or more (gcc's columns);
 *   - on the line of an #error, #warning, #pragma or #ident (clang takes such a line as it is), and
 *     of an #if, #elif or #include (it may hold the name of a header);
 *   - if `documented` is set: a comment of Doxygen (clang's -Wdocumentation, also by a pragma).
 *
 * A text has no form unless this lexer understands it: see tools/comment/comment_form.c. */

/* The number of these rules in the memo and in digests; raise it by 2 when a form changes. The next
 * number is that of documented forms. No text that has a form holds such a byte. */
#define COMMENT_FREE_RULES 16
/* Up to 127 columns gcc places tokens in the same way, whatever follows on their line. */
#define COMMENT_LONG 120
/* gcc stops counting columns after so many numbers of places, in units of 32. The lengths of
 * comments decide at which place. */
#define COMMENT_PLACES_MAX (0x50000000u / 32)

/* Writes the form to out, which has room for n bytes, and its length to *len. 0: it has none. */
int comment_free_form(const char *text, size_t n, int documented, char *out, size_t *len);
/* An upper bound of the numbers that gcc gives to places in this text, when it reads the text once,
 * in units of 32. */
uint64_t comment_free_places(const char *text, size_t n);

/* Commands whose result does not depend on the words of comments. */

/* 1: such a command, if the run prints nothing (judge/text/comment_free.c). */
int comment_options_allow(const struct tool_row *row, const struct cmdline *c);
/* 1: a compiler that opens a file of this name reads it as a C or C++ text. Examples of others:
 * lists for sanitizers, module maps, locales. */
int comment_options_text(const char *path);
/* 1: the compiler may read comments of Doxygen. */
int comment_options_doxygen(const struct tool_row *row);
/* 1: it may give up columns in a unit with many lines (COMMENT_PLACES_MAX). */
int comment_options_places(const struct tool_row *row);
/* 1: a program that takes part in such a command. Any other may do anything with a text. */
int comment_options_program(const struct tool_row *row, const char *base);

/* --- comments.c ---
 *
 * Line comments at the end of a C++ source, which leave nothing in an object file.
 *
 * Inductor appends its command lines as comments to a source after compiling it (AOTInductor,
 * CUTLASS). So the same compile in the same directory meets a different file each time. Such
 * comments leave the key where they cannot affect the result. They are complete lines of printable
 * ASCII that begin with two slashes, and empty lines. They hold no backslash, and no end of a block
 * comment or raw string. They reach to the end of the file, and the line before them does not end
 * in a backslash. The bytes are still compared before and after the run. */

/* Length of the text without its trailing comment lines; n where there are none. */
size_t comments_strip(const char *text, size_t n);
/* 1: such comments of this source leave no trace in the result. Its name says C++ (in C90 two
 * slashes begin no comment). Not with -finput-charset, by which its bytes may stand for other
 * characters. */
int comments_drop(const struct tool_row *row, const struct cmdline *c, const char *path);
