/* action/nest.c - the events that a step writes into the trace of its parent action. */
#include "action/nest.h"

#include <string.h>
#include <sys/stat.h>

#include "action/action.h"
#include "judge/input/search.h"
#include "judge/output/output.h"
#include "names/name_shape.h"
#include "names/names.h"
#include "shim/kernel/sys.h"
#include "shim/trace.h"
#include "tools/script/script.h"
#include "trace/files.h"

#include "shim/banned.h"

/* A name below a path that is not a directory. Asking for it fails as the step's question
 * failed. */
#define BELOW "/.reprise"
/* Temporary name beside an output that was renamed into place. */
#define BESIDE ".reprise-step"

struct nest_before {
	int existed;
	unsigned mode;
};

static void tell_path(enum trace_op op, unsigned flags, const char *path, unsigned arg)
{
	trace_path(op, flags, AT_FDCWD, path, arg);
}

/* Writes the identity of the present file, so that a later swap is found when the parent action is
 * judged. */
static void tell_read(enum trace_op op, unsigned flags, const char *path)
{
	tell_path(op, flags, path, trace_identity_at(AT_FDCWD, path));
}

static void tell_variable(const struct action *a, const char *name)
{
	const char *value = invocation_env(&a->start.call, name);

	trace_text(TRACE_GETENV, value ? 0 : TRACE_FLAG_UNSET, name, value ? value : "", 0);
}

/* Writes path and answer. A relative path becomes absolute by the cwd. */
static void tell_answer(struct action *a, enum trace_op op, const char *path, const char *answer)
{
	unsigned flags = op == TRACE_READLINK ? TRACE_FLAG_NOFOLLOW : TRACE_FLAG_NESTED;

	if (path[0] != '/') {
		path = arena_cat(&a->start.arena, a->start.call.cwd, "/", path, NULL);
		flags |= TRACE_FLAG_RELATIVE;
	}
	if (path)
		trace_text(op, flags, path, answer, 0);
}

/* Writes the events of a search along this start's PATH: the missing files, then the file that is
 * found. */
static void tell_search(struct action *a, const char *name)
{
	const char *path = invocation_env(&a->start.call, "PATH");
	const char *found = judge_search(&a->start.call, name, &a->start.arena);
	struct statx st;
	int rc;

	while (path && found) {
		size_t n = strcspn(path, ":");
		char *dir = arena_memdup(&a->start.arena, path, n);
		const char *file =
			dir ? arena_cat(&a->start.arena, dir, n ? "/" : "", name, NULL) : NULL;

		if (!file)
			return;
		/* The path exists but is not the program: a directory, or a file without execute
		 * permission. */
		rc = sys_statx(AT_FDCWD, file, 0, STATX_TYPE, &st);
		if (rc == 0)
			tell_path(TRACE_PRESENT, 0, file, st.stx_mode);
		else if (rc == -EACCES)
			tell_path(TRACE_FAILED, 0, file, EACCES);
		else
			tell_path(TRACE_ABSENT, 0, file, 0);
		if (strcmp(file, found) == 0)
			return;
		path = path[n] ? path + n + 1 : NULL;
	}
}

static void tell_absent(struct action *a, const struct input *in, const char *dir)
{
	for (size_t i = 0; i < in->name_count; i++) {
		const char *path = arena_cat(&a->start.arena, dir, "/", in->names[i], NULL);

		/* The step used this answer, even if the parent action makes the file later. */
		if (path)
			tell_path(TRACE_ABSENT, TRACE_FLAG_READING, path, 0);
	}
}

static void tell_nodir(struct action *a, const struct input *in, const char *path)
{
	const char *below = arena_cat(&a->start.arena, path,
	                              in->type > NODIR_OR_DENIED ? BELOW : "", NULL);

	if (below)
		tell_path(TRACE_ABSENT, in->type == NODIR_OR_DENIED ? 0 : TRACE_FLAG_READING, below,
		          0);
}

/* The step asked for the path itself, and found no link. */
static void tell_no_link(const char *path)
{
	struct statx st;

	if (sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st) == 0)
		tell_path(TRACE_PRESENT, TRACE_FLAG_NOFOLLOW, path, st.stx_mode);
	else
		tell_path(TRACE_ABSENT, TRACE_FLAG_NOFOLLOW | TRACE_FLAG_READING, path, 0);
}

static void tell_real(const char *path)
{
	trace_path2(TRACE_REALPATH, 0, AT_FDCWD, path, AT_FDCWD, path, 0);
}

static void tell_real_file(const char *path)
{
	tell_read(TRACE_READ, 0, path);
	tell_real(path);
}

static void tell_real_path(struct action *a, const char *path)
{
	const char *real;

	if (probe_realpath(&a->start.prober, path, &real) == 0)
		tell_answer(a, TRACE_REALPATH, path, real);
}

