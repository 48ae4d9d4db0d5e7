/* tools/cmdline/language.h - the language of a source, as gcc and clang choose it. Pure code.
 * THREAD. */
#pragma once

#include <stddef.h>

/* C includes C++ and Objective-C. Any language except C and C++ binds a result to the working
 * directory (assembler, whose .loc may take it; CUDA; modules). LANGUAGE_COMPILED: a file of
 * clang's that holds and checks the times of the texts it was made of. */
enum language {
	LANGUAGE_BY_NAME,
	LANGUAGE_C,
	LANGUAGE_HEADER,
	LANGUAGE_CUDA,
	LANGUAGE_COMPILED,
	LANGUAGE_OTHER
};

/* By a value of -x. */
enum language language_named(const char *name);
/* By the ending of a file's name. */
enum language language_of_file(const char *path);

/* The kind of a file that a compiler reads: text, an object, or a compiled form of texts. Pure
 * code. THREAD. */

enum text_kind {
	TEXT_PLAIN,
	TEXT_OBJECT,     /* an object, archive or program: loaded or linked, not read as text */
	TEXT_COMPILED,   /* clang's header or module: nobody can see what its texts ask for */
	TEXT_PRECOMPILED /* gcc's precompiled header (judge/text/precompiled.c) */
};
#define TEXT_KIND_HEAD 8 /* the kind is known from so many bytes */

/* The kind, by the first n bytes of the file. */
enum text_kind text_kind(const char *head, size_t n);
/* True for a thin archive, and for a linker script that may name sections by patterns, which see
 * the names of files. */
int text_sees_names(const char *text, size_t n);
/* The file with this name holds, in a compiled form, the times of its source texts. */
int text_kind_holds_times(const char *path);

/* Texts that put the name of a file together.
 *
 * An #include, #import, #embed or __has_include in C, C++ and CUDA may name its file by a macro.
 * .include and .incbin in an assembler's macro may name it by an argument. */

/* 1: the assembler may read a file whose name the text does not hold as one word: it comes from
 * arguments of a macro, from escapes, or from several strings of C. */
int assembled_files(const char *text, size_t n);
/* 1: the text has the whole word of such a directive. */
int assembler_directs(const char *text, size_t n);
/* 1: the text may do so. Comments and strings count as text, and "#" may be "%:" or "?\?=". */
int computed_files(const char *text, size_t n);
