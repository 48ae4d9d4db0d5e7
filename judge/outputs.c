/* judge/outputs.c - the files a tree left behind and what it said, as a result. */
#include "judge/outputs.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "judge/mode.h"
#include "judge/start.h"
#include "judge/stream_files.h"
#include "judge/tree_file.h"
#include "shim/sys.h"
#include "tools/driver.h"

#include "shim/banned.h"

static enum reason refuse(struct start *a, enum reason reason, const char *path)
{
	start_detail(a, "%s", path);
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
		return WRITE_UNLINK;
	/* There was nothing to replace, so what it would have done is known of the program. One that renames did not do so
	 * with this: clang writes dependency files, and objects by way of its assembler, in place. */
	if (!(f->flags & TREE_EXISTED) && maker_style(f) != WRITE_RENAME)
		return maker_style(f);
	/* bfd writes into a file that is there only where that is empty, and so does the replay. */
	return maker_style(f) == WRITE_UNLINK ? WRITE_UNLINK : WRITE_TRUNCATE;
}

static int set_mode(const struct start *a, const struct tree_file *f, struct result_output *o, unsigned mode)
{
	struct mode_seen seen = {
		.made = f->made_mode,
		.umask = a->umask,
		.mode = mode,
		.in_place = f->flags & TREE_EXISTED && !(f->flags & (TREE_UNLINKED | TREE_RENAMED)),
		.changed = (f->flags & TREE_CHMOD) != 0,
		.adds_execute = maker_style(f) == WRITE_UNLINK,
		.own_mode = driver_sets_mode(a->row, o->data, o->len),
	};

	return mode_record(&seen, o);
}

/* A tool may say nothing of a write that failed, and end well. */
static int is_full(int fd)
{
	struct statfs fs;

	return sys_fstatfs(fd, &fs) == 0 && sys_is_full(&fs);
}

const struct tree_file *judge_tree_file(struct start *a, struct tree *t, const char *path)
{
	char tidy[PATH_SIZE];
	const char *whole = path[0] == '/' ? path : arena_cat(&a->arena, a->cwd, "/", path, NULL);

	if (!whole || strlen(whole) >= sizeof tidy)
		return NULL;
	memcpy(tidy, whole, strlen(whole) + 1);
	path_tidy(tidy);
	return tree_find(t, tidy);
}

/* What the run says of the machine and not of its input: an output that could not be made, memory that was refused. */
static int failed_here(struct start *a, struct tree *t, const struct result *r)
{
	static const char *const says[] = {"emory alloc", "ut of memory", "llocation fail", "could not be opened"};

	const char *unnamed = driver_default_output(a->row, &a->cmd);

	if (unnamed && judge_tree_file(a, t, unnamed))
		return 1;
	for (int i = 1; i < a->cmd.count; i++)
		if ((a->cmd.v[i].role == ARG_OUTPUT && judge_tree_file(a, t, a->cmd.v[i].text)) ||
		    (a->cmd.v[i].role == ARG_OUTPUT_JOINED && judge_tree_file(a, t, a->cmd.v[i].text + a->cmd.v[i].at)))
			return 1;
	for (size_t i = 0; i < r->chunk_count; i++)
		for (size_t k = 0; k < sizeof says / sizeof *says; k++)
			if (memmem(r->chunk[i].data, r->chunk[i].len, says[k], strlen(says[k])))
				return 1;
	return 0;
}

static enum reason read_output(struct start *a, const struct tree_file *f, const struct statx *st,
                               struct result_output *o, long pid, enum output_flaw *flaw)
{
	int fd = sys_open(f->path, O_RDONLY | O_CLOEXEC, 0);
	unsigned char *data;
	ssize_t n;
	int full;

	if (fd < 0)
		return refuse(a, REASON_UNSTORED_OUTPUT, f->path);
	data = arena_alloc(&a->arena, st->stx_size + 1);
	n = data ? sys_read_all(fd, data, st->stx_size) : -ENOMEM;
	full = is_full(fd);
	sys_close(fd);
	if (n != (ssize_t)st->stx_size || full)
		return refuse(a, REASON_UNSTORED_OUTPUT, f->path);
	o->data = data;
	o->len = (size_t)n;
	*flaw = driver_flaw(a->row, data, o->len, pid);
	return *flaw == FLAW_TIME  ? refuse(a, REASON_UNSTORED_TIME, f->path)
	       : *flaw == FLAW_CUT ? refuse(a, REASON_UNSTORED_OUTPUT, f->path)
	                           : REASON_NONE;
}