static void tell_script(const struct input *in)
{
	trace_text(TRACE_SCRIPT, 0, in->spec, "", SCRIPT_ARG(SCRIPT_OTHER, SCRIPT_STEP));
}

/* No event makes the same an input of the parent action. */
static void tell_refusal(void)
{
	trace_text(TRACE_REFUSE, 0, "an input that no event can express", "", 0);
}

static void tell_input(struct action *a, const struct input *in)
{
	const char *path = NULL;

	if (input_is_path(in->kind)) {
		path = names_resolve(&a->start.names, in->spec, in->spec_len, &a->start.arena);
		if (!path) {
			trace_text(TRACE_REFUSE, 0, "a path that no event can express", "", 0);
			return;
		}
	}
	switch (in->kind) {
#define INPUT(kind, number, spec, fields, reads, holds, tell, ...) \
	case number: \
		tell; \
		break;
#include "judge/inputs.def"
#undef INPUT
	default:
		tell_refusal();
	}
}

/* The sources of a text: the step may have entered their times into its output. */
static void tell_sources(const struct input_text *x)
{
	struct statx st;

	for (int i = 0; i < x->source_count; i++)
		if (sys_statx(AT_FDCWD, x->sources[i].path, 0, STATX_TYPE, &st) == 0)
			tell_path(TRACE_STAT, TRACE_FLAG_TIMES, x->sources[i].path, st.stx_mode);
		else
			tell_path(TRACE_ABSENT, TRACE_FLAG_READING, x->sources[i].path, 0);
}

/* No event of a traced run records the processor or the memory. */
static void tell_host(const struct action *a)
{
	if (a->start.cmd.flags & (CMD_NATIVE | CMD_SHOWS_MEMORY))
		trace_text(TRACE_HOST, 0, "", "",
		           a->start.cmd.flags & (CMD_NATIVE | CMD_SHOWS_MEMORY));
}

/* The parent action's result rests on them as well. */
static void tell_proofs(unsigned proofs)
{
	if (proofs)
		trace_text(TRACE_PROOFS, 0, "", "", proofs);
}

/* Writes the parts of the step's key that the parent action's key may lack. */
static void tell_key(struct action *a)
{
	for (size_t i = 0; i < a->start.primaries.count; i++)
		tell_read(TRACE_READ, 0, a->start.primaries.v[i].path);
	for (const char *name = a->start.row->env; *name; name += strlen(name) + 1)
		tell_variable(a, name);
	if (!(a->start.row->flags & TOOL_SELF_CONTAINED))
		tell_variable(a, "LD_LIBRARY_PATH");
	tell_host(a);
	if (a->start.source.kind == STDIN_FILE || a->start.source.kind == STDIN_PIPE)
		trace_text(TRACE_REFUSE, 0, "standard input", "", 0);
	if (a->start.text)
		tell_sources(a->start.text);
}

static void tell_output(struct action *a, const struct result_output *o, const char *path,
                        const struct nest_before *b)
{
	unsigned asked = o->mode_kind == MODE_MADE ? o->mode & 07777 : 0666;
	unsigned arg = S_IFREG | asked | (b->existed ? b->mode << 16 : 0);
	const char *beside;

	switch (o->style) {
	case WRITE_RENAME:
		beside = arena_cat(&a->start.arena, path, BESIDE, NULL);
		tell_path(TRACE_WRITE, TRACE_FLAG_NESTED, beside, S_IFREG | asked);
		trace_path2(TRACE_RENAME, 0, AT_FDCWD, beside, AT_FDCWD, path, 0);
		break;
	case WRITE_UNLINK:
		if (b->existed)
			tell_path(TRACE_UNLINK, 0, path, 0);
		tell_path(TRACE_WRITE, TRACE_FLAG_NESTED | TRACE_FLAG_UNLINKS, path,
		          S_IFREG | asked);
		break;
	case WRITE_REPLACE:
		if (b->existed)
			tell_path(TRACE_UNLINK, 0, path, 0);
		else
			tell_path(TRACE_ABSENT, TRACE_FLAG_READING, path, 0);
		tell_path(TRACE_WRITE, TRACE_FLAG_NESTED, path, S_IFREG | asked);
		break;
	default:
		tell_path(TRACE_WRITE, TRACE_FLAG_NESTED | (b->existed ? TRACE_FLAG_EXISTED : 0),
		          path, arg);
	}
	if (o->mode_kind != MODE_PLAIN && o->mode_kind != MODE_MADE)
		tell_path(TRACE_CHMOD, 0, path, o->mode);
	/* The step may have read it back, so the parent action is bound to its name as well. */
	if (candidate_binding(a->start.verdict.held, NAME_KIND_FILE,
	                      names_output_file(o->spec, o->spec_len)) == NAME_BOUND)
		tell_path(TRACE_READ, 0, path, 0);
}

