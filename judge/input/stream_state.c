/* judge/input/stream_state.c - what standard output and error are, as an input of a result. */
#include "judge/input/input.h"

#include <sys/resource.h>

#include "shim/format.h"
#include "tools/driver.h"

#include "shim/banned.h"

/* --- stream files --- */

int stream_files_include(struct start *s, const struct statx *st, const char *path)
{
	int fd = streams_of_file(&s->streams, st);

	if (fd)
		start_detail(s, "standard %s is the file %s", streams_name(fd), path);
	return fd != 0;
}

int stream_files_at(struct start *s, const char *path)
{
	struct statx st;

	return streams_any_file(&s->streams) &&
	       sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) == 0 &&
	       stream_files_include(s, &st, path);
}

int stream_files_read(struct start *s, const struct candidate *c)
{
	for (size_t i = 0; i < c->count && streams_any_file(&s->streams); i++) {
		const struct input *in = &c->v[i];
		const char *path;
		struct statx st;

		if (!input_is_content(in->kind) && in->kind != INPUT_PROGRAM)
			continue;
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		if (path && probe_stat(&s->prober, path, &st) == 0 &&
		    stream_files_include(s, &st, path))
			return 1;
	}
	return 0;
}

/* The spec of the input: the numbers of the streams that it describes. */
#define BOTH "12"
/* gcc cuts a source line so that 10 columns stay behind the caret. So a text that any line reaches
 * to within this distance of the width may have been cut. */
#define WIDTH_MARGIN 32

static const char *or_none(const char *value)
{
	return value ? value : "";
}

/* wide: the text did not reach the width, so the width is left out. */
static const char *text_of(struct start *s, int fd, int wide)
{
	const char *name = fd == 1 ? "output is " : "error is ";
	int terminal = s->streams.kind[fd] == STREAM_TERMINAL;
	char width[96] = "";

	if (s->streams.kind[fd] == STREAM_CLOSED)
		return arena_cat(&s->arena, name, "closed", NULL);
	if (terminal && !wide && driver_of(s->row)->stdin_width != 2)
		format_text(width, sizeof width, " of %u columns", s->streams.columns[fd]);
	if (!wide && (terminal || s->streams.asks_width) && s->streams.stdin_columns)
		format_text(width + strlen(width), sizeof width - strlen(width),
		            ", standard input has %u columns", s->streams.stdin_columns);
	if (!terminal)
		return arena_cat(&s->arena, name, "no terminal", width, NULL);
	return arena_cat(&s->arena, name, "a terminal", width, ", COLUMNS=",
	                 or_none(invocation_env(&s->call, "COLUMNS")), ", TERM=",
	                 or_none(invocation_env(&s->call, "TERM")), NULL);
}

/* Below a limit a tool may do without what it cannot load, say so, and end with success: ar and a
 * plugin. Hosts differ in their usual numbers of descriptors; none is as low as this. */
#define FILES_LOW 64

const char *stream_limits(struct start *s)
{
	char text[128] = "";
	struct rlimit space = {RLIM_INFINITY, 0}, data = space, files = space;

	SYS4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &space);
	SYS4(SYS_prlimit64, 0, RLIMIT_DATA, NULL, &data);
	SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &files);
	if (space.rlim_cur != RLIM_INFINITY || data.rlim_cur != RLIM_INFINITY ||
	    files.rlim_cur < FILES_LOW)
		format_text(text, sizeof text, ", with limits %llx (-v), %llx (-d), %llx (-n)",
		            (unsigned long long)space.rlim_cur, (unsigned long long)data.rlim_cur,
		            (unsigned long long)(files.rlim_cur < FILES_LOW ? files.rlim_cur : 0));
	return arena_strdup(&s->arena, text);
}

