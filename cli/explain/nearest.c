/* cli/explain/nearest.c - compares commands, word by word. */
#include "cli/explain/explain.h"

#include <stdlib.h>

/* --- command words --- */

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

/* 1: the word is the value of -o. */
static int is_output(const struct words *w, int i)
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

		if (!is_output(w, i) && !(w->len[i - 1] == 3 && w->at[i - 1][1] == 'M') &&
		    is_source(&one, 0, 0))
			return i;
	}
	for (int i = 1; i < w->count; i++)
		if (is_output(w, i))
			return i;
	for (int i = 1; i < w->count; i++)
		if (is_source(w, i, 1))
			return i;
	return 0;
}

/* Earlier records that are compared: of the same subject, of the same tool. */
#define COMPARED_MAX 8
/* Words that are named. */
#define NAMED_MAX 5
#define SAME "the words that the journal holds are equal: a file, a variable or the tool changed"

/* The words of one command that the other one lacks. */
struct rest {
	const char *at[WORDS_MAX];
	size_t len[WORDS_MAX];
	int count;
};

static int is_gap(const struct words *w, int i)
{
	return w->len[i] >= 3 && memcmp(w->at[i], "...", 3) == 0;
}

/* 1: the journal holds a part of the command. */
static int is_cut(const struct words *w)
{
	for (int i = 1; i < w->count; i++)
		if (is_gap(w, i))
			return 1;
	return 0;
}

/* own: the index of the subject's word, which is not compared. Of a command that was cut, options
 * are not compared either. */
static void rest_of(struct rest *out, const struct words *x, int own, const struct words *y,
                    int other)
{
	static unsigned char used[WORDS_MAX];

	int cut = is_cut(x) || is_cut(y);

	memset(used, 0, sizeof used);
	out->count = 0;
	/* Not the tool: it may be spelled with its directory. */
	for (int i = 1; i < x->count; i++) {
		int k = 1;

		if (i == own || (cut && (x->at[i][0] == '-' || is_gap(x, i))))
			continue;
		while (k < y->count && (used[k] || k == other || !words_same(x, i, y, k)))
			k++;
		if (k < y->count) {
			used[k] = 1;
		} else {
			out->at[out->count] = x->at[i];
			out->len[out->count++] = x->len[i];
		}
	}
}

/* Outputs that belong to another subject differ with it. */
static void drop_outputs(struct rest *r, const struct words *w)
{
	int kept = 0;

	for (int i = 0; i < r->count; i++) {
		int output = 0;

		for (int k = 1; k < w->count; k++)
			output |= w->at[k] == r->at[i] && w->at[k - 1][0] == '-' &&
			          (w->at[k - 1][1] == 'o' || w->at[k - 1][1] == 'M');
		if (output)
			continue;
		r->at[kept] = r->at[i];
		r->len[kept++] = r->len[i];
	}
	r->count = kept;
}

/* 1: one word may stand for the other: options of one letter, or no options. */
static int may_replace(const struct rest *x, int i, const struct rest *y, int k)
{
	int option = x->at[i][0] == '-';

	if (option != (y->at[k][0] == '-'))
		return 0;
	return !option || (x->len[i] > 1 && y->len[k] > 1 && x->at[i][1] == y->at[k][1]);
}

static void print_rest(FILE *to, const struct rest *was, const struct rest *is)
{
	static unsigned char paired[WORDS_MAX];
	int items = 0;

	memset(paired, 0, sizeof paired);
	for (int i = 0; i < was->count; i++) {
		int k = 0;

		while (k < is->count && (paired[k] || !may_replace(was, i, is, k)))
			k++;
		if (k < is->count)
			paired[k] = 1;
		if (items++ >= NAMED_MAX)
			continue;
		fprintf(to, "%s%.*s", items > 1 ? ", " : "", (int)was->len[i], was->at[i]);
		if (k < is->count)
			fprintf(to, " -> %.*s", (int)is->len[k], is->at[k]);
		else
			fputs(" is gone", to);
	}
	for (int k = 0; k < is->count; k++)
		if (!paired[k] && items++ < NAMED_MAX)
			fprintf(to, "%s%.*s is new", items > 1 ? ", " : "", (int)is->len[k],
			        is->at[k]);
	if (items > NAMED_MAX)
		fprintf(to, " and %d more", items - NAMED_MAX);
}

