/* cli/report/lanes.c - puts events into lanes and rows. */
#include "cli/report/report.h"

#include <stdlib.h>

/* --- report lanes --- */

/* Units of the picture, which is scaled to the page. */
#define WIDTH 1000
#define ROW 9
#define HEAD 14
/* Of a larger job these lanes are drawn, and so many events one by one in all: a page of tens of
 * megabytes is slow to open. */
#define LANES_MAX 256
#define EACH_MAX 20000
/* A lane of more events shows the number and the most frequent verdict of stretches of time. */
#define EVENTS_MAX 1500
#define STRETCHES 500

/* What an event is drawn as: its verdict, or a transfer. */
enum { TRANSFER = EVENT_VERDICTS, SHOWN };
static const char classes[SHOWN][12] = {"hit", "miss", "bypass", "unstored", "error", "stored",
                                        "transfer"};

static double x_of(const struct lanes *l, int64_t t)
{
	int64_t all = l->end - l->begin;

	return all > 0 ? (double)(t - l->begin) * WIDTH / (double)all : 0;
}

static int shown_as(const struct event *e)
{
	return e->kind == EVENT_TRANSFER && e->verdict != EVENT_ERROR ? TRANSFER : (int)e->verdict;
}

/* A hit from a remote store has a colour of its own. */
static const char *class_of(const struct event *e)
{
	return e->verdict == EVENT_HIT && e->source == EVENT_REMOTE ? "remote"
	                                                            : classes[shown_as(e)];
}

static const char *verdict_of(const struct event *e)
{
	static const char transfer[EVENT_VERDICTS][12] = {[EVENT_HIT] = "received",
	                                                  [EVENT_MISS] = "absent",
	                                                  [EVENT_STORED] = "sent",
	                                                  [EVENT_ERROR] = "failed"};

	return e->kind == EVENT_TRANSFER ? transfer[e->verdict] : event_verdict_name(e->verdict);
}

static void print_one(FILE *to, const struct lanes *l, const struct laned *x, double y)
{
	const struct event *e = x->e;
	double left = x_of(l, e->start), width = x_of(l, e->start + e->duration) - left;

	fprintf(to, "<rect class=\"%s\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"><title>",
	        class_of(e), left, y + x->row * ROW, width < 0.5 ? 0.5 : width, ROW - 1);
	html_text(to, e->command);
	fprintf(to, "\n%s%s%s, %.3f s, pid %d", verdict_of(e),
	        *e->reason ? ": " : "", e->reason, (double)e->duration / 1e9, e->pid);
	if (*e->detail) {
		fputc('\n', to);
		html_text(to, e->detail);
	}
	fputs("</title></rect>\n", to);
}

static void print_each(FILE *to, const struct lanes *l, const struct lane *lane, double y)
{
	for (size_t i = 0; i < lane->count; i++)
		print_one(to, l, &l->event[lane->first + i], y);
}

struct stretch {
	unsigned count[SHOWN];
};

/* An event counts where it began. */
static void print_stretches(FILE *to, const struct lanes *l, const struct lane *lane, double y)
{
	static struct stretch s[STRETCHES];
	unsigned most = 1;

	memset(s, 0, sizeof s);
	for (size_t i = 0; i < lane->count; i++) {
		const struct event *e = l->event[lane->first + i].e;
		int at = (int)(x_of(l, e->start) * STRETCHES / WIDTH);

		s[at < STRETCHES ? at : STRETCHES - 1].count[shown_as(e)]++;
	}
	for (int i = 0; i < STRETCHES; i++) {
		unsigned sum = 0;

		for (int v = 0; v < SHOWN; v++)
			sum += s[i].count[v];
		most = sum > most ? sum : most;
	}
	for (int i = 0; i < STRETCHES; i++) {
		double at = y + 4 * ROW;

		for (int v = 0; v < SHOWN; v++) {
			double height = s[i].count[v] * 4.0 * ROW / most;

			if (!s[i].count[v])
				continue;
			at -= height;
			fprintf(to, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
			        "height=\"%.2f\"><title>%u %s</title></rect>\n", classes[v],
			        (double)i * WIDTH / STRETCHES, at, (double)WIDTH / STRETCHES,
			        height, s[i].count[v], classes[v]);
		}
	}
}

