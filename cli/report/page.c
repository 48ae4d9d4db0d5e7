/* cli/report/page.c - the page of a job. */
#include "cli/report/report.h"

#include <stdlib.h>

#include "cli/doctor/doctor.h"
#include "cli/explain/explain.h"
#include "shim/settings/setting_value.h"

static const char style[] =
	":root{--ground:#fff;--ink:#1c2330;--soft:#5d6778;--line:#d9dee6;--panel:#f5f7fa;"
	"--hit:#2e8b57;--remote:#2f6fbf;--miss:#d98324;--unstored:#b5651d;--bypass:#8a8f98;"
	"--error:#c0392b;--stored:#7b5ea7;--transfer:#5aa3b8}\n"
	"@media(prefers-color-scheme:dark){:root{--ground:#14181f;--ink:#e3e8ef;--soft:#98a3b3;"
	"--line:#333b47;--panel:#1c222b;--hit:#4fbf85;--remote:#6ba4ea;--miss:#eba352;"
	"--unstored:#d08b4c;--bypass:#9aa0aa;--error:#e8705f;--stored:#a88cd6;"
	"--transfer:#7cc4d8}}\n"
	"*{box-sizing:border-box}body{margin:0 auto;max-width:72rem;padding:1.5rem 1rem;"
	"background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .6rem}"
	"p{margin:.3rem 0}small,.soft{color:var(--soft)}code{font:.87em ui-monospace,monospace;"
	"overflow-wrap:anywhere}\n"
	".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.7rem;"
	"margin:1rem 0}.figures div{background:var(--panel);border:1px solid var(--line);"
	"border-radius:6px;padding:.6rem .8rem}.figures b{display:block;font-size:1.45rem;"
	"line-height:1.25}\n"
	".lane{margin:0 0 .5rem}.lane svg{display:block;width:100%;background:var(--panel);"
	"border:1px solid var(--line)}.axis{display:flex;justify-content:space-between;"
	"color:var(--soft);font-size:.85rem}\n"
	".hit{fill:var(--hit)}.remote{fill:var(--remote)}.miss{fill:var(--miss)}"
	".unstored{fill:var(--unstored)}.bypass{fill:var(--bypass)}.error{fill:var(--error)}"
	".stored{fill:var(--stored)}.transfer{fill:var(--transfer)}\n"
	".key{display:flex;flex-wrap:wrap;gap:.3rem 1rem;font-size:.85rem}.key svg{width:.8em;"
	"height:.8em}\n"
	".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}"
	"th,td{text-align:right;padding:.25rem .5rem;border-bottom:1px solid var(--line);"
	"white-space:nowrap}th:first-child,td:first-child{text-align:left}"
	"th{color:var(--soft);font-weight:600}\n"
	".cause{border-left:3px solid var(--miss);padding:.1rem .8rem;margin:.7rem 0}\n"
	"@media print{body{max-width:none;padding:0}.figures div,.lane svg{break-inside:avoid}}\n";

/* Wheel and drag change the part of the time that the lanes show; a double click shows all. */
static const char script[] =
	"(function(){var s=[].slice.call(document.querySelectorAll('.lane svg')),W=1000,x=0,w=W;"
	"function show(){s.forEach(function(v){var b=v.viewBox.baseVal;b.x=x;b.width=w})}"
	"function keep(){w=Math.min(W,Math.max(W/1e4,w));x=Math.min(W-w,Math.max(0,x));show()}"
	"s.forEach(function(v){var d=null;"
	"v.addEventListener('wheel',function(e){if(!e.ctrlKey&&!e.shiftKey)return;"
	"e.preventDefault();var r=v.getBoundingClientRect(),at=x+w*(e.clientX-r.left)/r.width,"
	"f=e.deltaY<0?.8:1.25;x=at-(at-x)*f;w*=f;keep()},{passive:false});"
	"v.addEventListener('pointerdown',function(e){d=e.clientX;"
	"v.setPointerCapture(e.pointerId)});"
	"v.addEventListener('pointermove',function(e){if(d===null)return;"
	"x-=w*(e.clientX-d)/v.getBoundingClientRect().width;d=e.clientX;keep()});"
	"v.addEventListener('pointerup',function(){d=null});"
	"v.addEventListener('dblclick',function(){x=0;w=W;show()})});"
	"var h=document.getElementById('zoom');if(h)h.hidden=false})();";

