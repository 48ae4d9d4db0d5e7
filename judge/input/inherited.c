/* judge/input/inherited.c - looks at descriptors and signals that this process has inherited. */
#include "judge/input/input.h"

#include <sys/resource.h>

#include "shim/format.h"
#include "shim/kernel/signals.h"
#include "shim/trace.h"
#include "tools/driver.h"

#include "shim/banned.h"

/* With more descriptors nothing is stored where a script took part. */
#define DESCRIPTORS_MOST 64
#define DENTS_SIZE 2048
/* libc's own signals, which glibc's posix_spawn leaves ignored (2.36). No program can use them. */
enum { LIBC_CANCEL = 32, LIBC_SETXID = 33 };
/* Offset of the name in the kernel's directory entry, and of the entry's length. */
enum { DENT_LENGTH = 16, DENT_NAME = 19 };

struct inherited {
	int known; /* 0: there is no /proc, or there are too many descriptors */
	int reads; /* one is a file that may be read, and its content is no input */
	size_t count;
	unsigned identity[DESCRIPTORS_MOST];
	struct buf text;
};

static int is_number(const char *name, int *fd)
{
	*fd = 0;
	for (; *name >= '0' && *name <= '9' && *fd < 100000000; name++)
		*fd = *fd * 10 + (*name - '0');
	return !*name;
}

/* A close-on-exec descriptor is one of Reprise: none survives the exec of a tool. */
static void add_descriptor(struct inherited *in, int fd)
{
	char text[64];
	struct statx st;
	int flags = sys_fcntl(fd, F_GETFD, 0);
	long how = sys_fcntl(fd, F_GETFL, 0);

	if (fd <= 2 || flags < 0 || flags & FD_CLOEXEC)
		return;
	if (in->count == DESCRIPTORS_MOST ||
	    sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0) {
		in->known = 0;
		return;
	}
	in->reads |= (st.stx_mode & S_IFMT) == S_IFREG && !(how & O_PATH) &&
	             (how & O_ACCMODE) != O_WRONLY;
	/* A shell opens /dev/null itself. What it writes there is lost, whoever opened it. */
	in->identity[in->count++] = sys_is_null(&st) ? 0 : trace_identity_at(fd, "");
	format_text(text, sizeof text, " %d (type %x, open for %d)", fd,
	            (unsigned)st.stx_mode & S_IFMT, (int)(how & O_ACCMODE));
	buf_str(&in->text, text);
}

static void add_descriptors(struct inherited *in)
{
	char dents[DENTS_SIZE];
	int dir = sys_open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), fd;
	ssize_t n;

	in->known = dir >= 0;
	while (dir >= 0 && (n = sys_getdents(dir, dents, sizeof dents)) != 0) {
		if (n < 0) {
			in->known = 0;
			break;
		}
		for (ssize_t at = 0; at < n;) {
			unsigned short length;

			memcpy(&length, dents + at + DENT_LENGTH, sizeof length);
			if (is_number(dents + at + DENT_NAME, &fd))
				add_descriptor(in, fd);
			at += length;
		}
	}
	if (dir >= 0)
		sys_close(dir);
}

/* From 1000 levels on, bash says so. Fewer levels shape nothing. */
static void add_level(const struct invocation *call, struct inherited *in)
{
	const char *level = invocation_env(call, "SHLVL");
	size_t n = level ? strlen(level) : 0;

	if (n < 3 || (n == 3 && *level >= '0' && *level < '9'))
		return;
	buf_str(&in->text, ", SHLVL=");
	buf_str(&in->text, level);
}

/* A declared wrapper may ask for the mask; no text that Reprise reads does. */
static void add_mask(const struct settings *set, const struct invocation *call,
                     struct inherited *in)
{
	char text[32];

	if (!*setting_text(set, SETTING_WRAPPERS))
		return;
	format_text(text, sizeof text, ", umask %x", call->umask);
	buf_str(&in->text, text);
}

/* --- public, in header order --- */

void inherited_look(struct start *s)
{
	struct inherited *in = s->inherited ? NULL : arena_alloc(&s->arena, sizeof *in);
	unsigned long long ignored = 0;
	uint64_t blocked = 0;
	char text[96];

	if (!in)
		return;
	memset(in, 0, sizeof *in);
	in->text = (struct buf)BUF_INIT(&s->arena);
	for (int sig = 1; sig <= 64; sig++)
		if (sig != LIBC_CANCEL && sig != LIBC_SETXID && inherited_ignores(sig))
			ignored |= 1ull << (sig - 1);
	SYS4(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, SIGNALS_SET_SIZE);
	format_text(text, sizeof text, "signals ignored %llx, blocked %llx, descriptors", ignored,
	            (unsigned long long)blocked);
	buf_str(&in->text, text);
	add_descriptors(in);
	if (!in->count)
		buf_str(&in->text, " none");
	add_level(&s->call, in);
	add_mask(&s->set, &s->call, in);
	buf_u8(&in->text, 0);
	in->known &= !in->text.failed;
	s->inherited = in;
}

static int is_copied(const struct tree *t, unsigned identity)
{
	for (size_t i = 0; i < t->copied_count; i++)
		if (t->copied[i] == identity)
			return 1;
	return 0;
}

void collect_inherited(struct collect *k)
{
	const struct inherited *now = k->start->inherited;
	struct input *in;

	if (!k->t->script_count && !k->t->inherits)
		return;
	if (!now || !now->known || now->reads) {
		collect_refuse(k, REASON_UNSTORED_SCRIPT, "descriptors that it may have inherited");
		return;
	}
	for (size_t i = 0; i < now->count; i++)
		if (is_copied(k->t, now->identity[i])) {
			collect_refuse(k, REASON_UNSTORED_SCRIPT, "a descriptor that it inherited");
			return;
		}
	in = collect_input(k, INPUT_INHERITED);
	if (in)
		collect_text(k, in, (const char *)now->text.data);
}

int inherited_holds(struct start *s, const struct input *in)
{
	struct digest d;
	const char *now;

	inherited_look(s);
	now = s->inherited && s->inherited->known ? (const char *)s->inherited->text.data : "";
	digest_of(&d, now, strlen(now));
	return (*now && digest_equal(&d, &in->value)) ||
	       start_detail(s, "a script may see what it inherits: recorded with %s; now %s",
	                    in->text, now);
}

int inherited_ignores(int sig)
{
	struct signals_kernel was = {0};

	return SYS4(SYS_rt_sigaction, sig, NULL, &was, SIGNALS_SET_SIZE) == 0 &&
	       was.handler == SIG_IGN;
}

/* What standard output and error are, as an input of a result. */

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
