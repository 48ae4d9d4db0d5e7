/* judge/inputs.c - turns the files that the tree read, probed and asked for into inputs of a
 * candidate. */
#include "judge/inputs.h"

#include <string.h>

#include "judge/input/collect.h"
#include "judge/input/input.h"
#include "judge/input/search.h"
#include "judge/output/mode.h"
#include "judge/script/scripts.h"
#include "judge/start.h"
#include "judge/text/text.h"
#include "keying/probe_dir.h"
#include "names/name_shape.h"
#include "shim/buf.h"
#include "shim/kernel/sys.h"
#include "shim/loader/object.h"
#include "shim/sort.h"
#include "tools/cmdline/cmdline.h"
#include "tools/cmdline/response.h"
#include "trace/files.h"

#include "shim/banned.h"

/* Files may add arguments to a compiler's command line (tools/cmdline/response.h). They are inputs
 * like any other file, but the key was made of the command line without these arguments. */

/* A larger file is refused unread. */
#define FILE_MOST (1u << 20)

/* Marks the result bound to the cwd if f is a file of arguments. Refuses if f adds arguments. */
static void collect_added_arguments(struct collect *k, const struct tree_file *f)
{
	int config = specs_is_config(f->path) &&
	             (k->start->cmd.flags & CMD_CONFIG || start_nests(k->start));
	char *text;
	size_t n;

	if (!config && !specs_is(f->path))
		return;
	k->bound = 1;
	text = arena_file(&k->start->arena, f->path, FILE_MOST, &n, NULL);
	if (!text || (config ? specs_config_adds(text, n) : specs_adds(text, n)))
		collect_refuse(k, REASON_UNSTORED_OUTPUT, f->path);
}

/* 1: an intermediate file between two nvcc steps. The next step starts when the file is complete,
 * and no other process changes it. The next step often starts within the clock tick of the last
 * write. */
static int handed_on(const struct invocation *call, const char *path)
{
	const char *base = path_base(path);

	return call->nested && name_xft_len(base, strlen(base)) > 0;
}

/* The reason why a file that the tree has read cannot be an input, or REASON_NONE. */
static enum reason unfit(struct collect *k, const struct tree_file *f, const struct statx *st)
{
	if (changed_identity(f, st))
		return REASON_UNSTORED_INPUT_CHANGED;
	if (changed_since_read(k->start, f, st) && !handed_on(&k->start->call, f->path))
		return REASON_UNSTORED_INPUT_NEW;
	/* A refused start shows only in the program's mode, which no input holds. */
	if (f->flags & TREE_RUN && sys_access(f->path, X_OK) < 0)
		return REASON_UNSTORED_DENIED;
	return REASON_NONE;
}

/* real_free: its real path does not matter. 1: the input also says that the path is real. */
static int add_file(struct collect *k, const struct tree_file *f, int real_free)
{
	unsigned kind = f->flags & TREE_RUN                      ? INPUT_PROGRAM
	                : !real_free && real_path_is_itself(f) ? INPUT_REAL_FILE
	                                                       : INPUT_FILE;
	struct digest d;
	struct statx st;
	struct input *in;
	enum reason reason;
	int rc = probe_file(&k->start->prober, f->path, &d, &st);

	if (rc == -EISDIR) { /* opened, not listed */
		in = collect_input(k, INPUT_PRESENT);
		if (in) {
			in->type = S_IFDIR;
			collect_spec(k, in, f->path, collect_relative(f));
		}
		return 0;
	}
	if (rc < 0) {
		collect_refuse(k, rc == -ENOENT ? REASON_UNSTORED_INPUT_CHANGED
		                                : REASON_UNSTORED_DEVICE, f->path);
		return 0;
	}
	reason = unfit(k, f, &st);
	if (reason != REASON_NONE) {
		collect_refuse(k, reason, f->path);
		return 0;
	}
	collect_added_arguments(k, f);
	in = collect_input(k, kind);
	if (in) {
		in->value = d;
		collect_spec(k, in, f->path, collect_relative(f));
	}
	if (in && k->times && f->path != k->untimed)
		collect_times(k, f->path, collect_relative(f), &st);
	return kind == INPUT_REAL_FILE;
}

