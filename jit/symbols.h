/* jit/symbols.h - which served function a symbol's name means. Pure. THREAD. */
#pragma once

#define JIT_VERSION 8 /* "_13_0" */

/* The entry of jit/libraries.def, -1 for none. version: "_13_0" of "__nvJitLinkCreate_13_0", else
 * "". */
int names_find(const char *name, char version[JIT_VERSION]);
/* The symbol of an entry. to holds NAMES_SYMBOL bytes. */
#define NAMES_SYMBOL 64
void names_symbol(char *to, int entry, const char *version);
/* 0 for nearly every name that is no function of a library. Inline, since every dlsym asks. */
static inline int names_may_find(const char *name)
{
	return (name[0] == 'n' && name[1] == 'v') ||
	       (name[0] == '_' && name[1] == '_' && name[2] == 'n' && name[3] == 'v');
}
/* 1: the text contains one of the words. "word\0word\0": pointers to them would be relocated in
 * every process. */
int names_mention(const char *text, const char *words);
