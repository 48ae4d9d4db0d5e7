/* judge/lookup.c - the first candidate whose names and inputs all hold names the result. */
#include "judge/lookup.h"

#include <string.h>

#include "judge/confine.h"
#include "judge/pwd.h"
#include "judge/search.h"
#include "judge/start.h"
#include "judge/stream_files.h"
#include "judge/duplicates.h"
#include "shim/log.h"
#include "shim/sys.h"
#include "store/counters.h"
#include "tools/gcc_order.h"

#include "shim/banned.h"

/* About every second is a question to the memo. */
#define MANY_INPUTS 128

static const struct patch_name *own_name(const struct start *a, unsigned kind, unsigned index)
{
	for (size_t i = 0; i < a->all_count; i++)
		if (a->all_names[i].kind == kind && a->all_names[i].index == index)
			return &a->all_names[i];
	return NULL;
}

/* Whether a result bound as c says may serve this start's names. */
static int names_hold(struct start *a, const struct candidate *c)
{
	struct ptx *from = NULL;
	int same = 1;

	if (c->name_count != a->all_count)
		return 0;
	for (size_t i = 0; i < c->name_count; i++) {
		const struct bound_name *was = &c->name[i];
		const struct patch_name *is = own_name(a, was->kind, was->index);

		if (!is)
			return 0;
		if (is->len == was->len && (is->kind == 'X' || memcmp(is->text, was->text, is->len) == 0))
			continue;
		same = 0;
		/* Short ones are not looked for in what the tool said, and so cannot be exchanged. */
		if (was->binding == NAME_BOUND || (was->binding == NAME_LENGTH && is->len != was->len) ||
		    is->len < NAME_VOLATILE_MIN || was->len < NAME_VOLATILE_MIN) {
			start_detail(a, is->kind == 'H' ? "the hash of a source's path, %s, was %s when recorded" : "name %s was %s when recorded",
			              is->text, was->text);
			return 0;
		}
	}
	if (same || !a->ptx)
		return 1;
	/* The PTX's own names: only where a patch is unambiguous. */
	from = arena_alloc(&a->arena, sizeof *from);
	if (!from)
		return 0;
	for (size_t i = 0; i < c->name_count && from->count < PTX_NAMES_MAX; i++)
		if (c->name[i].kind == 'P')
			from->names[from->count++] = (struct patch_name){
				'P', c->name[i].index, c->name[i].text, c->name[i].len};
	from->canonical = a->ptx->canonical;
	if (ptx_patchable(from, a->ptx))
		return 1;
	start_detail(a, "source names in the PTX differ and cannot be exchanged safely");
	return 0;
}

static int text_is(const struct digest *want, const char *text)
{
	struct digest d;

	digest_of(&d, text, strlen(text));
	return digest_equal(&d, want);
}

static int env_holds(struct start *a, const struct input *in)
{
	const char *now = start_env(a, in->spec);
	struct buf spec = BUF_INIT(&a->arena);
	struct digest d;

	if (in->type == 0 || !now) {
		if (in->type == 0 && !now)
			return 1;
		start_detail(a, "variable %s was %s, is %s", in->spec, in->type ? in->text : "unset",
		              now ? now : "unset");
		return 0;
	}
	names_env(&a->names, now, tool_env_quotes(in->spec), &spec);
	digest_of(&d, spec.data, spec.len);
	if (digest_equal(&d, &in->value))
		return 1;
	start_detail(a, "variable %s was %s, is %s", in->spec, in->text, now);
	return 0;
}

static int cwd_holds(struct start *a, const struct input *in)
{
	struct buf spec = BUF_INIT(&a->arena);
	struct digest d;

	names_path(&a->names, a->cwd, &spec);
	digest_of(&d, spec.data, spec.len);
	if (digest_equal(&d, &in->value))
		return 1;
	start_detail(a, "recorded in the directory %s",
	              names_print(in->text, in->text_len, &a->arena));
	return 0;
}

static int order_holds(struct start *a, const struct input *in)
{
	const char *name = names_resolve(&a->names, in->spec, in->spec_len, &a->arena);

	if (name && (unsigned)gcc_order(name, a->cwd) == in->type)
		return 1;
	start_detail(a, "debug information holds the source's name and directory in another order");
	return 0;
}

