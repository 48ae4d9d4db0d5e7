/* tests/long/comment_form.c - prints the comment-free form of each file that standard input names:
 * the digest, or "bytes" or "void". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/comment_free.h"

static void print_form(const char *path)
{
	static char text[1 << 22], out[1 << 22];
	static const char *const kinds[] = {"", "bytes", "void"};
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(text, 1, sizeof text, f) : 0;
	char hex[DIGEST_HEX + 1];
	struct digest d;
	uint64_t places;
	enum comment_kind kind = comment_free_digest(text, n, out, &d, &places);

	if (f)
		fclose(f);
	if (kind == COMMENT_FREE)
		digest_hex(&d, hex);
	puts(kind == COMMENT_FREE ? hex : kinds[kind]);
	fflush(stdout);
}

int main(void)
{
	char path[4096];

	while (fgets(path, sizeof path, stdin)) {
		path[strcspn(path, "\n")] = '\0';
		print_form(path);
	}
	return 0;
}
