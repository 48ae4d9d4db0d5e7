/* judge/inputs.c - what the tree read, probed and asked, as inputs of a candidate. */
#include "judge/inputs.h"

#include <string.h>

#include "judge/absences.h"
#include "judge/collect.h"
#include "judge/clang_config.h"
#include "judge/pwd.h"
#include "judge/search.h"
#include "judge/start.h"
#include "judge/environment.h"
#include "judge/times.h"
#include "judge/tree_file.h"
#include "judge/duplicates.h"
#include "shim/object.h"
#include "shim/sort.h"
#include "shim/sys.h"
#include "shim/trace.h"

#include "shim/banned.h"

/* Clocks of network file systems may run ahead of ours by a little. */
#define FOREIGN_CLOCK_SLACK 2000000000ll

/* Changed at or after that time, as far as its clock can tell. */
static int changed_since(struct start *a, const char *path, const struct statx *st, int64_t start)
{
	if (!memo_clock_local(&a->memo, -1, path, st))
		start -= FOREIGN_CLOCK_SLACK;
	return times_ns(&st->stx_mtime) >= start || times_ns(&st->stx_ctime) >= start;
}

static int too_new(struct start *a, const char *path, const struct statx *st)
{
	return changed_since(a, path, st, a->ran_at);
}

/* A file by which a step of nvcc hands on to the next one, which starts when it is whole: nobody else changes it,
 * and the next often starts within the tick of the clock in which it was written. */
static int handed_on(const struct start *a, const char *path)
{
	const char *base = path_base(path);

	return a->nested && name_xft_len(base, strlen(base)) > 0;
}

/* A link or directory on the way leads to another file than when the tool opened it. */
static int swapped(const struct tree_file *f, const struct statx *st)
{
	return f->identity &&
	       f->identity != trace_identity(st->stx_ino, st->stx_dev_major, st->stx_dev_minor);
}

static struct primary *primary_of(struct start *a, const char *path)
{
	for (size_t i = 0; i < a->primary_count; i++) {
		const char *p = a->primary[i].path;

		if (strcmp(p, path) == 0)
			return &a->primary[i];
		if (p[0] != '/' && path_below(path, a->cwd) &&
		    strcmp(p, path + a->cwd_len + (a->cwd_len > 1)) == 0)
			return &a->primary[i];
	}
	return NULL;
}

/* Primary inputs are in the action key with the content they had before; Inductor writes them
 * microseconds before the start, so equal digest and stat after the run is the proof, not the clock. */
static void check_primaries(struct collect *k)
{
	struct start *a = k->a;

	for (size_t i = 0; i < a->primary_count; i++) {
		struct primary *p = &a->primary[i];
		struct digest d;
		struct statx st;

		if (!changed_since(a, p->path, &p->st, a->started_at)) {
			/* Old then: unchanged if the stamp is. */
			if (sys_statx(AT_FDCWD, p->path, 0, STATX_BASIC_STATS, &st) == 0 &&
			    st.stx_size == p->st.stx_size && st.stx_ino == p->st.stx_ino &&
			    times_ns(&st.stx_mtime) == times_ns(&p->st.stx_mtime) &&
			    times_ns(&st.stx_ctime) == times_ns(&p->st.stx_ctime))
				continue;
			collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, p->path);
		} else if (probe_file_fresh(&a->prober, p->path, &d, &st) < 0 ||
		           !digest_equal(&d, &p->content) ||
		           times_ns(&st.stx_mtime) != times_ns(&p->st.stx_mtime) ||
		           st.stx_size != p->st.stx_size) {
			collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, p->path);
		}
	}
}

/* realpath gave back what it was asked. */
static int is_real(const struct tree_file *f)
{
	return f->flags & TREE_REAL && strcmp(f->real, f->path) == 0;
}

