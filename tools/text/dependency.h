/* tools/text/dependency.h - whether a C or C++ text may hold `#pragma GCC dependency "file"`.
 *
 * The pragma compares times: the compiler warns where that file is newer than the text, and fails
 * under -Werror. clang accepts the pragma under its own name too. _Pragma may hold it, and macros
 * may lead to it. A comment and a string do not hold it, unless _Pragma may take the string. A part
 * that an #if leaves out may hold it, and so may a raw string. Where the text is not understood,
 * the pragma may stand anywhere.
 *
 * Macros of several files may bring its owner, "GCC" or "clang", and its word together. So flags of
 * all texts of a unit are joined before dependency_asks() answers. A word may stand in pieces that
 * follow one another. Pieces in other order, behind an owner that a macro passes on, are not seen.
 * Pure code. THREAD. */
#pragma once

#include <stddef.h>

#include "shim/arena.h"

/* The word fits into so many bytes, unless lines with many blanks are joined within it. */
#define DEPENDENCY_MOST 64

enum {
	DEPENDENCY_ASKS = 1, /* some pragma may compare times */
	DEPENDENCY_OPEN = 2, /* a macro may bring the word behind the text's owner */
	DEPENDENCY_WORD = 4, /* the text has the word, without an owner in front of it */
};
/* 1: texts with these flags may hold the pragma. */
int dependency_asks(int flags);
/* 1: dependency_in() may find flags in this part of a text. */
int dependency_near(const char *text, size_t n);
/* Flags of a text. */
int dependency_in(const char *text, size_t n, struct arena *arena);
