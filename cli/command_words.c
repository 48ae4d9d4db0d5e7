/* cli/command_words.c - splits commands, and finds their sources. */
#include "cli/command_words.h"

#include <string.h>

void words_split(struct words *w, const char *text)
{
	w->count = 0;
	while (*text && w->count < WORDS_MAX) {
		size_t n = strcspn(text, " ");

		if (n) {
			w->at[w->count] = text;
			w->len[w->count++] = n;
		}
		text += n + (text[n] == ' ');
	}
}

int words_same(const struct words *a, int i, const struct words *b, int k)
{
	return a->len[i] == b->len[k] && memcmp(a->at[i], b->at[k], a->len[i]) == 0;
}

/* Sources of all tools; or other inputs: objects, libraries, headers that are precompiled. */
static int is_source(const struct words *w, int i, int linked)
{
	static const char sources[][8] = {"c",   "cc",  "cpp", "cxx", "c++", "C",    "cp",  "i",
	                                  "ii",  "s",   "S",   "sx",  "m",   "mm",   "cu",  "ptx",
	                                  "gpu", "rs",  "f",   "F",   "for", "f90",  "F90", "f95",
	                                  "f03", "f08", "d",   "ll",  "bc",  "cppm", "ixx", "hip"};
	static const char inputs[][8] = {"o", "a", "so", "cubin", "fatbin", "lo", "h", "hpp"};
	const char (*v)[8] = linked ? inputs : sources;
	size_t count = linked ? sizeof inputs / 8 : sizeof sources / 8, n = w->len[i], end = n;

	/* A value of an option: -include h.h, -MF d.d, -o x.s */
	if (w->at[i][0] == '-' || (i > 0 && w->at[i - 1][0] == '-' && w->len[i - 1] > 1 &&
	                           !(w->len[i - 1] == 2 && strchr("cSE", w->at[i - 1][1]))))
		return 0;
	while (end > 0 && w->at[i][end - 1] != '.' && w->at[i][end - 1] != '/')
		end--;
	if (!end || w->at[i][end - 1] != '.')
		return 0;
	for (size_t k = 0; k < count; k++)
		if (strlen(v[k]) == n - end && memcmp(w->at[i] + end, v[k], n - end) == 0)
			return 1;
	return 0;
}

int words_is_output(const struct words *w, int i)
{
	return i > 0 && w->len[i - 1] == 2 && memcmp(w->at[i - 1], "-o", 2) == 0;
}

int words_subject(const struct words *w)
{
	for (int i = 1; i < w->count; i++)
		if (is_source(w, i, 0))
			return i;
	/* Behind another option, as in `-O2 a.c`: the option may take a value, or not. */
	for (int i = w->count - 1; i > 0; i--) {
		struct words one = {.at = {w->at[i]}, .len = {w->len[i]}, .count = 1};

		if (!words_is_output(w, i) && !(w->len[i - 1] == 3 && w->at[i - 1][1] == 'M') &&
		    is_source(&one, 0, 0))
			return i;
	}
	for (int i = 1; i < w->count; i++)
		if (words_is_output(w, i))
			return i;
	for (int i = 1; i < w->count; i++)
		if (is_source(w, i, 1))
			return i;
	return 0;
}
