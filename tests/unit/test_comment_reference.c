/* All short texts of a few bytes: two of one form have the same tokens in the same places, by a
 * second, slower reader. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tools/comment_free.h"

#define LENGTH 6
#define KINDS 7
#define TEXTS 137256 /* 7 + 7^2 + ... + 7^6 */

struct logical {
	char c;
	int line, column;
};
/* A text without its joined lines. */
struct reader {
	struct logical v[LENGTH + 2];
	int count;
};
struct pair {
	struct digest form, tokens;
	int text;
};

static void read_logical(struct reader *r, const char *text, int n)
{
	int line = 0, column = 0;

	memset(r, 0, sizeof *r);
	for (int i = 0; i < n; i++) {
		int j = i + 1;

		while (text[i] == '\\' && j < n && (text[j] == ' ' || text[j] == '\t'))
			j++;
		if (text[i] == '\\' && j < n && text[j] == '\n') {
			i = j;
			line++;
			column = 0;
			continue;
		}
		r->v[r->count++] = (struct logical){text[i], line, column++};
		if (text[i] == '\n') {
			line++;
			column = 0;
		}
	}
}

static int is_word(char c)
{
	return c && strchr("ab1", c);
}

/* The place behind the comment at i; -1: it does not end. */
static int comment_end(const struct reader *r, int i)
{
	if (r->v[i + 1].c == '/') {
		while (i < r->count && r->v[i].c != '\n')
			i++;
		return i;
	}
	for (i += 2; i < r->count; i++)
		if (r->v[i].c == '*' && r->v[i + 1].c == '/')
			return i + 2;
	return -1;
}

static int token_end(const struct reader *r, int i)
{
	char c = r->v[i].c;

	if (is_word(c)) {
		while (is_word(r->v[i].c))
			i++;
		return i;
	}
	if (c != '"' && c != '\'')
		return i + 1;
	for (i++; i < r->count && r->v[i].c != '\n'; i++) {
		if (r->v[i].c == c)
			return i + 1;
		i += r->v[i].c == '\\' && i + 1 < r->count && r->v[i + 1].c != '\n';
	}
	return i;
}

static void tokens_of(const char *text, int n, struct digest *out)
{
	struct digest_state state;
	struct reader r;
	int blank = 0, first = 1, last = n && text[n - 1] == '\n';

	read_logical(&r, text, n);
	digest_init(&state);
	for (int i = 0, end; i < r.count; i = end) {
		char c = r.v[i].c;
		int comment = c == '/' && (r.v[i + 1].c == '/' || r.v[i + 1].c == '*');

		end = comment ? comment_end(&r, i) : i + 1;
		if (end < 0) {
			digest_add(&state, "unended", 7);
			break;
		}
		if (c == '\n') {
			first = 1;
			blank = 0;
		} else if (comment || c == ' ' || c == '\t') {
			blank = 1;
		} else {
			int place[4] = {r.v[i].line, r.v[i].column, blank, first};

			end = token_end(&r, i);
			digest_add(&state, place, sizeof place);
			for (int k = i; k < end; k++)
				digest_add(&state, &r.v[k].c, 1);
			first = blank = 0;
		}
	}
	digest_add(&state, &last, sizeof last);
	digest_final(&state, out);
}

static int spell(const char *bytes, int number, char *text)
{
	int n = 0;

	for (; number; number = (number - 1) / KINDS)
		text[n++] = bytes[(number - 1) % KINDS];
	return n;
}

static int by_form(const void *x, const void *y)
{
	return memcmp(x, y, sizeof(struct digest));
}

static void compare_all(const char *bytes)
{
	struct pair *v = malloc(TEXTS * sizeof *v);
	char text[LENGTH], other[LENGTH], out[LENGTH];
	size_t count = 0;
	uint64_t places;
	int n;

	cr_assert(v);
	for (int i = 1; i <= TEXTS; i++) {
		n = spell(bytes, i, text);
		v[count].text = i;
		if (comment_free_digest(text, (size_t)n, out, &v[count].form,
		                        &places) == COMMENT_FREE)
			tokens_of(text, n, &v[count++].tokens);
	}
	cr_expect_gt(count, TEXTS / 3);
	qsort(v, count, sizeof *v, by_form);
	for (size_t i = 1; i < count; i++)
		if (by_form(&v[i - 1], &v[i]) == 0 &&
		    !digest_equal(&v[i - 1].tokens, &v[i].tokens)) {
			n = spell(bytes, v[i].text, text);
			cr_expect_fail("one form: \"%.*s\" and \"%.*s\"", n, text,
			               spell(bytes, v[i - 1].text, other), other);
			break;
		}
	free(v);
}

Test(comment_reference, strings) { compare_all("/*\"\n\\a "); }
Test(comment_reference, constants) { compare_all("/*'\n\\1 "); }
Test(comment_reference, directives) { compare_all("/*#\n\ta "); }
