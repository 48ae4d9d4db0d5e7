/* judge/lookup.c - the first candidate whose names and inputs all hold names the result. */
#include "judge/lookup.h"

#include <string.h>

#include "judge/comment_free.h"
#include "judge/confine.h"
#include "judge/duplicates.h"
#include "judge/environment.h"
#include "judge/permissions.h"
#include "judge/prefixed.h"
#include "judge/pwd.h"
#include "judge/search.h"
#include "judge/start.h"
#include "judge/stream_files.h"
#include "judge/variables.h"
#include "judge/duplicates.h"
#include "judge/stream_state.h"
#include "keying/memo_file.h"
#include "keying/probe_dir.h"
#include "shim/buf.h"
#include "shim/log.h"
#include "shim/sys.h"
#include "shim/trace.h"
#include "store/counters.h"
#include "tools/gcc_order.h"
#include "keying/name_shape.h"

#include "shim/banned.h"

/* About every second input needs a look into the memo. */
#define MANY_INPUTS 128

static const struct patch_name *own_name(const struct start *s, unsigned kind, unsigned index)
{
	for (size_t i = 0; i < s->all_count; i++)
		if (s->all_names[i].kind == kind && s->all_names[i].index == index)
			return &s->all_names[i];
	return NULL;
}

/* 1: a name of a file that the command names may stand in the place of the recorded one. */
static int file_holds_name(struct start *s, const struct bound_name *was)
{
	const struct name *is;

	if (was->index >= s->names.files)
		return 0;
	is = &s->names.file[was->index];
	if (was->binding == NAME_FREE ||
	    (is->len == was->len && memcmp(is->text, was->text, is->len) == 0))
		return 1;
	start_detail(s, "file %s was %s when recorded", is->text, was->text);
	return 0;
}

/* 1: the bindings of candidate c allow its result for this start's names. */
static int names_hold(struct start *s, const struct candidate *c)
{
	struct ptx *from = NULL;
	int same = 1;

	if (c->name_count != s->all_count + (size_t)s->names.files)
		return 0;
	for (size_t i = 0; i < c->name_count; i++) {
		const struct bound_name *was = &c->name[i];
		const struct patch_name *is;

		if (was->kind == 'F') {
			if (!file_holds_name(s, was))
				return 0;
			continue;
		}
		is = own_name(s, was->kind, was->index);
		if (!is)
			return 0;
		if (is->len == was->len &&
		    (is->kind == 'X' || memcmp(is->text, was->text, is->len) == 0))
			continue;
		same = 0;
		/* Short names are not searched for in the streams, and so cannot be exchanged. */
		if (was->binding == NAME_BOUND || (is->kind == 'B' && !name_is_plain(is->text)) ||
		    (was->binding == NAME_LENGTH && is->len != was->len) ||
		    is->len < NAME_VOLATILE_MIN || was->len < NAME_VOLATILE_MIN) {
			start_detail(s, is->kind == 'H' ? "the hash of a source's path, %s, "
			                                  "was %s when recorded"
			                                : "name %s was %s when recorded",
			             is->text, was->text);
			return 0;
		}
	}
	if (same || !s->ptx)
		return 1;
	/* The names inside the PTX: they are exchanged only if a patch is unambiguous. */
	from = arena_alloc(&s->arena, sizeof *from);
	if (!from)
		return 0;
	for (size_t i = 0; i < c->name_count && from->count < PTX_NAMES_MAX; i++)
		if (c->name[i].kind == 'P')
			from->names[from->count++] = (struct patch_name){
				'P', c->name[i].index, c->name[i].text, c->name[i].len};
	from->canonical = s->ptx->canonical;
	if (ptx_patchable(from, s->ptx))
		return 1;
	start_detail(s, "source names in the PTX differ and cannot be exchanged safely");
	return 0;
}

static int text_is(const struct digest *want, const char *text)
{
	struct digest d;

	digest_of(&d, text, strlen(text));
	return digest_equal(&d, want);
}