/* What lstat and its like answered of the path itself: a link's target, or that it is no link. */
static void add_link_state(struct collect *k, const struct tree_file *f)
{
	struct prober *p = &k->start->prober;
	struct input *in = NULL;
	const char *target;

	if (f->flags & TREE_NOT_LINK) {
		if (!(f->flags & TREE_MADE) && probe_no_link(p, f->path) != 0)
			collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, f->path);
		else
			in = collect_input(k, INPUT_NO_LINK);
	} else if (tree_is(f, TREE_NOFOLLOW, TREE_LINK) &&
	           probe_symlink(p, f->path, &target) == 0) {
		in = collect_input(k, INPUT_SYMLINK);
		if (in)
			collect_text(k, in, target);
	}
	if (in)
		collect_spec(k, in, f->path, collect_relative(f));
}

/* A path that stat or access saw and no process read. The input is its type.
 * held: another input says that it is there. */
static void add_present(struct collect *k, const struct tree_file *f, int held)
{
	unsigned type = 0;
	struct input *in;
	struct statx st;
	int rc = probe_present(&k->start->prober, f->path, &type);

	if (f->flags & TREE_DENIED && rc == -EACCES && collect_denied(k, f))
		return;
	/* Another start may get access without a change of type or content. A directory without
	 * write permission does not matter, and the search along PATH is an input of its own. */
	if (f->flags & TREE_DENIED &&
	    (rc == -EACCES ||
	     (rc == 0 && type == S_IFREG &&
	      !judge_on_path(&k->start->call, f->path, &k->start->arena)))) {
		collect_refuse(k, REASON_UNSTORED_DENIED, f->path);
		return;
	}
	/* A dangling link, which the input above holds, or a race, which the file's absence
	 * shows. */
	if (rc < 0)
		return;
	if (!(f->flags & TREE_NOFOLLOW) && f->mode && (f->mode & S_IFMT) != type) {
		collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, f->path);
		return;
	}
	in = held ? NULL : collect_input(k, INPUT_PRESENT);
	if (in) {
		in->type = type;
		collect_spec(k, in, f->path, collect_relative(f));
	}
	/* Sources that a text names. If the text could not be read for its names, they are no names
	 * of the action. */
	if ((!in && !held) || type != S_IFREG || probe_stat(&k->start->prober, f->path, &st) < 0 ||
	    !(k->times || (k->start->row->flags & TOOL_ENTERS_TIMES && f->flags & TREE_STAT)))
		return;
	if (changed_too_new(k->start, f->path, &st))
		collect_refuse(k, REASON_UNSTORED_INPUT_NEW, f->path);
	else
		collect_times(k, f->path, collect_relative(f), &st);
}

/* A program below the tool entered the times, such as ptxas below nvcc. changed_primaries() has
 * checked the tool's own sources. */
static void add_seen_times(struct collect *k, const struct tree_file *f)
{
	struct input_text *x = k->start->text;
	int i = x ? input_text_source_of(x, f->path) : -1;
	struct statx st;

	/* Names of the action, as of is_text_source(). */
	if (i >= 0) {
		x->asked |= 1ull << i;
		return;
	}
	/* Its entry could be taken for that of the source. */
	if (x && strcmp(path_base(f->path), path_base(x->sources[0].path)) == 0)
		k->start->verdict.names_exact = 1;
	if (probe_stat(&k->start->prober, f->path, &st) < 0)
		collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, f->path);
	else if (!primaries_at(&k->start->primaries, f->path) &&
	         changed_too_new(k->start, f->path, &st))
		collect_refuse(k, REASON_UNSTORED_INPUT_NEW, f->path);
	else
		collect_times(k, f->path, collect_relative(f), &st);
}

static int in_temp_root(const struct names *names, const char *path)
{
	for (const char *const *r = names->temp_roots; r && *r; r++)
		if (strcmp(path, *r) == 0)
			return 1;
	return 0;
}

