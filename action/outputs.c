/* action/outputs.c - the files a tree left behind and what it said, as a result. */
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "action/judge.h"
#include "shim/sys.h"

static enum reason refuse(struct action *a, enum reason reason, const char *path)
{
	action_detail(a, "%s", path);
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
	/* There was nothing to replace, so what it would have done is known of the program. */
	return f->flags & TREE_EXISTED ? WRITE_TRUNCATE : maker_style(f);
}

/* What of the mode was the tool's doing. -1: it wrote over a file that it would not have made. */
static int set_mode(const struct action *a, const struct tree_file *f, struct result_output *o, unsigned mode)
{
	int in_place = f->flags & TREE_EXISTED && o->style == WRITE_TRUNCATE;
	unsigned asked = f->made_mode & 07777, x = 0111 & ~a->umask;
	unsigned before = in_place ? f->made_mode >> 16 & 07777 : asked & ~a->umask;

	o->mode = mode & 07777;
	if (!(f->flags & TREE_CHMOD)) {
		if (in_place && !(f->made_mode & S_IFREG))
			return -1;
		/* An access control list of the directory may have had a say, and the tool's own umask. */
		if (!in_place && o->mode != (asked & ~a->umask)) {
			o->mode_kind = MODE_EXACT;
			return 0;
		}
		o->mode_kind = asked == 0666 ? MODE_PLAIN : MODE_MADE;
		o->mode = asked;
		return 0;
	}
	/* bfd adds the x bits to what stands there; others are taken to set all bits, and what is as the umask
	 * has it, to have asked the umask. */
	if (maker_style(f) == WRITE_UNLINK && o->mode == (before | x)) {
		o->mode_kind = MODE_EXEC;
	} else if (o->mode == (0777 & ~a->umask) || o->mode == (0666 & ~a->umask)) {
		o->mode_kind = MODE_SET;
		o->mode = o->mode & 0111 ? 0777 : 0666;
	} else {
		o->mode_kind = MODE_EXACT;
	}
	return 0;
}

static enum reason read_output(struct action *a, const struct tree_file *f, const struct statx *st,
                               struct result_output *o)
{
	int fd = sys_open(f->path, O_RDONLY | O_CLOEXEC, 0);
	unsigned char *data;
	ssize_t n;

	if (fd < 0)
		return refuse(a, REASON_UNSTORED_OUTPUT, f->path);
	data = arena_alloc(&a->arena, st->stx_size + 1);
	n = data ? sys_read_all(fd, data, st->stx_size) : -ENOMEM;
	sys_close(fd);
	if (n != (ssize_t)st->stx_size)
		return refuse(a, REASON_UNSTORED_OUTPUT, f->path);
	o->data = data;
	o->len = (size_t)n;
	if (a->row->family == FAMILY_AR && cmdline_archive_has_times(data, o->len))
		return refuse(a, REASON_UNSTORED_TIME, f->path);
	return REASON_NONE;
}

static enum reason add_output(struct action *a, struct tree *t, const struct tree_file *f,
                              struct result *r, uint64_t *bytes, int *bound)
{
	struct result_output *o = &r->out[r->out_count];
	struct buf spec = BUF_INIT(&a->arena);
	struct statx st;
	enum reason reason;
	/* Through a link that was there, as the tool wrote, and a replay will. */
	int follow = f->flags & (TREE_RENAMED | TREE_UNLINKED) ? AT_SYMLINK_NOFOLLOW : 0;
	int rc = sys_statx(AT_FDCWD, f->path, follow, STATX_BASIC_STATS, &st);

	(void)t;
	if (rc == -ENOENT || rc == -ENOTDIR)
		return REASON_NONE; /* inside a directory that went with it */
	if (rc < 0 || (st.stx_mode & S_IFMT) != S_IFREG)
		return refuse(a, REASON_UNSTORED_OUTPUT, f->path);
	/* Linked to another name by the tree: results hold each name apart. */
	if (st.stx_nlink > 1 && !(f->flags & TREE_EXISTED))
		return refuse(a, REASON_UNSTORED_OUTPUT, f->path);
	*bytes += st.stx_size;
	if (*bytes > RESULT_BYTES_MAX || r->out_count >= RESULT_OUTPUTS_MAX)
		return refuse(a, REASON_UNSTORED_LARGE, f->path);
	reason = read_output(a, f, &st, o);
	if (reason != REASON_NONE)
		return reason;
	action_spec(a, f->path, (f->flags & (TREE_RELATIVE | TREE_ABSOLUTE)) == TREE_RELATIVE, bound, &spec);
	o->spec_len = spec.len;
	buf_u8(&spec, 0);
	if (spec.failed)
		return REASON_UNSTORED_LARGE;
	o->spec = (const char *)spec.data;
	o->style = (unsigned char)style_of(f);
	if (set_mode(a, f, o, st.stx_mode) < 0)
		return refuse(a, REASON_UNSTORED_OUTPUT, f->path);
	if (a->ptx && !ptx_entries_hold(a->ptx, o->data, o->len))
		a->names_exact = 1;
	patch_find(&o->patches, o->data, o->len, a->all_names, a->output_count, &a->arena);
	/* A pid that is exchanged in some places only would be in none right. */
	if (o->patches.overflow && a->names.own.len)
		return refuse(a, REASON_UNSTORED_LARGE, f->path);
	r->out_count++;
	return REASON_NONE;
}

static enum reason add_streams(struct action *a, struct supervisor *s, struct result *r)
{
	struct capture *c = &s->capture;

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

int judge_result_names(struct action *a, struct result *r)
{
	r->name = arena_alloc(&a->arena, (a->all_count + 1) * sizeof *r->name);
	if (!r->name)
		return -1;
	for (size_t i = 0; i < a->all_count; i++)
		r->name[r->name_count++] = (struct bound_name){a->all_names[i].kind, a->all_names[i].index,
		                                               a->all_names[i].text, a->all_names[i].len, 0};
	return 0;
}

enum reason judge_outputs(struct action *a, struct tree *t, struct supervisor *s, struct result *r)
{
	uint64_t bytes = 0;
	size_t most = 0;
	int bound = 0;

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
		reason = add_output(a, t, &t->file[i], r, &bytes, &bound);
		if (reason != REASON_NONE)
			return reason;
	}
	return add_streams(a, s, r);
}