static int env_holds(struct start *s, const struct input *in)
{
	const char *now = start_env(s, in->spec);
	struct buf spec = BUF_INIT(&s->arena);
	struct digest d;

	if (in->type == 0 || !now) {
		if (in->type == 0 && !now)
			return 1;
		start_detail(s, "variable %s was %s, is %s", in->spec,
		             in->type ? in->text : "unset",
		             now ? now : "unset");
		return 0;
	}
	names_env(&s->names, now, tool_env_quotes(in->spec), &spec);
	digest_of(&d, spec.data, spec.len);
	if (digest_equal(&d, &in->value))
		return 1;
	start_detail(s, "variable %s was %s, is %s", in->spec, in->text, now);
	return 0;
}

static int environment_holds(struct start *s, const struct input *in)
{
	struct digest d;

	if (environment_digest(s, &d) == 0 && digest_equal(&d, &in->value))
		return 1;
	start_detail(s, "some variable changed, and a plug-in may take all of them");
	return 0;
}

static int cwd_holds(struct start *s, const struct input *in)
{
	struct buf spec = BUF_INIT(&s->arena);
	struct digest d;

	names_path(&s->names, s->cwd, &spec);
	digest_of(&d, spec.data, spec.len);
	if (digest_equal(&d, &in->value))
		return 1;
	start_detail(s, "recorded in the directory %s",
	             names_print(in->text, in->text_len, &s->arena));
	return 0;
}

static int order_holds(struct start *s, const struct input *in)
{
	const char *name = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);

	if (name && (unsigned)gcc_order(name, s->cwd) == in->type)
		return 1;
	start_detail(s, "debug information holds the source's name and directory in another order");
	return 0;
}

static int pwd_holds(struct start *s, const struct input *in)
{
	if (text_is(&in->value, judge_pwd(s)))
		return 1;
	start_detail(s, "variable PWD spells the working directory otherwise");
	return 0;
}

static int search_holds(struct start *s, const struct input *in)
{
	const char *found = judge_search(s, in->spec);

	if (found && text_is(&in->value, found))
		return 1;
	start_detail(s, "PATH finds %s as %s, was %s", in->spec,
	             found && *found ? found : "nothing",
	             *in->text ? in->text : "nothing");
	return 0;
}

static int duplicates_hold(struct start *s, const struct input *in)
{
	struct digest d;

	if (judge_duplicates(s, in, &d) == 0 && digest_equal(&d, &in->value))
		return 1;
	start_detail(s, "%s and files equal to it: times or links among them changed",
	             names_print(in->names[0], strlen(in->names[0]), &s->arena));
	return 0;
}

static int stat_holds(struct start *s, const struct input *in, const char *path)
{
	struct statx st;

	if (probe_stat(&s->prober, path, &st) == 0 && st.stx_size == in->size &&
	    st.stx_mtime.tv_sec * 1000000000ll + st.stx_mtime.tv_nsec == in->mtime_ns)
		return 1;
	start_detail(s, "size or time of %s changed", path);
	return 0;
}

static int present_holds(struct start *s, const struct input *in, const char *path)
{
	unsigned type = 0;

	if (probe_present(&s->prober, path, &type) != 0 || type != (in->type & S_IFMT)) {
		start_detail(s, "path %s is gone or of another type", path);
		return 0;
	}
	if (permissions_of(path, in->type) == (in->type & ~TRACE_LOWER_HALF))
		return 1;
	start_detail(s, "path %s has other permissions", path);
	return 0;
}

static int nodir_holds(struct start *s, const struct input *in, const char *path)
{
	unsigned type = 0;
	int rc = probe_present(&s->prober, path, &type);

	if (in->type == NODIR_OR_DENIED && (rc == -EACCES || rc == -ENOTDIR))
		return 1;
	if (in->type > NODIR_OR_DENIED ? rc == 0 && type == in->type : rc == -ENOENT)
		return 1;
	start_detail(s, "absent directory %s appeared", path);
	return 0;
}

static int folded_holds(struct start *s, const char *path)
{
	const char *real;
	char *fold = arena_cat(&s->arena, path[0] == '/' ? "" : s->cwd, path[0] == '/' ? "" : "/",
	                       path, NULL);

	if (fold)
		path_fold(fold);
	if (fold && probe_realpath(&s->prober, path, &real) == 0 && strcmp(fold, real) == 0 &&
	    (path[0] == '/' || strlen(real) > strlen(path)))
		return 1;
	start_detail(s, "path %s leads through a symbolic link, or is longer than its real path",
	             path);
	return 0;
}