static void print_seconds(FILE *to, int64_t ns)
{
	double s = (double)ns / 1e9;

	fprintf(to, s < 10 && s > -10 ? "%.2f s" : "%.0f s", s);
}

/* Adds a text to those that were shown, at most `most`. 0: it is among them, or there are too many:
 * then it counts in *more. */
static int is_first(const char **seen, size_t *n, size_t most, const char *text, size_t *more)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(seen[i], text) == 0)
			return 0;
	if (*n == most) {
		(*more)++;
		return 0;
	}
	seen[(*n)++] = text;
	return 1;
}

/* Seconds, in the cells of a row. */
static void print_times(FILE *to, const int64_t *ns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fputs("<td>", to);
		print_seconds(to, ns[i]);
		fputs("</td>", to);
	}
	fputs("</tr>\n", to);
}

static void print_figure(FILE *to, const char *what, uint64_t part, uint64_t all)
{
	if (all)
		fprintf(to, "<div><b>%llu of %llu</b>%s</div>\n", (unsigned long long)part,
		        (unsigned long long)all, what);
}

static void print_time(FILE *to, int64_t ns, const char *what)
{
	fputs("<div><b>", to);
	print_seconds(to, ns);
	fprintf(to, "</b>%s</div>\n", what);
}

/* What reprise-run started, each once. */
static void print_commands(FILE *to, const struct events *e)
{
	enum { MOST = 4 };
	const char *seen[MOST];
	size_t n = 0, more = 0;

	for (size_t i = 0; i < e->runs; i++) {
		if (!is_first(seen, &n, MOST, e->run[i].command, &more))
			continue;
		fputs("<p><code>", to);
		html_text(to, e->run[i].command);
		fputs("</code></p>\n", to);
	}
}

static void print_head(FILE *to, const struct report *r)
{
	char when[CLI_TIME_TEXT];

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	      "<title>", to);
	html_text(to, r->job);
	fprintf(to, " - Reprise</title>\n<style>%s</style></head><body>\n<h1>", style);
	html_text(to, r->job);
	fputs("</h1>\n", to);
	print_commands(to, r->e);
	if (!r->e->count)
		return;
	fprintf(to, "<p class=\"soft\">%s, %.1f s from the first start to the last end, %zu "
	        "events</p>\n", cli_time(when, r->lanes.begin / 1000000000),
	        (double)(r->lanes.end - r->lanes.begin) / 1e9, r->e->count);
}

static void print_figures(FILE *to, const struct report *r)
{
	const struct figures *f = r->all;
	char size[CLI_SIZE_TEXT];

	fputs("<div class=\"figures\">\n", to);
	print_figure(to, "compiles replayed", figures_hits(f), figures_compiles(f));
	print_figure(to, "units found", figures_units(f), figures_units_wanted(f));
	print_time(to, f->saved, "saved");
	print_time(to, f->worth, "of compile work not done");
	print_time(to, f->spent, "spent in Reprise");
	print_time(to, f->waited, "of these in waits");
	if (f->from[EVENT_REMOTE])
		fprintf(to, "<div><b>%s</b>from the remote store, %llu hits</div>\n",
		        cli_size(size, f->bytes_remote),
		        (unsigned long long)f->from[EVENT_REMOTE]);
	fputs("</div>\n<p class=\"soft\">Saved: wall time. Work that ran side by side when it was "
	      "recorded counts once, and so does the time that ranks and workers spent in Reprise "
	      "side by side (look-ups, waits, recording). All other times are sums over all "
	      "processes.</p>\n", to);
	if (r->e->sums.dropped > 0)
		fprintf(to, "<p>%lld events were counted above and not kept: what follows lacks "
		        "them.</p>\n", (long long)r->e->sums.dropped);
}

