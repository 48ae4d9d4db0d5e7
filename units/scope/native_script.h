/* units/scope/native_script.h - a compiler that is a script and starts another program. Pure.
 * THREAD. */
#ifndef UNITS_SCOPE_NATIVE_SCRIPT_H
#define UNITS_SCOPE_NATIVE_SCRIPT_H

#include <stddef.h>

#define NATIVE_WORDS_MAX 16
/* The script's text, which ends in NUL and is cut into words. It has one command,
 *
 *     exec PROGRAM [OPTION...] "$@"
 *
 * beside lines of comment. PROGRAM and options are plain words, in quotes or not. An option is one
 * of -B/DIRECTORY, -I/DIRECTORY, -isystem /DIRECTORY, -idirafter /DIRECTORY, -D, -O, -m. The
 * directories belong to the compiler, as those do that it has built in. Returns the number of words
 * without exec and "$@", or 0: the script does, or may do, something else. */
size_t native_script(char *text, size_t n, char *word[NATIVE_WORDS_MAX]);

#endif
