/* tools/text_kind.c - magic numbers, and words of linker scripts. */
#include "tools/text_kind.h"

#include <string.h>

#include "shim/path.h"

#include "shim/banned.h"

enum text_kind text_kind(const char *head, size_t n)
{
	static const struct {
		char magic[TEXT_KIND_HEAD + 1];
		unsigned char len, kind;
	} rows[] = {
		{"CPCH", 4, TEXT_COMPILED},
		{"DXSB", 4, TEXT_COMPILED},
		{"gpch", 4, TEXT_PRECOMPILED},
		{"\177ELF", 4, TEXT_OBJECT},
		{"!<arch>\n", 8, TEXT_OBJECT},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		/* A file of at most seven bytes is no object. */
		size_t least = rows[i].kind == TEXT_OBJECT ? TEXT_KIND_HEAD : rows[i].len;

		if (n >= least && memcmp(head, rows[i].magic, rows[i].len) == 0)
			return (enum text_kind)rows[i].kind;
	}
	return TEXT_PLAIN;
}

static int is_script(const char *s, size_t n)
{
	for (const char *p = s, *end = s + n;
	     (p = memmem(p, (size_t)(end - p), "SECTIONS", 8)) != NULL;) {
		for (p += 8; p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'); p++)
			;
		if (p < end && *p == '{')
			return 1;
	}
	return memmem(s, n, "EXCLUDE_FILE", 12) != NULL;
}

int text_sees_names(const char *text, size_t n)
{
	return (n >= 8 && memcmp(text, "!<thin>\n", 8) == 0) || is_script(text, n);
}

int text_kind_holds_times(const char *path)
{
	return path_ends(path, ".pch") || path_ends(path, ".gch") || path_ends(path, ".pcm") ||
	       strstr(path, ".gch/");
}