static void print_key(FILE *to)
{
	static const char rows[][2][40] = {
		{"hit", "replayed, local store"}, {"remote", "replayed, remote store"},
		{"miss", "run and recorded"}, {"unstored", "run, not stored"},
		{"bypass", "without Reprise"}, {"stored", "unit packed"}, {"error", "error"},
		{"transfer", "exchange with the remote store"}};

	fputs("<p class=\"key\">", to);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		fprintf(to, "<span><svg viewBox=\"0 0 1 1\"><rect class=\"%s\" width=\"1\" "
		        "height=\"1\"/></svg> %s</span>", rows[i][0], rows[i][1]);
	fputs("</p>\n<p class=\"soft\" id=\"zoom\" hidden>Ctrl and wheel zoom, drag moves, a "
	      "double click shows all.</p>\n", to);
}

static void print_groups(FILE *to, const struct report *r, enum group_by by, const char *title)
{
	struct figures *v;
	size_t n = figures_by(&v, r->e, by, r->a);

	if (!n)
		return;
	fprintf(to, "<h2>%s</h2>\n<div class=\"scroll\"><table><tr><th>%s</th><th>starts</th>"
	        "<th>replayed</th><th>saved</th><th>work not done</th><th>took</th>"
	        "<th>in Reprise</th><th>waited</th></tr>\n", title, group_by_name(by));
	for (size_t i = 0; i < n; i++) {
		uint64_t all = figures_compiles(&v[i]) + figures_units_wanted(&v[i]);

		/* Transfers alone, of the publisher. */
		if (!figures_events(&v[i]))
			continue;
		fputs("<tr><td>", to);
		html_text(to, v[i].name);
		fprintf(to, "</td><td>%llu</td><td>%llu</td>", (unsigned long long)all,
		        (unsigned long long)(figures_hits(&v[i]) + figures_units(&v[i])));
		print_times(to, (const int64_t[]){v[i].saved, v[i].worth, v[i].took, v[i].spent,
		                                  v[i].waited}, 5);
	}
	fputs("</table></div>\n", to);
}

/* Nodes whose lanes are missing. */
static void print_nodes(FILE *to, const struct report *r)
{
	size_t bare = 0;

	for (size_t i = 0; i < r->nodes.count; i++)
		bare += r->nodes.v[i].events == 0;
	if (!bare)
		return;
	fputs("<h2>Nodes that left figures alone</h2>\n<p class=\"soft\">They are counted above "
	      "and have no lane: <code>REPRISE_EVENTS=remote</code> leaves the events, too.</p>\n"
	      "<div class=\"scroll\"><table><tr><th>node</th><th>compiles</th><th>replayed</th>"
	      "<th>units</th><th>found</th><th>in Reprise</th><th>work not done</th></tr>\n", to);
	for (size_t i = 0; i < r->nodes.count; i++) {
		const struct figures *f = &r->nodes.v[i].f;

		if (r->nodes.v[i].events)
			continue;
		fputs("<tr><td>", to);
		html_text(to, r->nodes.v[i].host);
		fprintf(to, "</td><td>%llu</td><td>%llu</td><td>%llu</td><td>%llu</td>",
		        (unsigned long long)figures_compiles(f),
		        (unsigned long long)figures_hits(f),
		        (unsigned long long)figures_units_wanted(f),
		        (unsigned long long)figures_units(f));
		print_times(to, (const int64_t[]){f->spent, f->worth}, 2);
	}
	fputs("</table></div>\n", to);
}

static void print_exchanged(FILE *to, const char *what, const struct exchanged *x)
{
	char size[CLI_SIZE_TEXT];

	if (!x->count)
		return;
	fprintf(to, "<tr><td>%s</td><td>%llu</td><td>%s</td>", what,
	        (unsigned long long)x->count, cli_size(size, x->bytes));
	print_times(to, &x->took, 1);
}

/* The texts of failed exchanges, each once. */
static void print_failures(FILE *to, const struct report *r)
{
	enum { MOST = 5 };
	const char *seen[MOST];
	size_t n = 0, more = 0;

	for (size_t i = 0; i < r->e->count; i++) {
		const struct event *e = &r->e->v[i];

		if (e->kind != EVENT_TRANSFER || e->verdict != EVENT_ERROR ||
		    !is_first(seen, &n, MOST, e->detail, &more))
			continue;
		fputs("<p>Failed: ", to);
		html_text(to, e->detail);
		fputs(" <small>", to);
		html_text(to, e->command);
		fputs("</small></p>\n", to);
	}
}