/* Why a file that the tree has read is no input that can be kept. */
static enum reason unfit(struct collect *k, const struct tree_file *f, const struct statx *st)
{
	if (swapped(f, st))
		return REASON_UNSTORED_INPUT_CHANGED;
	if (too_new(k->a, f->path, st) && !handed_on(k->a, f->path))
		return REASON_UNSTORED_INPUT_NEW;
	/* A start that was refused says so by the program's mode alone. */
	if (f->flags & TREE_RUN && sys_access(f->path, X_OK) < 0)
		return REASON_UNSTORED_DENIED;
	return REASON_NONE;
}

/* A text that warns by the times of files, whose warning may be an error. */
static int goes_by_times(struct collect *k, const struct tree_file *f)
{
	const struct tool_row *row = k->a->row;

	return row->flags & TOOL_GOES_BY_TIMES && !(f->flags & TREE_RUN) &&
	       probe_goes_by_times(&k->a->prober, f->path);
}

/* 1 when the input says, too, that the path is real. */
static int add_file(struct collect *k, const struct tree_file *f)
{
	unsigned kind = f->flags & TREE_RUN ? INPUT_PROGRAM : is_real(f) ? INPUT_REAL_FILE : INPUT_FILE;
	struct digest d;
	struct statx st;
	struct input *in;
	enum reason reason;
	int rc = probe_file(&k->a->prober, f->path, &d, &st);

	if (rc == -EISDIR) { /* opened, not listed */
		in = collect_input(k, INPUT_PRESENT);
		if (in) {
			in->type = S_IFDIR;
			collect_spec(k, in, f->path, collect_relative(f));
		}
		return 0;
	}
	if (rc < 0) {
		collect_refuse(k, rc == -ENOENT ? REASON_UNSTORED_INPUT_CHANGED : REASON_UNSTORED_DEVICE, f->path);
		return 0;
	}
	reason = unfit(k, f, &st);
	if (reason != REASON_NONE) {
		collect_refuse(k, reason, f->path);
		return 0;
	}
	collect_config(k, f);
	in = collect_input(k, kind);
	if (in) {
		in->value = d;
		collect_spec(k, in, f->path, collect_relative(f));
	}
	if (in && k->times)
		collect_times(k, f->path, collect_relative(f), &st);
	return kind == INPUT_REAL_FILE;
}

/* Seen by stat or access, not read: its type. lstat of a link: its target. */
static void add_present(struct collect *k, const struct tree_file *f)
{
	unsigned type = 0;
	struct input *in;
	struct statx st;
	const char *target;
	int rc;

	if (f->flags & TREE_NOFOLLOW && probe_symlink(&k->a->prober, f->path, &target) == 0) {
		in = collect_input(k, INPUT_SYMLINK);
		if (in) {
			collect_text(k, in, target);
			collect_spec(k, in, f->path, collect_relative(f));
		}
	}
	rc = probe_present(&k->a->prober, f->path, &type);
	if (f->flags & TREE_DENIED && rc == -EACCES && collect_denied(k, f))
		return;
	/* What was denied may be granted without a trace in type or content. That a directory may not be
	 * written says nothing, and what PATH finds is an input of its own. */
	if (f->flags & TREE_DENIED &&
	    (rc == -EACCES || (rc == 0 && type == S_IFREG && !judge_on_path(k->a, f->path)))) {
		collect_refuse(k, REASON_UNSTORED_DENIED, f->path);
		return;
	}
	if (rc < 0)
		return; /* a dangling link, which the above holds; or gone: a race that its absence tells */
	if (!(f->flags & TREE_NOFOLLOW) && f->mode && (f->mode & S_IFMT) != type) {
		collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, f->path);
		return;
	}
	in = collect_input(k, INPUT_PRESENT);
	if (in) {
		in->type = type;
		collect_spec(k, in, f->path, collect_relative(f));
	}
	/* Of sources that a PTX names; those of one that has no canonical form are no names. */
	if (!in || type != S_IFREG || probe_stat(&k->a->prober, f->path, &st) < 0 ||
	    !(k->times || (k->a->row->flags & TOOL_ENTERS_TIMES && f->flags & TREE_STAT)))
		return;
	if (too_new(k->a, f->path, &st))
		collect_refuse(k, REASON_UNSTORED_INPUT_NEW, f->path);
	else
		collect_times(k, f->path, collect_relative(f), &st);
}