/* Removed with a directory that the tree removed, and not by somebody else. */
static int went_with_it(struct start *a, struct tree *t, const char *path)
{
	char *dir = arena_strdup(&a->arena, path);
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

/* Of all outputs. */
struct sum {
	long pid; /* the tool's */
	uint64_t bytes;
	int bound;
	int holds_pid, holds_inode;
};

static enum reason add_output(struct start *a, struct tree *t, const struct tree_file *f,
                              struct result *r, struct sum *sum)
{
	struct result_output *o = &r->out[r->out_count];
	enum output_flaw flaw;
	struct buf spec = BUF_INIT(&a->arena);
	struct statx st;
	enum reason reason;
	/* Through a link that was there, as the tool wrote, and a replay will. */
	int follow = f->flags & (TREE_RENAMED | TREE_UNLINKED) ? AT_SYMLINK_NOFOLLOW : 0;
	int rc = sys_statx(AT_FDCWD, f->path, follow, STATX_BASIC_STATS, &st);

	if ((rc == -ENOENT || rc == -ENOTDIR) && went_with_it(a, t, f->path))
		return REASON_NONE;
	if (rc < 0 || (st.stx_mode & S_IFMT) != S_IFREG || start_writes_stream(a, &st))
		return refuse(a, REASON_UNSTORED_OUTPUT, f->path);
	/* Linked to another name by the tree: results hold each name apart. */
	if (st.stx_nlink > 1 && !(f->flags & TREE_EXISTED))
		return refuse(a, REASON_UNSTORED_OUTPUT, f->path);
	sum->bytes += st.stx_size;
	if (sum->bytes > RESULT_BYTES_MAX || r->out_count >= RESULT_OUTPUTS_MAX)
		return refuse(a, REASON_UNSTORED_LARGE, f->path);
	reason = read_output(a, f, &st, o, sum->pid, &flaw);
	if (reason != REASON_NONE)
		return reason;
	sum->holds_pid |= flaw == FLAW_PID;
	sum->holds_inode |= flaw == FLAW_INODE;
	start_spec(a, f->path, (f->flags & (TREE_RELATIVE | TREE_ABSOLUTE)) == TREE_RELATIVE,
	            &sum->bound, &spec);
	o->spec_len = spec.len;
	buf_u8(&spec, 0);
	if (spec.failed)
		return REASON_UNSTORED_LARGE;
	o->spec = (const char *)spec.data;
	o->style = (unsigned char)style_of(f);
	if (set_mode(a, f, o, st.stx_mode) < 0)
		return refuse(a, REASON_UNSTORED_OUTPUT, f->path);
	if (a->ptx && !ptx_entries_hold(a->ptx, o->data, o->len))
		a->verdict.names_exact = 1;
	patch_find(&o->patches, o->data, o->len, a->all_names, a->output_count, &a->arena);
	/* A pid that is exchanged in some places only would be in none right. */
	if (o->patches.overflow && a->names.own.len)
		return refuse(a, REASON_UNSTORED_LARGE, f->path);
	r->out_count++;
	return REASON_NONE;
}

static enum reason add_streams(struct start *a, const struct recorded *s, struct result *r)
{
	const struct capture *c = s->capture;

	if (c->overflow)
		return refuse(a, REASON_UNSTORED_LARGE, "standard streams");
	if (c->open_after)
		return refuse(a, REASON_UNSTORED_ALIVE, "a stream is still open");
	if (c->reader_gone)
		return refuse(a, REASON_UNSTORED_SIGNAL, "the reader of a stream went away");
	r->chunk = arena_alloc(&a->arena, (c->count + 1) * sizeof *r->chunk);
	if (!r->chunk)
		return REASON_UNSTORED_LARGE;
	for (size_t i = 0; i < c->count; i++) {
		struct result_chunk *out = &r->chunk[r->chunk_count++];

		out->stream = c->chunk[i].stream;
		out->data = c->bytes.data + c->chunk[i].at;
		out->len = c->chunk[i].len;
		patch_find(&out->patches, out->data, out->len, a->all_names, a->all_count, &a->arena);
	}
	return REASON_NONE;
}

int judge_result_names(struct start *a, struct result *r)
{
	r->name = arena_alloc(&a->arena, (a->all_count + 1) * sizeof *r->name);
	if (!r->name)
		return -1;
	for (size_t i = 0; i < a->all_count; i++)
		r->name[r->name_count++] = (struct bound_name){a->all_names[i].kind, a->all_names[i].index,
		                                               a->all_names[i].text, a->all_names[i].len, NAME_BOUND};
	return 0;
}

enum reason judge_outputs(struct start *a, struct tree *t, const struct recorded *s, struct result *r)
{
	struct sum sum = {.pid = s->child};
	size_t most = 0;

	for (size_t i = 0; i < t->count; i++) {
		unsigned flags = t->file[i].flags;

		if (flags & TREE_UNLINKED && (!(flags & TREE_MADE) || flags & TREE_GONE))
			return refuse(a, REASON_UNSTORED_OUTPUT, t->file[i].path);
		most += (flags & (TREE_MADE | TREE_GONE)) == TREE_MADE;
	}
	r->exit_status = WEXITSTATUS(s->status);
	r->out = arena_alloc(&a->arena, (most + 1) * sizeof *r->out);
	if (!r->out || judge_result_names(a, r) < 0)
		return REASON_UNSTORED_LARGE;
	for (size_t i = 0; i < t->count; i++) {
		enum reason reason;

		if ((t->file[i].flags & (TREE_MADE | TREE_GONE)) != TREE_MADE)
			continue;
		reason = add_output(a, t, &t->file[i], r, &sum);
		if (reason != REASON_NONE)
			return reason;
	}
	enum reason reason = add_streams(a, s, r);

	if (reason == REASON_NONE && r->exit_status != 0 && failed_here(a, t, r))
		return refuse(a, REASON_UNSTORED_FAILED, "not by its input");
	if (reason == REASON_NONE && sum.holds_pid)
		return REASON_UNSTORED_PID;
	if (reason == REASON_NONE && sum.holds_inode)
		return refuse(a, REASON_UNSTORED_OUTPUT, "it holds the inode of its source");
	return reason;
}

int judge_is_depfile(struct start *a, const struct result_output *o)
{
	const char *path = names_resolve(&a->names, o->spec, o->spec_len, &a->arena);

	return path && !memchr(o->data, 0, o->len) && driver_is_depfile(&a->cmd, path);
}
