/* tools/assembly_words.c - looks for words. */
#include "tools/assembly_words.h"

#include <string.h>

#include "tools/asks_words.h"
#include "tools/list.h"

#include "shim/banned.h"

static const char words[] =
	"__asm\0" "__asm__\0" "__section__\0" "asm\0";
/* The last piece of a pasted asm, __asm or __asm__. */
static const char ends[] =
	"_\0" "__\0" "_asm\0" "_asm__\0" "asm_\0" "asm__\0" "m\0" "m_\0" "m__\0" "sm\0" "sm_\0"
	"sm__\0";
/* "#" twice, its other spellings, and the beginning of macros that paste (__CONCAT). */
static const char pastes[] =
	"##\0" "%:\0" "?\?=\0" "CAT\0" "PASTE\0";

static int may_paste(const char *text, size_t n)
{
	for (const char *p = pastes; *p; p = LIST_NEXT(p))
		if (memmem(text, n, p, strlen(p)))
			return 1;
	return 0;
}

/* 1: the word is `section` as an attribute, or stands in a directive, whose macro may be one. As
 * the name of a type or variable it is harmless. */
static int is_attribute(const char *text, const char *word, size_t len, const char *end)
{
	const char *line = word;

	if (len != strlen("section") || memcmp(word, "section", len) != 0 ||
	    (word > text && word[-1] == '.')) /* a member, or a text of assembler */
		return 0;
	for (word += len; word < end && (asks_is_blank(*word) || *word == '\n'); word++)
		;
	if (word < end && (*word == '(' || *word == '/')) /* perhaps a comment in between */
		return 1;
	while (line > text && line[-1] != '\n')
		line--;
	while (line < end && asks_is_blank(*line))
		line++;
	return line < end && strchr("#%?", *line) != NULL;
}

int assembly_words(const char *text, size_t n)
{
	const char *p = text, *end = text + n;
	int pasting = may_paste(text, n);

	for (size_t len; (len = asks_next_word(&p, end)) != 0; p += len)
		if (list_has_n(words, p, len) || is_attribute(text, p, len, end) ||
		    (pasting && list_has_n(ends, p, len)))
			return 1;
	return 0;
}

int assembly_of_system(const char *path)
{
	static const char folders[] = "/usr/include/\0" "/usr/lib/gcc/\0";

	for (const char *p = folders; *p; p = LIST_NEXT(p))
		if (strncmp(path, p, strlen(p)) == 0 && !strstr(path, "/../"))
			return 1;
	return 0;
}