static size_t drawn(const struct lanes *l)
{
	return l->count < LANES_MAX ? l->count : LANES_MAX;
}

/* 1: the lane's events are not drawn one by one. */
static int is_grouped(const struct lanes *l, const struct lane *lane)
{
	size_t most = EACH_MAX / drawn(l);

	return lane->count > (most < EVENTS_MAX ? most : EVENTS_MAX);
}

static int height_of(const struct lanes *l, const struct lane *lane)
{
	return HEAD + (is_grouped(l, lane) ? 4 : lane->rows) * ROW + 4;
}

static void print_lane(FILE *to, const struct lanes *l, const struct lane *lane)
{
	int grouped = is_grouped(l, lane), height = height_of(l, lane);

	fputs("<figure class=\"lane\"><figcaption>", to);
	html_text(to, *lane->host ? lane->host : "this node");
	if (lane->rank != EVENT_NO_RANK)
		fprintf(to, " rank %d", lane->rank);
	fprintf(to, " <small>%zu events%s</small></figcaption>\n", lane->count,
	        grouped ? ", counted by stretches of time" : "");
	fprintf(to, "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" "
	        "style=\"height:%dpx\">\n", WIDTH, height - HEAD, height - HEAD);
	if (grouped)
		print_stretches(to, l, lane, 0);
	else
		print_each(to, l, lane, 0);
	fputs("</svg></figure>\n", to);
}

void report_lanes(FILE *to, const struct lanes *l)
{
	double seconds = (double)(l->end - l->begin) / 1e9;

	fprintf(to, "<div class=\"lanes\">\n");
	for (size_t i = 0; i < drawn(l); i++)
		print_lane(to, l, &l->v[i]);
	if (l->count > drawn(l))
		fprintf(to,
		        "<p class=\"soft\">and %zu more lanes: <code>reprise report --trace</code> "
		        "has them all.</p>\n",
		        l->count - drawn(l));
	fprintf(to, "<p class=\"axis\"><span>0 s</span><span>%.1f s</span><span>%.1f s</span></p>"
	        "</div>\n", seconds / 2, seconds);
}

static int same_lane(const struct event *a, const struct event *b)
{
	return a->rank == b->rank && strcmp(a->host, b->host) == 0;
}

static int by_lane(const void *x, const void *y)
{
	const struct event *a = ((const struct laned *)x)->e, *b = ((const struct laned *)y)->e;
	/* n2 before n10 */
	int order = strverscmp(a->host, b->host);

	if (order == 0)
		order = strcmp(a->host, b->host);

	if (order == 0)
		order = (a->rank > b->rank) - (a->rank < b->rank);
	return order ? order : (a->start > b->start) - (a->start < b->start);
}

static void set_rows(struct lanes *out, struct lane *lane)
{
	int64_t free_at[LANE_ROWS_MAX];

	for (size_t i = 0; i < lane->count; i++) {
		struct laned *l = &out->event[lane->first + i];
		int row = 0;

		while (row < lane->rows && free_at[row] > l->e->start)
			row++;
		if (row == LANE_ROWS_MAX)
			row--;
		else if (row == lane->rows)
			lane->rows++;
		free_at[row] = l->e->start + l->e->duration;
		l->row = row;
	}
}

int lanes_make(struct lanes *out, const struct events *e, struct arena *a)
{
	size_t cap = 0;

	memset(out, 0, sizeof *out);
	out->event = e->count ? arena_alloc(a, e->count * sizeof *out->event) : NULL;
	if (!out->event)
		return -1;
	out->begin = e->v[0].start;
	for (size_t i = 0; i < e->count; i++) {
		int64_t end = e->v[i].start + e->v[i].duration;

		out->event[i] = (struct laned){&e->v[i], 0};
		if (end > out->end)
			out->end = end;
	}
	qsort(out->event, e->count, sizeof *out->event, by_lane);
	for (size_t i = 0; i < e->count; i++) {
		const struct event *x = out->event[i].e;

		if (i == 0 || !same_lane(x, out->event[i - 1].e)) {
			if (!arena_room(a, out->v, out->count, &cap, 16))
				return -1;
			out->v[out->count++] = (struct lane){x->host, x->rank, i, 0, 0};
		}
		out->v[out->count - 1].count++;
	}
	for (size_t i = 0; i < out->count; i++)
		set_rows(out, &out->v[i]);
	return 0;
}