static void print_transfers(FILE *to, const struct report *r)
{
	const struct figures *f = r->all;
	size_t waits = 0;

	for (size_t i = 0; i < r->e->count; i++)
		waits += r->e->v[i].waited > 0;
	if (!figures_transfers(f) && !waits)
		return;
	fputs("<h2>Remote store and waits</h2>\n", to);
	if (figures_transfers(f))
		fputs("<div class=\"scroll\"><table><tr><th>exchange</th><th>entries</th>"
		      "<th>bytes</th><th>took</th></tr>\n", to);
	print_exchanged(to, "received", &f->received);
	print_exchanged(to, "sent", &f->sent);
	print_exchanged(to, "asked for in vain", &f->absent);
	print_exchanged(to, "failed", &f->failed);
	if (figures_transfers(f))
		fputs("</table></div>\n", to);
	if (waits) {
		fprintf(to, "<p>%zu starts waited ", waits);
		print_seconds(to, f->waited);
		fputs(" for other processes and nodes.</p>\n", to);
	}
	print_failures(to, r);
}

/* The details of a cause, each once. */
static void print_details(FILE *to, const struct report *r, const char *reason)
{
	enum { MOST = 12 };
	const char *seen[MOST];
	size_t n = 0, more = 0;

	for (size_t i = 0; i < r->e->count; i++) {
		const struct event *e = &r->e->v[i];

		if (strcmp(e->reason, reason) != 0)
			continue;
		if (!is_first(seen, &n, MOST, e->detail, &more))
			continue;
		fputs("<p><code>", to);
		html_text(to, e->command);
		fputs("</code>", to);
		if (*e->detail) {
			fputs("<br>", to);
			html_text(to, e->detail);
		}
		fputs("</p>\n", to);
	}
	if (more)
		fprintf(to, "<p class=\"soft\">and %zu more: <code>reprise explain --job</code>"
		        "</p>\n", more);
}

static void print_causes(FILE *to, const struct report *r)
{
	struct figures *v;
	size_t n = figures_by(&v, r->e, BY_REASON, r->a);

	fputs("<h2>What was not replayed, and why</h2>\n", to);
	if (!n)
		fputs("<p>Everything was replayed.</p>\n", to);
	for (size_t i = 0; i < n; i++) {
		const char *text = reason_text(v[i].name), *remedy = reason_remedy(v[i].name);

		fprintf(to, "<div class=\"cause\"><p><b>%llu</b> ",
		        (unsigned long long)figures_events(&v[i]));
		html_text(to, text ? text : v[i].name);
		fputs(" <small>", to);
		html_text(to, v[i].name);
		fputs("</small></p>\n", to);
		print_details(to, r, v[i].name);
		if (remedy) {
			fputs("<p class=\"soft\">Remedy: ", to);
			html_text(to, remedy);
			fputs("</p>", to);
		}
		fputs("</div>\n", to);
	}
}

static void print_settings(FILE *to, const struct report *r)
{
	fputs("<h2>Settings</h2>\n<div class=\"scroll\"><table><tr><th>setting</th><th>value</th>"
	      "</tr>\n", to);
	fprintf(to, "<tr><td>version</td><td>%s</td></tr>\n", REPRISE_VERSION);
	for (int i = 0; i < SETTING_COUNT; i++) {
		if (r->c->settings.v[i].origin == ORIGIN_DEFAULT)
			continue;
		fprintf(to, "<tr><td>REPRISE_%s</td><td><code>", setting_rows[i].name);
		html_text(to, shown_setting(r->c, i));
		fputs("</code></td></tr>\n", to);
	}
	fputs("</table></div>\n", to);
}

void report_html(FILE *to, const struct report *r)
{
	print_head(to, r);
	print_figures(to, r);
	fputs("<h2>Over time</h2>\n", to);
	print_key(to);
	report_lanes(to, &r->lanes);
	print_groups(to, r, BY_TOOL, "By tool");
	print_groups(to, r, BY_CLASS, "By class of unit");
	print_groups(to, r, BY_RANK, "By rank");
	print_groups(to, r, BY_HOST, "By node");
	print_groups(to, r, BY_PROOF, "Replayed, by proof");
	print_nodes(to, r);
	print_transfers(to, r);
	print_causes(to, r);
	print_settings(to, r);
	fprintf(to, "<script>%s</script>\n</body></html>\n", script);
}
