/* cli/explain/record_groups.c - records of one cause together. */
#include "cli/explain/explain.h"

#include <stdlib.h>

#include "cli/cli.h"

/* --- reasons --- */

static int find_reason(const char *name)
{
	for (int i = 1; i < REASON_COUNT; i++)
		if (strcmp(reason_rows[i].name, name) == 0)
			return i;
	return 0;
}

const char *reason_text(const char *reason)
{
	int i = find_reason(reason);

	return i ? reason_rows[i].text : NULL;
}

const char *reason_remedy(const char *reason)
{
	static const char *const remedies[] = {
		NULL,
#define REASON(id, group, name, text, remedy) remedy,
#include "shim/reason.def"
#undef REASON
	};

	return remedies[find_reason(reason)];
}

/* Commands of a group that are printed without --full. */
#define SHOWN 3
/* Sources of a difference, and differences, that are named without --full. */
#define SOURCES_SHOWN 4
#define DIFFERENCES_SHOWN 8

/* Records of one cause, or commands that differ in the same from those that were known. */
struct group {
	const struct journal_record *first; /* or */
	const char *text;
	int count, order;
};

static int more_frequent(const void *x, const void *y)
{
	const struct group *a = x, *b = y;

	return a->count != b->count ? b->count - a->count : a->order - b->order;
}

static int is_one_cause(const struct journal_record *a, const struct journal_record *b)
{
	return strcmp(a->verdict, b->verdict) == 0 && strcmp(a->reason, b->reason) == 0 &&
	       strcmp(a->detail, b->detail) == 0;
}

/* Of all commands of a group: words that all begin with, and that all end with. */
static void shared(const struct group *g, const struct journal_record *v, int n, int *head,
                   int *tail, struct words *first, struct words *other)
{
	words_split(first, g->first->argv);
	*head = *tail = first->count;
	for (int i = 0; i < n; i++) {
		int h = 0, t = 0;

		if (!is_one_cause(&v[i], g->first))
			continue;
		words_split(other, v[i].argv);
		while (h < *head && h < other->count && words_same(first, h, other, h))
			h++;
		while (t < *tail && t < other->count - h &&
		       words_same(first, first->count - 1 - t, other, other->count - 1 - t))
			t++;
		*head = h;
		*tail = t;
	}
}

/* The names of the tool and of the source stay. */
static void print_command(const struct words *w, int head, int tail)
{
	int last = w->count - tail, subject = words_subject(w), gap = 0;

	fputs("   ", stdout);
	for (int i = 0; i < w->count; i++) {
		if (i > 0 && (i < head || i >= last) && i != subject) {
			if (!gap)
				fputs(" ...", stdout);
			gap = 1;
			continue;
		}
		gap = 0;
		putchar(' ');
		cli_print_safe(stdout, w->at[i], w->len[i], 1024);
	}
	putchar('\n');
}

static int is_any(const char *const *v, int count, const char *text)
{
	for (int i = 0; i < count; i++)
		if (strcmp(v[i], text) == 0)
			return 1;
	return 0;
}

static void print_commands(const struct group *g, const struct journal_record *v, int n, int full,
                           struct arena *a)
{
	struct words *first = arena_alloc(a, sizeof *first), *w = arena_alloc(a, sizeof *w);
	const char *before[SHOWN + 1] = {""};
	int head = 0, tail = 0, printed = 0, alike = 0;

	if (!first || !w)
		return;
	if (!full && g->count > 1)
		shared(g, v, n, &head, &tail, first, w);
	for (int i = 0; i < n && (full || printed < SHOWN); i++) {
		if (!is_one_cause(&v[i], g->first))
			continue;
		if (!full && is_any(before, printed, v[i].argv)) {
			alike++;
			continue;
		}
		words_split(w, v[i].argv);
		print_command(w, head, tail);
		if (printed < SHOWN)
			before[printed] = v[i].argv;
		printed++;
	}
	if (g->count > printed + alike)
		printf("    and %d more (--full)\n", g->count - printed - alike);
}

/* The names of sources, each once, in the order of the records. */
static void print_sources(const struct nearest *all, int n, const char *text, int full,
                          struct arena *a)
{
	const char **seen = arena_alloc(a, (size_t)n * sizeof *seen);
	int names = 0;

	fputs("    ", stdout);
	for (int i = 0; seen && i < n; i++) {
		int known = 0;

		if (!all[i].text || strcmp(all[i].text, text) != 0)
			continue;
		for (int k = 0; k < names && !known; k++)
			known = strcmp(seen[k], all[i].subject) == 0;
		if (known)
			continue;
		seen[names++] = all[i].subject;
		if (!full && names > SOURCES_SHOWN)
			continue;
		fputs(names > 1 ? ", " : "", stdout);
		cli_print_safe(stdout, all[i].subject, strlen(all[i].subject), 256);
	}
	if (!full && names > SOURCES_SHOWN)
		printf(" and %d more (--full)", names - SOURCES_SHOWN);
	fputs(": ", stdout);
	cli_print_safe(stdout, text, strlen(text), 1024);
	putchar('\n');
}

/* Of commands whose key is new: the sources, and what differs from the nearest known command. */
static void print_new(const struct group *g, const struct explained *e, int full, struct arena *a)
{
	struct nearest *all = arena_alloc(a, (size_t)e->n * sizeof *all);
	struct group *d = arena_alloc(a, (size_t)e->n * sizeof *d);
	int count = 0;

	if (!all || !d)
		return;
	for (int i = 0; i < e->n; i++) {
		int at = 0;

		all[i] = (struct nearest){.text = NULL};
		if (!is_one_cause(&e->v[i], g->first))
			continue;
		e->nearest(e->ctx, &e->v[i], &all[i]);
		while (at < count && strcmp(d[at].text, all[i].text) != 0)
			at++;
		if (at == count) {
			d[at] = (struct group){.text = all[i].text, .order = at};
			count++;
		}
		d[at].count++;
	}
	qsort(d, (size_t)count, sizeof *d, more_frequent);
	for (int i = 0; i < count && (full || i < DIFFERENCES_SHOWN); i++)
		print_sources(all, e->n, d[i].text, full, a);
	if (!full && count > DIFFERENCES_SHOWN)
		printf("    and %d more differences (--full)\n", count - DIFFERENCES_SHOWN);
}

static void print_group(const struct group *g, const struct explained *e, int full, struct arena *a)
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
	if (explain_is_new(g->first))
		print_new(g, e, full, a);
	if (!explain_is_new(g->first) || full)
		print_commands(g, e->v, e->n, full, a);
	if (remedy)
		printf("    -> %s\n", remedy);
}

void explain_groups(const struct explained *e, int full, struct arena *a)
{
	const struct journal_record *v = e->v;
	int n = e->n;
	struct group *g = arena_alloc(a, (size_t)(n ? n : 1) * sizeof *g);
	int count = 0;

	if (!g)
		return;
	for (int i = 0; i < n; i++) {
		int at = 0;

		while (at < count && !is_one_cause(g[at].first, &v[i]))
			at++;
		if (at == count) {
			g[at] = (struct group){.first = &v[i], .order = at};
			count++;
		}
		g[at].count++;
	}
	qsort(g, (size_t)count, sizeof *g, more_frequent);
	for (int i = 0; i < count; i++) {
		if (i)
			putchar('\n');
		print_group(&g[i], e, full, a);
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
