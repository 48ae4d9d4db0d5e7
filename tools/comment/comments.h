/* tools/comment/comments.h - line comments at the end of a C++ source, which leave nothing in an
 * object file.
 *
 * Inductor appends its command lines as comments to a source after compiling it (AOTInductor,
 * CUTLASS). So the same compile in the same directory meets a different file each time. Such
 * comments leave the key where they cannot affect the result. They are complete lines of printable
 * ASCII that begin with two slashes, and empty lines. They hold no backslash, and no end of a block
 * comment or raw string. They reach to the end of the file, and the line before them does not end
 * in a backslash. The bytes are still compared before and after the run. Pure code. THREAD. */
#ifndef TOOLS_COMMENT_COMMENTS_H
#define TOOLS_COMMENT_COMMENTS_H

#include <stddef.h>

#include "tools/cmdline/cmdline.h"

/* Length of the text without its trailing comment lines; n where there are none. */
size_t comments_strip(const char *text, size_t n);
/* 1: such comments of this source leave no trace in the result. Its name says C++ (in C90 two
 * slashes begin no comment). Not with -finput-charset, by which its bytes may stand for other
 * characters. */
int comments_drop(const struct tool_row *row, const struct cmdline *c, const char *path);

#endif
