/* judge/output/outputs.c - turns the files that a tree left and its streams into a result. */
#include "judge/output/output.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "judge/output/mode.h"
#include "names/names.h"
#include "shim/ascii.h"
#include "shim/kernel/sys.h"
#include "shim/trace.h"
#include "tools/cmdline/cmdline.h"
#include "tools/driver.h"
#include "trace/files.h"

#include "shim/banned.h"

static enum reason refuse(struct start *s, enum reason reason, const char *path)
{
	start_detail(s, "%s", path);
	return reason;
}

static enum write_style maker_style(const struct tree_file *f)
{
	return f->style ? (enum write_style)f->style : tool_write_style(f->program);
}

static enum write_style style_of(const struct tree_file *f)
{
	if (f->flags & TREE_RENAMED)
		return WRITE_RENAME;
	if (f->flags & TREE_UNLINKED)
		return maker_style(f) == WRITE_UNLINK && f->remover == f->maker ? WRITE_UNLINK
		                                                                : WRITE_REPLACE;
	if (f->flags & TREE_FRESH)
		return WRITE_REPLACE;
	/* bfd writes into an existing file only if that file is empty, and so does the replay. A
	 * program that renames did not ask for this file, so it writes in place. */
	return maker_style(f) == WRITE_UNLINK ? WRITE_UNLINK : WRITE_TRUNCATE;
}

static int set_mode(const struct invocation *call, struct arena *arena, const struct tree_file *f,
                    struct result_output *o, unsigned mode, enum output_flaw flaw)
{
	struct mode_seen seen = {
		.made = f->made_mode,
		.umask = call->umask,
		.mode = mode,
		.in_place = f->flags & TREE_EXISTED && !(f->flags & (TREE_UNLINKED | TREE_RENAMED)),
		.changed = (f->flags & TREE_CHMOD) != 0,
		.adds_execute = maker_style(f) == WRITE_UNLINK,
		.own_mode = flaw == FLAW_MODE,
		.acl = place_cuts_bits(arena, f->path),
	};

	return mode_record(&seen, o);
}

/* A tool may not report a failed write, and end with success. */
static int is_full(int fd)
{
	struct statfs fs;

	return sys_fstatfs(fd, &fs) == 0 && sys_is_full(&fs);
}

const struct tree_file *judge_tree_file(struct start *s, struct tree *t, const char *path)
{
	const char *whole = invocation_whole(&s->call, path, &s->arena);

	return whole ? tree_find(t, whole) : NULL;
}

/* 1: the tree used this path of an output, other than by seeing that nothing is there. */
static int is_used(struct start *s, struct tree *t, const char *path)
{
	const struct tree_file *f = judge_tree_file(s, t, path);

	return f && (!(f->flags & TREE_ABSENT) ||
	             f->flags & (TREE_MADE | TREE_PRESENT | TREE_READ | TREE_DENIED));
}

/* 1: the tool failed because of its input, and touched no output. */
static int failed_by_input(struct start *s, struct tree *t, const struct result *r)
{
	const char *unnamed = driver_default_output(s->row, &s->cmd);

	if (unnamed && is_used(s, t, unnamed))
		return 0;
	CMDLINE_OUTPUTS(i, &s->cmd)
		if (is_used(s, t, cmdline_output(&s->cmd.v[i])))
			return 0;
	return judge_failure_is_of_input(s, r);
}

static enum reason read_output(struct start *s, const struct tree_file *f, const struct statx *st,
                               struct result_output *o, long pid, enum output_flaw *flaw)
{
	int fd = sys_open(f->path, O_RDONLY | O_CLOEXEC, 0);
	unsigned char *data;
	ssize_t n;
	int full, shared;

	if (fd < 0)
		return refuse(s, REASON_UNSTORED_OUTPUT, f->path);
	/* Another process wrote this output meanwhile, under the same name. */
	if (f->made && trace_made(fd) != f->made) {
		sys_close(fd);
		return refuse(s, REASON_UNSTORED_SHARED, f->path);
	}
	data = arena_alloc(&s->arena, st->stx_size + 1);
	n = data ? sys_read_all(fd, data, st->stx_size) : -ENOMEM;
	full = is_full(fd);
	shared = output_is_shared(s, f, fd, st);
	sys_close(fd);
	if (shared)
		return refuse(s, REASON_UNSTORED_SHARED, f->path);
	if (n != (ssize_t)st->stx_size || full)
		return refuse(s, REASON_UNSTORED_OUTPUT, f->path);
	o->data = data;
	o->len = (size_t)n;
	*flaw = driver_ask(s->row, flaw, FLAW_NONE, data, o->len, pid);
	return *flaw == FLAW_TIME  ? refuse(s, REASON_UNSTORED_TIME, f->path)
	       : *flaw == FLAW_CUT ? refuse(s, REASON_UNSTORED_OUTPUT, f->path)
	                           : REASON_NONE;
}