static int pwd_holds(struct start *a, const struct input *in)
{
	if (text_is(&in->value, judge_pwd(a)))
		return 1;
	start_detail(a, "variable PWD spells the working directory otherwise");
	return 0;
}

static int search_holds(struct start *a, const struct input *in)
{
	const char *found = judge_search(a, in->spec);

	if (found && text_is(&in->value, found))
		return 1;
	start_detail(a, "PATH finds %s as %s, was %s", in->spec, found && *found ? found : "nothing",
	              *in->text ? in->text : "nothing");
	return 0;
}

static int twins_hold(struct start *a, const struct input *in)
{
	struct digest d;

	if (judge_duplicates(a, in, &d) == 0 && digest_equal(&d, &in->value))
		return 1;
	start_detail(a, "%s and files equal to it: times or links among them changed",
	              names_print(in->names[0], strlen(in->names[0]), &a->arena));
	return 0;
}

/* An input that lives in the file system. */
static int file_holds(struct start *a, const struct input *in, const char *path)
{
	const char *text = NULL;
	struct digest d;
	struct statx st;
	unsigned type = 0;
	size_t which = 0;
	int rc;

	switch (in->kind) {
	case INPUT_REAL:
	case INPUT_REAL_FILE: /* before the file is asked for: one call serves both */
		if (probe_real(&a->prober, path) < 0) {
			start_detail(a, "path %s is gone or has a symbolic link now", path);
			return 0;
		}
		if (in->kind == INPUT_REAL)
			return 1;
		/* fall through */
	case INPUT_FILE:
	case INPUT_PROGRAM:
		if (in->kind == INPUT_PROGRAM && sys_access(path, X_OK) < 0) {
			start_detail(a, "program %s is gone or may not be executed", path);
			return 0;
		}
		rc = probe_file(&a->prober, path, &d, NULL);
		if (rc == 0 && digest_equal(&d, &in->value))
			return 1;
		start_detail(a, rc == 0 ? "file %s changed" : "file %s is gone", path);
		return 0;
	case INPUT_ABSENT:
		if (probe_absent(&a->prober, path, in->names, in->name_count, &in->value, &which))
			return 1;
		start_detail(a, "absent path %s/%s appeared", path, in->names[which]);
		return 0;
	case INPUT_NODIR:
		rc = probe_present(&a->prober, path, &type);
		if (in->type == NODIR_OR_DENIED && (rc == -EACCES || rc == -ENOTDIR))
			return 1;
		if (in->type > NODIR_OR_DENIED ? rc == 0 && type == in->type : rc == -ENOENT)
			return 1;
		start_detail(a, "absent directory %s appeared", path);
		return 0;
	case INPUT_PRESENT:
		rc = probe_present(&a->prober, path, &type);
		if (rc == 0 && type == in->type)
			return 1;
		start_detail(a, "path %s is gone or of another type", path);
		return 0;
	case INPUT_STAT:
		rc = probe_stat(&a->prober, path, &st);
		if (rc == 0 && st.stx_size == in->size &&
		    st.stx_mtime.tv_sec * 1000000000ll + st.stx_mtime.tv_nsec == in->mtime_ns)
			return 1;
		start_detail(a, "size or time of %s changed", path);
		return 0;
	case INPUT_SYMLINK:
		if (probe_symlink(&a->prober, path, &text) == 0 && text_is(&in->value, text))
			return 1;
		start_detail(a, "symbolic link %s leads elsewhere", path);
		return 0;
	case INPUT_REALPATH:
		if (probe_realpath(&a->prober, path, &text) == 0 && text_is(&in->value, text))
			return 1;
		start_detail(a, "path %s resolves otherwise", path);
		return 0;
	case INPUT_DIRECTORY:
		if (probe_listing(&a->prober, path, NULL, NULL, &d) == 0 && digest_equal(&d, &in->value))
			return 1;
		start_detail(a, "names in directory %s changed", path);
		return 0;
	default: /* written by a later version */
		start_detail(a, "input of an unknown kind");
		return 0;
	}
}

static int input_holds(struct start *a, const struct input *in)
{
	const char *path;

	switch (in->kind) {
	case INPUT_ENV:
		return env_holds(a, in);
	case INPUT_CWD:
		return cwd_holds(a, in);
	case INPUT_PWD:
		return pwd_holds(a, in);
	case INPUT_ORDER:
		return order_holds(a, in);
	case INPUT_SEARCH:
		return search_holds(a, in);
	case INPUT_TWINS:
		return twins_hold(a, in);
	default:
		path = names_resolve(&a->names, in->spec, in->spec_len, &a->arena);
		return path && file_holds(a, in, path);
	}
}

