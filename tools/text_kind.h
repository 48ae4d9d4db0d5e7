/* tools/text_kind.h - what a file that a compiler reads is: text, an object, a compiled form of
 * texts. Pure code. THREAD. */
#ifndef TOOLS_TEXT_KIND_H
#define TOOLS_TEXT_KIND_H

#include <stddef.h>

enum text_kind {
	TEXT_PLAIN,
	TEXT_OBJECT,     /* an object, archive or program: loaded or linked, not read as text */
	TEXT_COMPILED,   /* of clang, a header or module: nobody can see what its texts ask for */
	TEXT_PRECOMPILED /* of gcc, a header (judge/precompiled.h) */
};
#define TEXT_KIND_HEAD 8 /* bytes that tell it */

/* By its first n bytes. */
enum text_kind text_kind(const char *head, size_t n);
/* A script for a linker that may name sections by patterns, which see the names of files, or a
 * thin archive. */
int text_sees_names(const char *text, size_t n);
/* The file of this name holds, in a compiled form, the times of the texts that it was made of. */
int text_kind_holds_times(const char *path);

#endif