/* By a program below the tool (ptxas below nvcc). A source of the tool's own is as it was: check_primaries(). */
static void add_seen_times(struct collect *k, const struct tree_file *f)
{
	struct statx st;

	if (probe_stat(&k->a->prober, f->path, &st) < 0)
		collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, f->path);
	else if (!primary_of(k->a, f->path) && too_new(k->a, f->path, &st))
		collect_refuse(k, REASON_UNSTORED_INPUT_NEW, f->path);
	else
		collect_times(k, f->path, collect_relative(f), &st);
}

/* What readlink or realpath answered. */
static void add_link(struct collect *k, const struct tree_file *f, unsigned kind, const char *answer)
{
	struct input *in = collect_input(k, kind);

	if (!in)
		return;
	collect_text(k, in, answer);
	collect_spec(k, in, f->path, collect_relative(f));
}

/* And realpath's. held: an input of the file says the same. */
static void add_real(struct collect *k, const struct tree_file *f, int held)
{
	struct input *in;

	if (is_real(f)) {
		/* gcc asks so of system headers, and uses the answer where it is shorter. To a relative question the
		 * answer is the cwd and the question: longer, unless the question has "//" or "/./". ld asks for its
		 * output, when there is one. */
		if (f->flags & TREE_REAL_LONG)
			k->bound = 1;
		in = held || f->flags & TREE_MADE ? NULL : collect_input(k, INPUT_REAL);
		if (in)
			collect_spec(k, in, f->path, collect_relative(f));
		return;
	}
	if (collect_relative(f))
		k->a->verdict.real_of_cwd = 1;
	/* An answer below the cwd names it. */
	if (k->a->cwd_len > 1 && path_below(f->real, k->a->cwd))
		k->bound = 1;
	add_link(k, f, INPUT_REALPATH, f->real);
}

static int in_temp_root(const struct start *a, const char *path)
{
	for (const char *const *r = a->names.temp_roots; r && *r; r++)
		if (strcmp(path, *r) == 0)
			return 1;
	return 0;
}

/* A listing in which the tree left a file cannot be told from what it was before. */
static int made_inside(const struct tree *t, const char *dir)
{
	size_t n = strlen(dir);

	for (size_t i = 0; i < t->count; i++) {
		const struct tree_file *f = &t->file[i];

		if (f->flags & TREE_MADE && !(f->flags & TREE_EXISTED) && path_dir_len(f->path) == n &&
		    memcmp(f->path, dir, n) == 0)
			return 1;
	}
	return 0;
}

static void add_listing(struct collect *k, const struct tree_file *f)
{
	struct statx st;
	struct digest d;
	struct input *in;

	if (in_temp_root(k->a, f->path))
		return;
	if (made_inside(k->t, f->path)) {
		collect_refuse(k, REASON_UNSTORED_OUTPUT, f->path);
		return;
	}
	if (probe_stat(&k->a->prober, f->path, &st) < 0 || swapped(f, &st) ||
	    probe_listing(&k->a->prober, f->path, NULL, NULL, &d) < 0) {
		collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, f->path);
		return;
	}
	/* It may have had other names when they were read. */
	if (too_new(k->a, f->path, &st)) {
		collect_refuse(k, REASON_UNSTORED_INPUT_NEW, f->path);
		return;
	}
	in = collect_input(k, INPUT_DIRECTORY);
	if (in) {
		in->value = d;
		collect_spec(k, in, f->path, collect_relative(f));
	}
}