/* 1: the tree left a file in the directory. Its listing before the run is then unknown. */
static int made_inside(const struct tree *t, const char *dir)
{
	size_t n = strlen(dir);

	for (size_t i = 0; i < t->count; i++) {
		const struct tree_file *f = &t->file[i];

		if (f->flags & TREE_MADE && !(f->flags & TREE_EXISTED) &&
		    path_dir_len(f->path) == n &&
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

	if (collect_prefixed(k, f) || in_temp_root(&k->start->names, f->path))
		return;
	if (made_inside(k->t, f->path)) {
		collect_refuse(k, REASON_UNSTORED_OUTPUT, f->path);
		return;
	}
	if (probe_stat(&k->start->prober, f->path, &st) < 0 || changed_identity(f, &st) ||
	    probe_listing(&k->start->prober, f->path, NULL, NULL, &d) < 0) {
		collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, f->path);
		return;
	}
	/* The directory may have had other entries when the tool read it. */
	if (changed_too_new(k->start, f->path, &st)) {
		collect_refuse(k, REASON_UNSTORED_INPUT_NEW, f->path);
		return;
	}
	in = collect_input(k, INPUT_DIRECTORY);
	if (in) {
		in->value = d;
		collect_spec(k, in, f->path, collect_relative(f));
	}
}

/* 1: a source that the input text names and the tool did not read. Its time and size are names of
 * the action. */
static int is_text_source(struct collect *k, const struct tree_file *f)
{
	int i = k->start->text ? input_text_source_of(k->start->text, f->path) : -1;

	if (i < 0 || f->flags & (TREE_READ | TREE_MADE | TREE_LISTED))
		return 0;
	k->start->text->asked |= 1ull << i;
	return 1;
}

/* An output below the cwd has an absolute path that argv does not hold: the tool made its name from
 * the cwd. */
static void bind_output(struct collect *k, const struct tree_file *f)
{
	if (!tree_is(f, TREE_MADE, TREE_GONE) || cmdline_holds(&k->start->cmd, f->path))
		return;
	collect_spec_of(k, f->path, collect_relative(f), &k->bound);
}

/* changed_primaries() has shown that the file is unchanged, even if it is new. gcc opens a source
 * again for each diagnostic. */
static void add_bytes(struct collect *k, const struct tree_file *f, const struct primary *p)
{
	struct input *in = collect_input(k, INPUT_FILE);

	if (!in)
		return;
	in->value = p->content;
	collect_spec(k, in, f->path, collect_relative(f));
}

/* The path existed. If the tree then made it, the path is an input only if the process that asked
 * may use the answer. */
static int was_input(const struct tree_file *f)
{
	return !(f->flags & (TREE_MADE | TREE_UNLINKED)) ||
	       tree_is(f, TREE_MINDED, TREE_GONE);
}

/* The cwd always exists. But the relation to other directories that may be the same is an input
 * (judge/input/duplicates.c). */
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
	int held = 0; /* an input of the file says that its path is real */
	int present;  /* one says that it is there */
	int real_free = real_path_is_free(k, f);

	bind_output(k, f);
	if (is_text_source(k, f))
		return;
	if (strcmp(f->path, object_path()) == 0)
		return;
	if (was_input(f))
		add_link_state(k, f);
	present = f->permissions && was_input(f) && collect_permissions(k, f);
	/* The cwd itself: INPUT_CWD holds its name. */
	if (strcmp(f->path, k->start->call.cwd) == 0 &&
	    !(f->flags & (TREE_LISTED | TREE_LINK | TREE_REAL))) {
		add_here(k, f);
		return;
	}
	/* A question whether $PWD leads to the cwd is part of INPUT_PWD. */
	if (judge_asked_for_pwd(k, f))
		return;
	if (f->flags & TREE_READ) {
		/* The action key holds the content of a primary input, so its path is no input.
		 * There are two exceptions. A program may be run only while its mode allows that.
		 * And .incbin, #embed or an #include of the source itself may also have read the
		 * comments that the key leaves out. */
		const struct primary *p = primaries_at(&k->start->primaries, f->path);

		if (times_compared(k, f))
			collect_refuse(k, REASON_UNSTORED_TIME, f->path);
		if (p && changed_identity(f, &p->st))
			collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, f->path);
		else if (p && f->opens > 1 && p->strippable && !p->formed)
			add_bytes(k, f, p);
		else if ((!p || f->flags & TREE_RUN) && strcmp(f->path, k->start->call.exe) != 0)
			held = add_file(k, f, real_free);
	} else if (f->flags & TREE_ABSENT && !(f->flags & TREE_MADE)) {
		collect_absent(k, f);
	} else if (f->flags & TREE_LISTED) {
		add_listing(k, f);
	} else if (f->flags & TREE_PRESENT && was_input(f) &&
	           (f->flags & TREE_DENIED || !primaries_at(&k->start->primaries, f->path))) {
		add_present(k, f, present);
	}
	if (tree_is(f, TREE_FRESH, TREE_GONE) || collect_came_and_went(k, f))
		collect_fresh(k, f);
	if (f->flags & TREE_TIMES && !(k->start->row->flags & TOOL_ENTERS_TIMES))
		add_seen_times(k, f);
	if (f->flags & TREE_LINK)
		collect_answer(k, f, INPUT_SYMLINK, f->text);
	if (f->flags & TREE_REAL && !real_free)
		collect_real_path(k, f, held);
}