/* The state of the streams that `which` names. NULL: memory is refused. */
static const char *state_text(struct start *s, const char *which, int wide)
{
	const char *limits = stream_limits(s);
	const char *out = strchr(which, '1') ? text_of(s, 1, wide) : "";
	const char *err = strchr(which, '2') ? text_of(s, 2, wide) : "";
	const char *one = strcmp(which, BOTH) != 0 ? ""
	                  : s->streams.one_stream  ? ", which is one with "
	                                           : ", and ";

	return out && err && limits ? arena_cat(&s->arena, "standard ", out, one,
	                                        *one ? "standard " : "", err, limits, NULL)
	                            : NULL;
}

/* The longest of the lines that gcc may cut: those of a source, which begin with a blank or a
 * number. A line may be spread over chunks. Its escape sequences count, as a source may hold such
 * bytes. */
static size_t longest_line(const struct result *r)
{
	size_t longest = 0, now = 0;
	int cut = 0;

	for (size_t i = 0; i < r->chunk_count; i++)
		for (size_t k = 0; k < r->chunk[i].len; k++) {
			unsigned char c = r->chunk[i].data[k];

			if (now == 0)
				cut = c == ' ' || (c >= '0' && c <= '9');
			now = c == '\n' ? 0 : now + 1;
			longest = cut && now > longest ? now : longest;
		}
	return longest;
}

/* 1: no line of `reach` columns would be cut. */
static int is_wide(const struct start *s, size_t reach)
{
	const char *columns = invocation_env(&s->call, "COLUMNS");

	return driver_of(s->row)->stdin_width == 2 && !s->streams.asks_width &&
	       (!columns || !*columns) &&
	       (!s->streams.stdin_columns || reach < s->streams.stdin_columns);
}

enum reason judge_stream_state(struct start *s, struct candidate *c, const struct result *r)
{
	struct collect k = {.start = s, .c = c, .cap = c->count};
	size_t reach = longest_line(r) + WIDTH_MARGIN;
	int wrote[3] = {0, 0, 0}, exact = !proof_on(&s->set, PROOF_STREAMS);
	const char *which, *text;
	struct input *in;

	if (s->row->flags & TOOL_UNKNOWN)
		return REASON_NONE;
	if (exact || driver_outputs_show_streams(s->row, &s->cmd))
		wrote[1] = wrote[2] = 1;
	for (size_t i = 0; i < r->chunk_count; i++)
		wrote[r->chunk[i].stream] |= r->chunk[i].len > 0;
	if (!wrote[1] && !wrote[2])
		return REASON_NONE;
	/* One pipe recorded both. A tool that is not known may ask one stream for the width of the
	 * other, as rustc does. */
	which = s->streams.one_stream || (wrote[1] && wrote[2]) ||
	                        !driver_messages_flow(s->row, &s->cmd)
	                ? BOTH : wrote[1] ? "1" : "2";
	exact |= !is_wide(s, reach);
	text = state_text(s, which, !exact);
	in = text ? collect_input(&k, INPUT_STREAM) : NULL;
	if (!in)
		return REASON_UNSTORED_MEMORY;
	in->type = exact ? 0 : (unsigned)reach;
	in->spec = which;
	in->spec_len = strlen(which);
	collect_text(&k, in, text);
	return k.reason;
}

int stream_state_now(struct start *s, struct digest *out)
{
	const char *text = s->row->flags & TOOL_UNKNOWN || s->call.inside
	                           ? NULL : state_text(s, BOTH, 0);

	if (text)
		digest_of(out, text, strlen(text));
	return text ? 0 : -1;
}

int stream_state_holds(struct start *s, const struct input *in)
{
	int wide = in->type && is_wide(s, in->type);
	const char *now = state_text(s, in->spec, wide);
	struct digest d;

	if (now && (wide || !in->type)) {
		digest_of(&d, now, strlen(now));
		if (digest_equal(&d, &in->value))
			return 1;
	}
	return start_detail(s, "it wrote messages, and their form may differ: recorded where %s; "
	                    "now %s", in->text, now ? now : "");
}