/* A source that PTX names and the tool only looked at: its time and size are names of the action. */
static int is_ptx_source(struct collect *k, const struct tree_file *f)
{
	int i = k->a->ptx ? ptx_source_of(k->a->ptx, f->path) : -1;

	if (i < 0 || f->flags & (TREE_READ | TREE_MADE | TREE_LISTED))
		return 0;
	k->a->ptx->asked |= 1ull << i;
	return 1;
}

/* An output below the cwd by an absolute name that argv does not hold was named after the cwd. */
static void bind_output(struct collect *k, const struct tree_file *f)
{
	struct buf spec = BUF_INIT(&k->a->arena);

	if ((f->flags & (TREE_MADE | TREE_GONE)) != TREE_MADE)
		return;
	for (int i = 1; i < k->a->cmd.count; i++)
		if (strstr(k->a->cmd.v[i].text, f->path))
			return;
	start_spec(k->a, f->path, collect_relative(f), &k->bound, &spec);
}

/* Unchanged, as check_primaries() has shown, however new it is: gcc opens a source again for each
 * diagnostic. */
static void add_bytes(struct collect *k, const struct tree_file *f, const struct primary *p)
{
	struct input *in = collect_input(k, INPUT_FILE);

	if (!in)
		return;
	in->value = p->content;
	collect_spec(k, in, f->path, collect_relative(f));
}

/* Seen to be there: of what the tree then made itself, only where who asked may have gone by the answer. */
static int was_input(const struct tree_file *f)
{
	return !(f->flags & (TREE_MADE | TREE_UNLINKED)) ||
	       (f->flags & (TREE_MINDED | TREE_GONE)) == TREE_MINDED;
}

/* That it exists goes without saying, but not which others are this one (judge/duplicates.c). */
static void add_here(struct collect *k, const struct tree_file *f)
{
	struct input *in = f->flags & TREE_PRESENT ? collect_input(k, INPUT_PRESENT) : NULL;

	if (!in)
		return;
	in->type = S_IFDIR;
	in->spec = "C.";
	in->spec_len = 2;
}

static void add_path(struct collect *k, const struct tree_file *f)
{
	int held = 0; /* that its path is real, by an input of the file */

	bind_output(k, f);
	if (is_ptx_source(k, f))
		return;
	if (strcmp(f->path, object_path()) == 0)
		return;
	/* The cwd itself: what it is called is INPUT_CWD's. */
	if (strcmp(f->path, k->a->cwd) == 0 && !(f->flags & (TREE_LISTED | TREE_LINK | TREE_REAL))) {
		add_here(k, f);
		return;
	}
	/* So is $PWD where it is asked whether it leads there: INPUT_PWD. */
	if (judge_asked_for_pwd(k, f))
		return;
	if (f->flags & TREE_READ) {
		/* What the action key holds by content need not be held again by path: unless it leaves out
		 * comments, and something (.incbin, #embed, an #include of itself) read the bytes as well. */
		const struct primary *p = primary_of(k->a, f->path);

		if (goes_by_times(k, f))
			collect_refuse(k, REASON_UNSTORED_TIME, f->path);
		if (p && swapped(f, &p->st))
			collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, f->path);
		else if (p && f->opens > 1 && p->strippable)
			add_bytes(k, f, p);
		else if (!p && strcmp(f->path, k->a->exe) != 0)
			held = add_file(k, f);
	} else if (f->flags & TREE_ABSENT && !(f->flags & TREE_MADE)) {
		collect_absent(k, f);
	} else if (f->flags & TREE_LISTED) {
		add_listing(k, f);
	} else if (f->flags & TREE_PRESENT && was_input(f) && !primary_of(k->a, f->path)) {
		add_present(k, f);
	}
	if ((f->flags & (TREE_FRESH | TREE_GONE)) == TREE_FRESH)
		collect_fresh(k, f);
	if (f->flags & TREE_TIMES && !(k->a->row->flags & TOOL_ENTERS_TIMES))
		add_seen_times(k, f);
	if (f->flags & TREE_LINK)
		add_link(k, f, INPUT_SYMLINK, f->text);
	if (f->flags & TREE_REAL)
		add_real(k, f, held);
}