static int content_holds(struct start *s, const struct input *in, const char *path)
{
	struct digest d;
	int rc;

	if (in->kind == INPUT_PROGRAM && sys_access(path, X_OK) < 0) {
		start_detail(s, "program %s is gone or may not be executed", path);
		return 0;
	}
	rc = probe_file(&s->prober, path, &d, NULL);
	if (rc == 0 && (digest_equal(&d, &in->value) ||
	                (in->form && comment_free_holds(s, in, path, &d))))
		return 1;
	start_detail(s, rc == 0 ? "file %s changed" : "file %s is gone", path);
	return 0;
}

/* 1: an input in the file system holds. */
static int file_holds(struct start *s, const struct input *in, const char *path)
{
	const char *text = NULL;
	struct digest d;
	size_t which = 0;

	switch (in->kind) {
	case INPUT_REAL:
	case INPUT_REAL_FILE:
	case INPUT_REAL_TEXT: /* before the file is asked for: one call serves both */
		if (probe_real(&s->prober, path) < 0) {
			start_detail(s, "path %s is gone or has a symbolic link now", path);
			return 0;
		}
		if (in->kind == INPUT_REAL)
			return 1;
		/* fall through */
	case INPUT_FILE:
	case INPUT_TEXT:
	case INPUT_PROGRAM:
		return content_holds(s, in, path);
	case INPUT_ABSENT:
		if (probe_absent(&s->prober, path, in->names, in->name_count, &in->value, &which))
			return 1;
		start_detail(s, "absent path %s/%s appeared", path, in->names[which]);
		return 0;
	case INPUT_NODIR:
		return nodir_holds(s, in, path);
	case INPUT_PRESENT:
		return present_holds(s, in, path);
	case INPUT_STAT:
		return stat_holds(s, in, path);
	case INPUT_SYMLINK:
		if (probe_symlink(&s->prober, path, &text) == 0 && text_is(&in->value, text))
			return 1;
		start_detail(s, "symbolic link %s leads elsewhere", path);
		return 0;
	case INPUT_REALPATH:
		if (probe_realpath(&s->prober, path, &text) == 0 && text_is(&in->value, text))
			return 1;
		start_detail(s, "path %s resolves otherwise", path);
		return 0;
	case INPUT_FOLDED:
		return folded_holds(s, path);
	case INPUT_DIRECTORY:
		if (probe_listing(&s->prober, path, NULL, NULL, &d) == 0 &&
		    digest_equal(&d, &in->value))
			return 1;
		start_detail(s, "names in directory %s changed", path);
		return 0;
	case INPUT_PREFIXED:
		return prefixed_holds(s, in, path);
	default: /* written by a later version */
		start_detail(s, "input of an unknown kind");
		return 0;
	}
}

static int input_holds(struct start *s, const struct input *in)
{
	const char *path;

	switch (in->kind) {
	case INPUT_ENV:
		return env_holds(s, in);
	case INPUT_ENVIRONMENT:
		return environment_holds(s, in);
	case INPUT_CWD:
		return cwd_holds(s, in);
	case INPUT_PWD:
		return pwd_holds(s, in);
	case INPUT_ORDER:
		return order_holds(s, in);
	case INPUT_SEARCH:
		return search_holds(s, in);
	case INPUT_DUPLICATES:
		return duplicates_hold(s, in);
	case INPUT_STREAM:
		return stream_state_holds(s, in);
	case INPUT_VARIABLES:
		return judge_variables_hold(s, in);
	default:
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		return path && file_holds(s, in, path);
	}
}

static struct result *read_result(struct start *s, const struct digest *k2, struct entry *e)
{
	struct result *r = arena_alloc(&s->arena, sizeof *r);