static void tell_inputs(struct action *a)
{
	tell_key(a);
	for (size_t i = 0; i < a->start.verdict.held->count; i++)
		tell_input(a, &a->start.verdict.held->v[i]);
}

static const char *output_path(struct action *a, const struct result_output *o)
{
	return names_resolve(&a->start.names, o->spec, o->spec_len, &a->start.arena);
}

void nest_begin(struct action *a)
{
	a->start.call.nested = 1;
	trace_pause();
}

void nest_bypassed(struct action *a)
{
	if (!a->start.call.nested)
		return;
	trace_resume();
	tell_host(a);
	if (!a->start.cmd.count)
		trace_text(TRACE_REFUSE, 0, "a step whose command line was not read", "", 0);
}

/* Steps of the host's pass. They are looked up again only when the parent action misses for another
 * reason than its source. Storing them took half the cost of an nvcc miss and most of its space in
 * the store. */
static int is_for_others(const struct action *a)
{
	const char *source;

	if (!(a->start.cmd.flags & CMD_PREPROCESS))
		return a->start.row->flags & TOOL_ON_REPEAT;
	source = a->start.primaries.count ? path_base(a->start.primaries.v[0].path) : "";
	/* nvcc asks for the compiler's version with a short source that is always the same. */
	return *source && !name_xft_len(source, strlen(source));
}

int nest_first(struct action *a)
{
	const char *source;
	struct digest place;
	struct key k;

	if (!a->start.call.nested || !is_for_others(a) || !start_is_new(&a->start))
		return 0;
	source = a->start.primaries.count ? a->start.primaries.v[0].path : "";
	/* Each directory counts as new. A traced step reports more inputs to the parent action than
	 * a replayed step. Only runs with equal reports can prove that the parent action is
	 * independent of their names. */
	key_init(&k, NULL);
	key_add_digest(&k, KEY_CANDIDATE, "action", &a->start.k1);
	key_add_str(&k, KEY_CANDIDATE, "cwd", a->start.call.cwd);
	key_add(&k, KEY_CANDIDATE, "directory", source, path_dir_len(source));
	key_final(&k, &place);
	return !memo_seen_before(&a->start.memo, &place);
}

void nest_before_replay(struct action *a, const struct result *r)
{
	struct nest_before *b;

	if (!a->start.call.nested)
		return;
	b = arena_alloc(&a->start.arena, (r->out_count + 1) * sizeof *b);
	for (size_t i = 0; b && i < r->out_count; i++) {
		const char *path = output_path(a, &r->out[i]);
		struct statx st;

		b[i].existed = path && sys_statx(AT_FDCWD, path, 0, STATX_MODE, &st) == 0;
		b[i].mode = b[i].existed ? st.stx_mode : 0;
	}
	a->before = b;
}

/* A refused allocation may have lost an event. */
static void finish(struct action *a)
{
	if (a->start.arena.refused)
		trace_text(TRACE_REFUSE, 0, "the system refused memory", "", 0);
	trace_bye();
}

void nest_replayed(struct action *a, const struct result *r)
{
	if (!a->start.call.nested)
		return;
	trace_resume();
	if (!a->start.verdict.held || !a->before) {
		trace_text(TRACE_REFUSE, 0, "the system refused memory", "", 0);
		return;
	}
	tell_inputs(a);
	tell_proofs(a->start.proofs.rests);
	for (size_t i = 0; i < r->out_count; i++) {
		const char *path = output_path(a, &r->out[i]);

		if (path)
			tell_output(a, &r->out[i], path, &a->before[i]);
	}
	finish(a);
}

void nest_recorded(struct action *a, enum reason reason, const struct result *r, struct tree *t)
{
	if (!a->start.call.nested)
		return;
	trace_resume();
	if (!a->start.verdict.held) {
		trace_text(TRACE_REFUSE, 0, reason_rows[reason].text, "", 0);
		trace_bye();
		return;
	}
	tell_inputs(a);
	tell_proofs(a->start.proofs.always);
	for (size_t i = 0; i < r->out_count; i++) {
		const char *path = output_path(a, &r->out[i]);
		const struct tree_file *f = path ? judge_tree_file(&a->start, t, path) : NULL;
		struct nest_before b = {0};

		if (!f) {
			trace_text(TRACE_REFUSE, 0, "an output that no event can express", "", 0);
			continue;
		}
		b.existed = (f->flags & (TREE_EXISTED | TREE_UNLINKED)) != 0;
		b.mode = f->made_mode >> 16;
		tell_output(a, &r->out[i], path, &b);
	}
	finish(a);
}