/* 1: the file vanished with a directory that the tree removed. No other process removed it. */
static int went_with_it(struct arena *arena, struct tree *t, const char *path)
{
	char *dir = arena_strdup(arena, path);
	size_t n;

	while (dir && (n = path_dir_len(dir)) > 1) {
		const struct tree_file *f;

		dir[n] = '\0';
		f = tree_find(t, dir);
		if (f && f->flags & (TREE_GONE | TREE_UNLINKED))
			return 1;
	}
	return 0;
}

/* Totals over all outputs. */
struct sum {
	long pid; /* the tool's */
	uint64_t bytes;
	int bound;
	int holds_pid, holds_inode;
	unsigned dated; /* outputs with FLAW_DATED */
	struct statx *st; /* of each output */
};

/* 1: two outputs are one file, by a link that was there. The content is that of the last write. */
static int is_second_name(const struct sum *sum, size_t count, const struct statx *st)
{
	for (size_t i = 0; i < count; i++)
		if (sys_same_file(&sum->st[i], st))
			return 1;
	return 0;
}

/* The target of a dependency file is the path of an output. Its name is exchanged, and not the
 * names in it. */
static void find_target(struct start *s, struct result_output *o)
{
	int i = s->names.target_of - 1;
	const struct name *f = &s->names.file[i < 0 ? 0 : i];
	size_t len = i < 0 ? 0 : strlen(f->text), from = 0;
	struct patch *v;

	if (i < 0 || o->patches.overflow || !judge_is_depfile(s, o, o->data) || o->len <= len ||
	    memcmp(o->data, f->text, len) != 0 || (o->data[len] != ':' && o->data[len] != ' '))
		return;
	v = arena_alloc(&s->arena, (o->patches.count + 1) * sizeof *v);
	if (!v)
		return;
	while (from < o->patches.count && o->patches.v[from].offset < f->len)
		from++;
	v[0] = (struct patch){0, NAME_KIND_FILE, (unsigned char)i};
	memcpy(v + 1, o->patches.v + from, (o->patches.count - from) * sizeof *v);
	o->patches.count = o->patches.count - from + 1;
	o->patches.v = v;
}

static enum reason add_output(struct start *s, struct tree *t, const struct tree_file *f,
                              struct result *r, struct sum *sum)
{
	struct result_output *o = &r->out[r->out_count];
	enum output_flaw flaw;
	struct buf spec = BUF_INIT(&s->arena);
	struct statx st;
	enum reason reason;
	/* The tool wrote through an existing link, and a replay will do the same. */
	int follow = f->flags & (TREE_RENAMED | TREE_UNLINKED) ? AT_SYMLINK_NOFOLLOW : 0;
	int rc = sys_statx(AT_FDCWD, f->path, follow, STATX_BASIC_STATS, &st);

	if ((rc == -ENOENT || rc == -ENOTDIR) && went_with_it(&s->arena, t, f->path))
		return REASON_NONE;
	if (rc < 0 || (st.stx_mode & S_IFMT) != S_IFREG || streams_of_file(&s->streams, &st))
		return refuse(s, REASON_UNSTORED_OUTPUT, f->path);
	/* The tree linked the file to another name, but a result holds each name separately. */
	if (st.stx_nlink > 1 && !(f->flags & TREE_EXISTED))
		return refuse(s, REASON_UNSTORED_OUTPUT, f->path);
	if (f->replaced || is_second_name(sum, r->out_count, &st))
		return refuse(s, REASON_UNSTORED_OUTPUT, f->path);
	sum->st[r->out_count] = st;
	sum->bytes += st.stx_size;
	if (sum->bytes > RESULT_BYTES_MAX || r->out_count >= RESULT_OUTPUTS_MAX)
		return refuse(s, REASON_UNSTORED_LARGE, f->path);
	reason = read_output(s, f, &st, o, sum->pid, &flaw);
	if (reason != REASON_NONE)
		return reason;
	sum->holds_pid |= flaw == FLAW_PID;
	sum->holds_inode |= flaw == FLAW_INODE;
	sum->dated += flaw == FLAW_DATED;
	if (!names_put_output(&s->names, s->call.cwd, f->path, &spec))
		start_spec(s, f->path,
		           tree_is(f, TREE_RELATIVE, TREE_ABSOLUTE),
		           &sum->bound, &spec);
	if (f->flags & TREE_READ_BACK)
		s->verdict.files_exact = 1;
	o->spec_len = spec.len;
	buf_u8(&spec, 0);
	if (spec.failed)
		return REASON_UNSTORED_LARGE;
	o->spec = (const char *)spec.data;
	o->style = (unsigned char)style_of(f);
	if (set_mode(&s->call, &s->arena, f, o, st.stx_mode, flaw) < 0)
		return refuse(s, REASON_UNSTORED_OUTPUT, f->path);
	if (s->text && !input_text_entries_hold(s->text, o->data, o->len))
		s->verdict.names_exact = 1;
	patch_find(&o->patches, o->data, o->len, s->all_names.v, s->all_names.output_count,
	           &s->arena);
	find_target(s, o);
	/* A pid that is exchanged in some places only would be wrong. */
	if (o->patches.overflow && s->names.own.len)
		return refuse(s, REASON_UNSTORED_LARGE, f->path);
	r->out_count++;
	return REASON_NONE;
}