	switch (store_get(&s->store, STORE_RESULT, k2, 0, e, &s->arena, &s->verdict.fault)) {
	case ENTRY_OK:
		if (r && result_decode(r, e->payload, e->len, &s->arena) == 0)
			return r;
		counters_add(&s->store, COUNTER_CORRUPT, 1);
		/* fall through */
	case ENTRY_BAD:
		log_write(LOG_WARNING, "a damaged result entry was removed");
		s->verdict.reason = REASON_MISS_CORRUPT;
		return NULL;
	default:
		s->verdict.reason = REASON_MISS_RESULT;
		return NULL;
	}
}

struct result *judge_result(struct start *s, const struct digest *k2)
{
	struct entry e;

	return read_result(s, k2, &e);
}

int judge_candidate_holds(struct start *s, struct candidate *c, enum reason *why)
{
	*why = REASON_MISS_NAMES;
	if (!names_hold(s, c))
		return 0;
	if (c->count > MANY_INPUTS)
		memo_map(&s->memo);
	for (size_t i = 0; i < c->count; i++)
		if (!input_holds(s, &c->v[i])) {
			*why = c->v[i].kind == INPUT_CWD || c->v[i].kind == INPUT_PWD ||
			                       c->v[i].kind == INPUT_ORDER
			               ? REASON_MISS_NAMES
			               : REASON_MISS_INPUT;
			return 0;
		}
	*why = REASON_MISS_INPUT;
	if (stream_files_read(s, c))
		return 0;
	/* With refused memory, the key and the answers may be incomplete. */
	*why = REASON_MISS_MEMORY;
	return !s->arena.refused;
}

static struct candidate *read_candidate(struct start *s, int slot, int *last, struct entry *e)
{
	struct candidate *c;

	switch (store_get(&s->store, STORE_MANIFEST, &s->k1, slot, e, &s->arena,
	                  &s->verdict.fault)) {
	case ENTRY_OK:
		break;
	case ENTRY_BAD:
		log_write(LOG_WARNING, "a damaged manifest entry was removed");
		return NULL;
	case ENTRY_ABSENT: /* slots fill from the first */
		*last = 1;
		return NULL;
	default:
		return NULL;
	}
	c = arena_alloc(&s->arena, sizeof *c);
	if (!c || candidate_decode(c, e->payload, e->len, &s->arena) < 0)
		return NULL;
	return c;
}

int judge_seen(const struct start *s, const struct digest *k2)
{
	for (int i = 0; i < s->verdict.seen_count; i++)
		if (digest_equal(&s->verdict.seen[i]->result, k2))
			return 1;
	return 0;
}

void judge_saw(struct start *s, struct candidate *c, int slot)
{
	if (s->verdict.seen_count == STORE_SLOTS || judge_seen(s, &c->result))
		return;
	s->verdict.seen_slot[s->verdict.seen_count] = slot;
	s->verdict.seen[s->verdict.seen_count++] = c;
}

int judge_lookup(struct start *s, struct result **out)
{
	enum reason why, best = REASON_MISS_NEW;
	struct entry manifest, result;
	const char *refused;
	int last = 0;

	s->verdict.detail[0] = '\0';
	for (int slot = 0; slot < STORE_SLOTS && !last; slot++) {
		struct candidate *c = read_candidate(s, slot, &last, &manifest);

		if (!c)
			continue;
		refused = s->confines ? confine_inputs(s, c) : NULL;
		if (refused) {
			counters_add(&s->store, COUNTER_REFUSED_ENTRIES, 1);
			best = REASON_MISS_REFUSED;
			start_detail(s, "candidate: %s", refused);
			continue;
		}
		if (!judge_candidate_holds(s, c, &why)) {
			/* A changed input says more than a different name. */
			if (best != REASON_MISS_INPUT && best != REASON_MISS_REFUSED)
				best = why;
			judge_saw(s, c, slot);
			continue;
		}
		s->verdict.reason = REASON_NONE;
		*out = read_result(s, &c->result, &result);
		if (*out) {
			s->verdict.held = c;
			store_touch(&s->store, STORE_MANIFEST, &s->k1, slot, &manifest);
			store_touch(&s->store, STORE_RESULT, &c->result, 0, &result);
			return 1;
		}
		best = s->verdict.reason;
	}
	s->verdict.reason = best;
	return 0;
}
