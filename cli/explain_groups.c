/* cli/explain_groups.c - records of one cause together. */
#include "cli/explain_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "cli/reasons.h"

/* Commands of a group that are printed without --full. */
#define SHOWN 3
#define WORDS_MAX 512

struct group {
	const struct journal_record *first;
	int count, order;
};

static int is_one_cause(const struct journal_record *a, const struct journal_record *b)
{
	return strcmp(a->verdict, b->verdict) == 0 && strcmp(a->reason, b->reason) == 0 &&
	       strcmp(a->detail, b->detail) == 0;
}

static int more_frequent(const void *x, const void *y)
{
	const struct group *a = x, *b = y;

	return a->count != b->count ? b->count - a->count : a->order - b->order;
}

/* A command as words. */
struct words {
	const char *at[WORDS_MAX];
	size_t len[WORDS_MAX];
	int count;
};

static void split(struct words *w, const char *text)
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

static int same_word(const struct words *a, int i, const struct words *b, int k)
{
	return a->len[i] == b->len[k] && memcmp(a->at[i], b->at[k], a->len[i]) == 0;
}

/* Of all commands of a group: words that all begin with, and that all end with. */
static void shared(const struct group *g, const struct journal_record *v, int n, int *head,
                   int *tail, struct words *first, struct words *other)
{
	split(first, g->first->argv);
	*head = *tail = first->count;
	for (int i = 0; i < n; i++) {
		int h = 0, t = 0;

		if (!is_one_cause(&v[i], g->first))
			continue;
		split(other, v[i].argv);
		while (h < *head && h < other->count && same_word(first, h, other, h))
			h++;
		while (t < *tail && t < other->count - h &&
		       same_word(first, first->count - 1 - t, other, other->count - 1 - t))
			t++;
		*head = h;
		*tail = t;
	}
}

/* The tool's name stays. */
static void print_command(const struct words *w, int head, int tail)
{
	int last = w->count - tail;

	fputs("   ", stdout);
	for (int i = 0; i < w->count; i++) {
		if ((i > 0 && i < head) || i >= last) {
			if (i == 1 || i == last)
				fputs(" ...", stdout);
			continue;
		}
		putchar(' ');
		cli_print_safe(stdout, w->at[i], w->len[i], 1024);
	}
	putchar('\n');
}

static void print_commands(const struct group *g, const struct journal_record *v, int n, int full,
                           struct arena *a)
{
	struct words *first = arena_alloc(a, sizeof *first), *w = arena_alloc(a, sizeof *w);
	int head = 0, tail = 0, printed = 0;

	if (!first || !w)
		return;
	if (!full && g->count > 1)
		shared(g, v, n, &head, &tail, first, w);
	for (int i = 0; i < n && (full || printed < SHOWN); i++) {
		if (!is_one_cause(&v[i], g->first))
			continue;
		split(w, v[i].argv);
		print_command(w, head, tail);
		printed++;
	}
	if (g->count > printed)
		printf("    and %d more (--full)\n", g->count - printed);
}

static void print_group(const struct group *g, const struct journal_record *v, int n, int full,
                        struct arena *a)
{
	const char *text = reason_text(g->first->reason);
	const char *remedy = reason_remedy(g->first->reason);

	printf("%d %s: ", g->count, g->first->verdict);
	cli_print_safe(stdout, g->first->reason, strlen(g->first->reason), 64);
	if (text)
		printf(" (%s)", text);
	putchar('\n');
	if (*g->first->detail) {
		fputs("    ", stdout);
		cli_print_safe(stdout, g->first->detail, strlen(g->first->detail), 4096);
		putchar('\n');
	}
	print_commands(g, v, n, full, a);
	if (remedy)
		printf("    -> %s\n", remedy);
}

void explain_groups(const struct journal_record *v, int n, int full, struct arena *a)
{
	struct group *g = arena_alloc(a, (size_t)(n ? n : 1) * sizeof *g);
	int count = 0;

	if (!g)
		return;
	for (int i = 0; i < n; i++) {
		int at = 0;

		while (at < count && !is_one_cause(g[at].first, &v[i]))
			at++;
		if (at == count) {
			g[at] = (struct group){&v[i], 0, at};
			count++;
		}
		g[at].count++;
	}
	qsort(g, (size_t)count, sizeof *g, more_frequent);
	for (int i = 0; i < count; i++) {
		if (i)
			putchar('\n');
		print_group(&g[i], v, n, full, a);
	}
}

int explain_names(const char *command, const char *file)
{
	size_t n = strlen(file);

	for (const char *p = command; (p = strstr(p, file)); p += n ? n : 1)
		if ((p == command || p[-1] == ' ' || p[-1] == '/') && (p[n] == ' ' || !p[n]))
			return 1;
	return 0;
}