static int in_path(int c)
{
	return ascii_alnum(c) || (c && strchr("_-./+@%=~", c));
}

/* Puts the places of file i into the list, which stays in order. A name within the path gives
 * way. */
static void add_places(struct names *names, struct arena *arena, struct patch_list *l, int i,
                       const char *text, size_t n)
{
	const char *path = names->file[i].text, *end = text + n;
	size_t len = strlen(path);

	if (len < NAME_VOLATILE_MIN)
		return;
	for (const char *p = text; (p = memmem(p, (size_t)(end - p), path, len)); p += len) {
		uint64_t at = (uint64_t)(p - text);
		size_t from = 0, to;
		struct patch *v;

		if ((p > text && in_path(p[-1])) || (p + len < end && in_path(p[len])))
			continue;
		while (from < l->count && l->v[from].offset < at)
			from++;
		for (to = from; to < l->count && l->v[to].offset < at + len; )
			to++;
		v = arena_alloc(arena, (l->count + 2) * sizeof *v);
		if (!v) {
			l->overflow = 1;
			return;
		}
		memcpy(v, l->v, from * sizeof *v);
		v[from] = (struct patch){at, NAME_KIND_FILE, (unsigned char)i};
		memcpy(v + from + 1, l->v + to, (l->count - to) * sizeof *v);
		l->count = from + 1 + l->count - to;
		l->v = v;
	}
}

void judge_stream_places(struct start *s, struct patch_list *out, const void *text, size_t n)
{
	patch_find(out, text, n, s->all_names.v, s->all_names.count, &s->arena);
	for (int i = 0; i < s->names.files && n; i++)
		add_places(&s->names, &s->arena, out, i, text, n);
}

static enum reason add_streams(struct start *start, const struct recorded *s, struct result *r)
{
	const struct capture *c = s->capture;

	if (c->overflow)
		return refuse(start, REASON_UNSTORED_LARGE, "standard streams");
	if (c->open_after)
		return refuse(start, REASON_UNSTORED_ALIVE,
		              "a process still has stdout or stderr open");
	if (c->reader_gone)
		return refuse(start, REASON_UNSTORED_SIGNAL, "the reader of a stream went away");
	r->chunk = arena_alloc(&start->arena, (c->count + 1) * sizeof *r->chunk);
	if (!r->chunk)
		return REASON_UNSTORED_LARGE;
	for (size_t i = 0; i < c->count; i++) {
		struct result_chunk *out = &r->chunk[r->chunk_count++];

		out->stream = c->chunk[i].stream;
		out->data = c->bytes.data + c->chunk[i].at;
		out->len = c->chunk[i].len;
		judge_stream_places(start, &out->patches, out->data, out->len);
	}
	return REASON_NONE;
}

/* What the tool said, and a NUL. Preprocessed text is an output, and no message. */
static struct buf messages(const struct cmdline *cmd, struct arena *arena, const struct result *r)
{
	struct buf text = BUF_INIT(arena);

	for (size_t i = 0; i < r->chunk_count; i++)
		if (r->chunk[i].stream == 2 || !(cmd->flags & CMD_PREPROCESS))
			buf_add(&text, r->chunk[i].data, r->chunk[i].len);
	buf_u8(&text, 0); /* there may be no text */
	return text;
}

/* ar u took members by the times of files. */
static int compared_times(const struct cmdline *cmd, struct arena *arena, const struct result *r)
{
	struct buf text;

	if (!cmd->updates)
		return 0;
	text = messages(cmd, arena, r);
	return text.failed || !tool_ignores_updates((const char *)text.data, text.len);
}

int judge_failure_is_of_input(struct start *s, const struct result *r)
{
	struct buf text = messages(&s->cmd, &s->arena, r);

	return !r->out_count && !text.failed && failure_is_of_input(s->row, r->exit_status,
	                                           (const char *)text.data, text.len - 1);
}