struct comparison {
	const struct journal_record *from;
	struct rest was, is;
	int cost;
};

static void compare(struct comparison *best, const struct journal_record *q,
                    const struct journal_record *r, const struct words *mine, int subject,
                    int same)
{
	static struct words other;
	static struct rest was, is;
	int its, cost;

	words_split(&other, q->argv);
	its = words_subject(&other);
	rest_of(&was, &other, its, mine, subject);
	rest_of(&is, mine, subject, &other, its);
	if (!same) {
		drop_outputs(&was, &other);
		drop_outputs(&is, mine);
	}
	cost = 2 * (was.count + is.count) + (strcmp(q->cwd, r->cwd) != 0);
	if (best->from && cost > best->cost)
		return;
	*best = (struct comparison){.from = q, .was = was, .is = is, .cost = cost};
}

/* One line: the directory and the words; "" if both are equal. */
static char *difference(const struct comparison *c, const struct journal_record *r)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	int moved = strcmp(c->from->cwd, r->cwd) != 0;

	if (!to)
		return NULL;
	if (moved)
		fprintf(to, "directory %s -> %s", c->from->cwd, r->cwd);
	if (moved && c->was.count + c->is.count)
		fputs(", ", to);
	print_rest(to, &c->was, &c->is);
	if (fclose(to) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

const char *nearest_subject(const struct journal_record *r, struct arena *a)
{
	struct words *w = arena_alloc(a, sizeof *w);
	const char *word = NULL;
	int i = 0;

	if (w) {
		words_split(w, r->argv);
		i = words_subject(w);
		/* The record of a unit has its path alone. */
		if (i || (w->count == 1 && memchr(w->at[0], '/', w->len[0])))
			word = arena_memdup(a, w->at[i], w->len[i]);
	}
	return word ? word : r->tool;
}

void nearest_find(struct nearest *out, const struct journal_record *v,
                  const struct journal_record *r, struct arena *a)
{
	struct comparison *same = arena_alloc(a, sizeof *same),
	                  *other = arena_alloc(a, sizeof *other);
	struct words *w = arena_alloc(a, sizeof *w);
	const struct journal_record *at;
	int subject, near = 0, far = 0;
	char *text = NULL;

	*out = (struct nearest){.subject = nearest_subject(r, a), .text = "was not seen before"};
	if (!same || !other || !w)
		return;
	same->from = other->from = NULL;
	words_split(w, r->argv);
	subject = words_subject(w);
	at = v;
	while (at->argv != r->argv)
		at++;
	for (const struct journal_record *q = at; q-- > v && near < COMPARED_MAX;) {
		int is_same;

		if (strcmp(q->tool, r->tool) != 0 || !*q->argv)
			continue;
		is_same = strcmp(path_base(nearest_subject(q, a)), path_base(out->subject)) == 0;
		if (is_same ? near++ < COMPARED_MAX : far++ < COMPARED_MAX)
			compare(is_same ? same : other, q, r, w, subject, is_same);
	}
	if (same->from) {
		out->from = same->from;
		text = difference(same, r);
		out->text = arena_strdup(a, text && *text ? text
		                            : SAME);
	} else if (other->from && other->was.count + other->is.count > 0 &&
	           other->was.count + other->is.count <= NAMED_MAX) {
		text = difference(other, r);
		if (text)
			out->text = arena_cat(a, "was not seen before; beside ",
			                      nearest_subject(other->from, a), ": ", text, NULL);
	}
	free(text);
	if (!out->text)
		out->text = "was not seen before";
}