static struct result *read_result(struct start *a, const struct digest *k2, struct entry *e)
{
	struct result *r = arena_alloc(&a->arena, sizeof *r);

	switch (store_get(&a->store, STORE_RESULT, k2, 0, e, &a->arena, &a->verdict.fault)) {
	case ENTRY_OK:
		if (r && result_decode(r, e->payload, e->len, &a->arena) == 0)
			return r;
		counters_add(&a->store, COUNTER_CORRUPT, 1);
		/* fall through */
	case ENTRY_BAD:
		log_write(LOG_WARNING, "a damaged result entry was removed");
		a->verdict.reason = REASON_MISS_CORRUPT;
		return NULL;
	default:
		a->verdict.reason = REASON_MISS_RESULT;
		return NULL;
	}
}

struct result *judge_result(struct start *a, const struct digest *k2)
{
	struct entry e;

	return read_result(a, k2, &e);
}

int judge_candidate_holds(struct start *a, struct candidate *c, enum reason *why)
{
	*why = REASON_MISS_NAMES;
	if (!names_hold(a, c))
		return 0;
	if (c->count > MANY_INPUTS)
		memo_map(&a->memo);
	for (size_t i = 0; i < c->count; i++)
		if (!input_holds(a, &c->v[i])) {
			*why = c->v[i].kind == INPUT_CWD || c->v[i].kind == INPUT_PWD || c->v[i].kind == INPUT_ORDER
			               ? REASON_MISS_NAMES
			               : REASON_MISS_INPUT;
			return 0;
		}
	*why = REASON_MISS_INPUT;
	if (stream_files_read(a, c))
		return 0;
	/* Key and answers may lack what found no room. */
	*why = REASON_MISS_MEMORY;
	return !a->arena.refused;
}

static struct candidate *read_candidate(struct start *a, int slot, int *last, struct entry *e)
{
	struct candidate *c;

	switch (store_get(&a->store, STORE_MANIFEST, &a->k1, slot, e, &a->arena, &a->verdict.fault)) {
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
	c = arena_alloc(&a->arena, sizeof *c);
	if (!c || candidate_decode(c, e->payload, e->len, &a->arena) < 0)
		return NULL;
	return c;
}

int judge_seen(const struct start *a, const struct digest *k2)
{
	for (int i = 0; i < a->verdict.seen_count; i++)
		if (digest_equal(&a->verdict.seen[i]->result, k2))
			return 1;
	return 0;
}

void judge_saw(struct start *a, struct candidate *c)
{
	if (a->verdict.seen_count < STORE_SLOTS && !judge_seen(a, &c->result))
		a->verdict.seen[a->verdict.seen_count++] = c;
}

int judge_lookup(struct start *a, struct result **out)
{
	enum reason why, best = REASON_MISS_NEW;
	struct entry manifest, result;
	const char *refused;
	int last = 0;

	a->verdict.detail[0] = '\0';
	for (int slot = 0; slot < STORE_SLOTS && !last; slot++) {
		struct candidate *c = read_candidate(a, slot, &last, &manifest);

		if (!c)
			continue;
		refused = a->confines ? confine_inputs(a, c) : NULL;
		if (refused) {
			counters_add(&a->store, COUNTER_REFUSED_ENTRIES, 1);
			best = REASON_MISS_REFUSED;
			start_detail(a, "candidate: %s", refused);
			continue;
		}
		if (!judge_candidate_holds(a, c, &why)) {
			/* A changed input says more than another name. */
			if (best != REASON_MISS_INPUT && best != REASON_MISS_REFUSED)
				best = why;
			judge_saw(a, c);
			continue;
		}
		a->verdict.reason = REASON_NONE;
		*out = read_result(a, &c->result, &result);
		if (*out) {
			a->verdict.held = c;
			store_touch(&a->store, STORE_MANIFEST, &a->k1, slot, &manifest);
			store_touch(&a->store, STORE_RESULT, &c->result, 0, &result);
			return 1;
		}
		best = a->verdict.reason;
	}
	a->verdict.reason = best;
	return 0;
}
