/* shim/list.h - lists of words in one string, each with its NUL, then an empty word. A table of
 * pointers would be relocated in every process of a job. Pure code. THREAD. */
#pragma once

#include <string.h>

/* for (const char *word = list; *word; word = LIST_NEXT(word)) */
#define LIST_NEXT(word) ((word) + strlen(word) + 1)

/* Whether the n bytes of `word` are a word of the list. */
static inline int list_has_n(const char *list, const char *word, size_t n)
{
	for (; *list; list = LIST_NEXT(list))
		if (strlen(list) == n && memcmp(list, word, n) == 0)
			return 1;
	return 0;
}

/* The word of the list that `text` begins with, or NULL. */
static inline const char *list_begins(const char *list, const char *text)
{
	for (; *list; list = LIST_NEXT(list))
		if (strncmp(text, list, strlen(list)) == 0)
			return list;
	return NULL;
}

static inline int list_has(const char *list, const char *word)
{
	return list_has_n(list, word, strlen(word));
}