enum reason judge_failure_record(struct start *s, const struct result *r)
{
	if (!r->exit_status)
		return REASON_NONE;
	proof_always(&s->proofs, PROOF_FAILURES);
	if (proof_on(&s->set, PROOF_FAILURES))
		return REASON_NONE;
	start_detail(s, "the proof %s is off", proof_name(PROOF_FAILURES));
	return REASON_UNSTORED_FAILED;
}

int judge_result_names(const struct name_list *names, struct arena *arena, struct result *r)
{
	r->name = arena_alloc(arena, (names->count + NAMES_FILES_MAX + 1) * sizeof *r->name);
	if (!r->name)
		return -1;
	for (size_t i = 0; i < names->count; i++)
		r->name[r->name_count++] = (struct bound_name){names->v[i].kind, names->v[i].index,
		                                               names->v[i].text, names->v[i].len,
		                                               NAME_BOUND};
	return 0;
}

/* A directory that the tool made for its output, as a replay does. */
static int is_made_on_the_way(const struct tool_row *row, const struct tree *t,
                              const struct tree_file *dir)
{
	for (size_t i = 0; dir->flags & TREE_DIR && i < t->count; i++) {
		const struct tree_file *f = &t->file[i];

		if (tree_is(f, TREE_MADE, TREE_GONE | TREE_DIR) &&
		    path_below(f->path, dir->path) && tool_makes_directories(row, f->path))
			return 1;
	}
	return 0;
}

static enum reason all_outputs(struct start *start, struct tree *t, const struct recorded *s,
                               struct result *r)
{
	struct sum sum = {.pid = s->child};
	size_t most = 0;

	for (size_t i = 0; i < t->count; i++) {
		unsigned flags = t->file[i].flags;

		if (flags & TREE_UNLINKED && (!(flags & TREE_MADE) || flags & TREE_GONE))
			return refuse(start, REASON_UNSTORED_OUTPUT, t->file[i].path);
		most += (flags & (TREE_MADE | TREE_GONE)) == TREE_MADE;
	}
	r->exit_status = WEXITSTATUS(s->status);
	r->out = arena_alloc(&start->arena, (most + 1) * sizeof *r->out);
	sum.st = arena_alloc(&start->arena, (most + 1) * sizeof *sum.st);
	if (!r->out || !sum.st || judge_result_names(&start->all_names, &start->arena, r) < 0)
		return REASON_UNSTORED_LARGE;
	for (size_t i = 0; i < t->count; i++) {
		enum reason reason;

		if ((t->file[i].flags & (TREE_MADE | TREE_GONE)) != TREE_MADE ||
		    is_made_on_the_way(start->row, t, &t->file[i]))
			continue;
		reason = add_output(start, t, &t->file[i], r, &sum);
		if (reason != REASON_NONE)
			return reason;
	}
	enum reason reason = add_streams(start, s, r);

	/* __TIME__ and its like ask as well. */
	if (t->dates != sum.dated || (t->dated && !sum.dated))
		return refuse(start, REASON_UNSTORED_TIME,
		              "the time may be in more than the dates of modules");
	if (reason == REASON_NONE && compared_times(&start->cmd, &start->arena, r))
		return refuse(start, REASON_UNSTORED_TIME, "ar u: compares file times");
	if (reason == REASON_NONE && sum.holds_pid)
		return REASON_UNSTORED_PID;
	if (reason == REASON_NONE && sum.holds_inode)
		return refuse(start, REASON_UNSTORED_OUTPUT,
		              "an output holds the inode number of its source");
	return reason;
}

enum reason judge_outputs(struct start *s, struct tree *t, const struct recorded *run,
                          struct result *r)
{
	enum reason reason = all_outputs(s, t, run, r);

	/* Of a failure, what it left does not matter more than that it failed. */
	if (WEXITSTATUS(run->status) != 0 && (reason != REASON_NONE || !failed_by_input(s, t, r)))
		return refuse(s, REASON_UNSTORED_FAILED,
		              "its messages do not show that the input is the cause");
	return reason;
}

int judge_is_depfile(struct start *s, const struct result_output *o, const void *data)
{
	const char *path = names_resolve(&s->names, o->spec, o->spec_len, &s->arena);

	return path && !memchr(data, 0, o->len) && driver_is_depfile(&s->cmd, path);
}

int judge_lacks_depfile(struct start *s, const struct result *r)
{
	if (!s->cmd.asks_depfile)
		return 0;
	for (size_t i = 0; i < r->out_count; i++)
		if (judge_is_depfile(s, &r->out[i], r->out[i].data))
			return 0;
	return 1;
}