static int by_spec(const void *first, const void *second)
{
	const struct input *x = first, *y = second;
	size_t n = x->spec_len < y->spec_len ? x->spec_len : y->spec_len;
	int d = n ? memcmp(x->spec, y->spec, n) : 0;

	if (d == 0)
		d = (x->spec_len > y->spec_len) - (x->spec_len < y->spec_len);
	if (d == 0)
		d = x->kind - y->kind;
	return d ? d : memcmp(&x->value, &y->value, sizeof x->value);
}

/* Processes below the tool run in parallel: gcc -pipe, the passes of -flto=N, an assembler that the
 * driver of gcc 14 starts by posix_spawn. So the order in which they met files is chance, and equal
 * inputs must make equal keys. */
static void sort_inputs(struct collect *k, size_t from)
{
	struct candidate *c = k->c;
	size_t n = c->count - from;
	struct input *v;

	if (!n || k->reason != REASON_NONE)
		return;
	v = sort_stable(&k->start->arena, c->v + from, n, sizeof *v, by_spec);
	if (!v)
		k->reason = REASON_UNSTORED_INPUTS_MANY;
	else if (v != c->v + from)
		memcpy(c->v + from, v, n * sizeof *v);
}

static void add_paths(struct collect *k)
{
	for (size_t i = 0; i < k->t->count && k->reason == REASON_NONE; i++)
		add_path(k, &k->t->file[i]);
	if (k->reason == REASON_NONE && changed_sources(k->start))
		k->reason = REASON_UNSTORED_INPUT_CHANGED;
	sort_inputs(k, 0);
}

/* The order must not depend on the directories' own names, which may be generated. */
static void add_absences(struct collect *k)
{
	size_t from = k->c->count;

	collect_absences(k);
	sort_inputs(k, from);
}

/* The steps, in their order. Behind one that refuses the result none is done. */
#define STEPS(X) \
	X(collect_scripts(&k)) X(add_paths(&k)) X(collect_duplicates(&k)) X(add_absences(&k)) \
	X(collect_primary_times(&k)) X(collect_environment(&k)) X(collect_searches(&k)) \
	X(collect_cwd(&k))

enum reason judge_inputs(struct start *s, struct tree *t, struct candidate *c)
{
	struct collect k = {.start = s, .t = t, .c = c, .pwd = invocation_env(&s->call, "PWD")};

	if (collect_absences_init(&k) < 0)
		return REASON_UNSTORED_INPUTS_MANY;
	if (t->host & ~s->cmd.flags) {
		start_detail(s, t->host & ~s->cmd.flags & CMD_NATIVE
		                        ? "a step depends on the processor's features"
		                        : "a step depends on the host's memory");
		return REASON_UNSTORED_STEP;
	}
	s->proofs.always |= t->proofs;
	texts_assembled(s, t);
	plain_names_files(s, t);
	k.times = times_matter(&k);
	k.untimed = k.times ? times_untimed(&k) : NULL;
	collect_compared_times(&k);
	changed_primaries(&k);
#define DO(step) \
	if (k.reason == REASON_NONE) \
		step;
	STEPS(DO)
	return k.reason;
}