static int by_spec(const void *first, const void *second)
{
	const struct input *x = first, *y = second;
	int d = memcmp(x->spec, y->spec, x->spec_len < y->spec_len ? x->spec_len : y->spec_len);

	if (d == 0)
		d = (x->spec_len > y->spec_len) - (x->spec_len < y->spec_len);
	if (d == 0)
		d = x->kind - y->kind;
	return d ? d : memcmp(&x->value, &y->value, sizeof x->value);
}

/* Processes below the tool run at once (gcc -pipe, the passes of -flto=N, an assembler beside the driver
 * that gcc 14 starts by posix_spawn): the order in which they met files is chance, and equal inputs must
 * make equal keys. */
static void sort_inputs(struct collect *k, size_t from)
{
	struct candidate *c = k->c;
	size_t n = c->count - from;
	struct input *v = sort_stable(&k->a->arena, c->v + from, n, sizeof *v, by_spec);

	if (!v && n)
		k->reason = REASON_UNSTORED_INPUTS_MANY;
	else if (v != c->v + from)
		memcpy(c->v + from, v, n * sizeof *v);
}

int judge_source_times(void *ctx, const char *path, long long *mtime, unsigned long long *size)
{
	struct statx st;

	(void)ctx;
	if (sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) < 0)
		return -1;
	*mtime = st.stx_mtime.tv_sec;
	*size = st.stx_size;
	return 0;
}

/* 1: a source that the tool asked for is not what it was before the run. */
static int sources_changed(struct start *a)
{
	/* Where any line table will do, their times are not looked at in the first place. */
	for (int i = 0; a->ptx && !a->ptx->sloppy && i < a->ptx->source_count; i++) {
		const struct ptx_source *s = &a->ptx->sources[i];
		unsigned long long size = 0;
		long long mtime = 0;

		if (!(a->ptx->asked >> i & 1))
			continue;
		if (judge_source_times(NULL, s->path, &mtime, &size) < 0)
			mtime = 0, size = 0;
		if (mtime != s->mtime || size != s->size) {
			start_detail(a, "%s", s->path);
			return 1;
		}
	}
	return 0;
}

enum reason judge_inputs(struct start *a, struct tree *t, struct candidate *c)
{
	struct collect k = {.a = a, .t = t, .c = c};
	size_t from;

	if (collect_absences_init(&k) < 0)
		return REASON_UNSTORED_INPUTS_MANY;
	if (t->native && !(a->cmd.flags & CMD_NATIVE)) {
		start_detail(a, "the processor's features");
		return REASON_UNSTORED_STEP;
	}
	k.times = times_matter(&k);
	check_primaries(&k);
	for (size_t i = 0; i < t->count && k.reason == REASON_NONE; i++)
		add_path(&k, &t->file[i]);
	if (k.reason == REASON_NONE && sources_changed(a))
		k.reason = REASON_UNSTORED_INPUT_CHANGED;
	if (k.reason == REASON_NONE)
		sort_inputs(&k, 0);
	if (k.reason == REASON_NONE)
		collect_duplicates(&k);
	from = c->count;
	if (k.reason == REASON_NONE)
		collect_absences(&k);
	/* Not by the directories' own names, which may be generated. */
	if (k.reason == REASON_NONE)
		sort_inputs(&k, from);
	if (k.reason == REASON_NONE)
		collect_primary_times(&k);
	if (k.reason == REASON_NONE)
		collect_environment(&k);
	if (k.reason == REASON_NONE)
		collect_searches(&k);
	if (k.reason == REASON_NONE)
		collect_cwd(&k);
	return k.reason;
}
