/* action/keep.c - binds a finished recording to its names, learns from earlier ones, stores it. */
#include "action/keep.h"

#include <string.h>

#include "action/far.h"
#include "action/lookup.h"
#include "action/state.h"
#include "action/unseen.h"
#include "shim/log.h"
#include "shim/sys.h"
#include "store/used.h"

#include "shim/banned.h"

static int same_lengths(const struct action *a, const struct candidate *c)
{
	if (c->name_count != a->all_count)
		return 0;
	for (size_t i = 0; i < c->name_count; i++)
		if (c->name[i].kind != a->all_names[i].kind || c->name[i].index != a->all_names[i].index ||
		    c->name[i].len != a->all_names[i].len)
			return 0;
	return 1;
}

static int same_input(const struct input *x, const struct input *y)
{
	return x->kind == y->kind && x->type == y->type && x->spec_len == y->spec_len &&
	       memcmp(x->spec, y->spec, x->spec_len) == 0 && digest_equal(&x->value, &y->value) &&
	       x->size == y->size && x->mtime_ns == y->mtime_ns;
}

static int is_where(const struct input *in)
{
	return in->kind == INPUT_CWD || in->kind == INPUT_PWD;
}

/* Equal but for where it ran. *cwd_len: of the other's directory, 0 when it was not bound to one. */
static int same_inputs(const struct candidate *x, const struct candidate *y, uint64_t *cwd_len)
{
	size_t i = 0, k = 0;

	*cwd_len = 0;
	for (;;) {
		while (i < x->count && is_where(&x->v[i]))
			i++;
		while (k < y->count && is_where(&y->v[k])) {
			if (y->v[k].kind == INPUT_CWD)
				*cwd_len = y->v[k].size;
			k++;
		}
		if (i == x->count || k == y->count)
			return i == x->count && k == y->count;
		if (!same_input(&x->v[i++], &y->v[k++]))
			return 0;
	}
}

/* A text that is a name in one of two runs alone was there already: the source of both spells it. */
static int same_places(const struct patch_list *x, const struct patch_list *y)
{
	if (x->count != y->count)
		return 0;
	for (size_t i = 0; i < x->count; i++)
		if (x->v[i].offset != y->v[i].offset || x->v[i].kind != y->v[i].kind || x->v[i].index != y->v[i].index)
			return 0;
	return 1;
}

static int same_output(struct action *a, struct result *old, struct patch_name *from,
                       struct result_output *x, const struct result_output *y)
{
	unsigned char *data;

	if (x->spec_len != y->spec_len || memcmp(x->spec, y->spec, x->spec_len) != 0 ||
	    x->len != y->len || x->mode_kind != y->mode_kind ||
	    (x->mode_kind >= MODE_EXACT && x->mode != y->mode))
		return 0;
	data = result_output_bytes(x, &a->arena);
	if (!data && x->len)
		return 0;
	if (x->patches.overflow || !same_places(&x->patches, &y->patches) ||
	    (x->patches.count && patch_apply(data, x->len, x->patches.v, x->patches.count, from,
	                                     old->name_count, a->all_names, a->all_count) < 0))
		return 0;
	return memcmp(data, y->data, x->len) == 0;
}

/* Streams as one text each: how writes were cut into chunks is chance. */
static int same_stream(struct action *a, struct result *old, struct patch_name *from,
                       const struct result *now, int stream)
{
	struct buf x = BUF_INIT(&a->arena), y = BUF_INIT(&a->arena);
	struct patch_list places;
	size_t count = 0;

	for (size_t i = 0; i < old->chunk_count; i++) {
		struct result_chunk *c = &old->chunk[i];

		if (c->stream != stream)
			continue;
		if (patch_rewrite(&x, c->data, c->len, c->patches.v, c->patches.count, from,
		                  old->name_count, a->all_names, a->all_count) < 0)
			return 0;
		count += c->patches.count;
	}
	for (size_t i = 0; i < now->chunk_count; i++)
		if (now->chunk[i].stream == stream)
			buf_add(&y, now->chunk[i].data, now->chunk[i].len);
	if (x.failed || y.failed || x.len != y.len)
		return 0;
	patch_find(&places, y.data, y.len, a->all_names, a->all_count, &a->arena);
	return places.count == count && (x.len == 0 || memcmp(x.data, y.data, x.len) == 0);
}

int judge_same_result(struct action *a, struct result *old, struct result *now)
{
	struct patch_name *from = arena_alloc(&a->arena, (old->name_count + 1) * sizeof *from);

	if (!from || old->out_count != now->out_count || old->exit_status != now->exit_status)
		return 0;
	action_flat_names(old->name, old->name_count, from);
	for (size_t i = 0; i < old->out_count; i++)
		if (!same_output(a, old, from, &old->out[i], &now->out[i]))
			return 0;
	return same_stream(a, old, from, now, 1) && same_stream(a, old, from, now, 2);
}

static void free_of_cwd(struct candidate *c, uint64_t length)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->v[i].kind == INPUT_PWD)
			continue; /* it spelled the directory, and the directory was shown not to matter */
		if (c->v[i].kind == INPUT_CWD && c->v[i].size == length) {
			c->v[i].type = 1;
			memset(&c->v[i].value, 0, sizeof c->v[i].value);
		}
		c->v[n++] = c->v[i];
	}
	c->count = n;
}

static int is_other_name(const struct action *a, const struct candidate *c, size_t i)
{
	return c->name[i].kind != 'X' && memcmp(c->name[i].text, a->all_names[i].text, c->name[i].len) != 0;
}

static int other_names(const struct action *a, const struct candidate *c)
{
	for (size_t i = 0; i < c->name_count; i++)
		if (is_other_name(a, c, i))
			return 1;
	return 0;
}

/* Shown of the names that were others, now or before: a name that both runs had may have shaped both. */
static void free_of_names(const struct action *a, struct candidate *c, const struct candidate *was)
{
	int first = c->names == NAMES_EXACT;

	for (size_t i = 0; i < c->name_count; i++) {
		int shown = is_other_name(a, was, i) || (was->names == NAMES_LENGTH && !was->name[i].held);

		c->name[i].held = !shown && (first || c->name[i].held);
	}
	c->names = NAMES_LENGTH;
}

/* By experience: an earlier real run under other names of the same lengths, with the same inputs,
 * left what this one left. */
static void learn(struct action *a, struct candidate *c, struct result *now)
{
	for (int i = 0; i < a->seen_count; i++) {
		struct candidate *was = a->seen[i];
		uint64_t cwd_len;
		struct result *old;
		int names, cwd = 0;

		if (!same_lengths(a, was) || !same_inputs(c, was, &cwd_len))
			continue;
		names = other_names(a, was);
		for (size_t k = 0; k < c->count; k++)
			if (c->v[k].kind == INPUT_CWD && c->v[k].size == cwd_len)
				cwd = 1;
		/* The working directory of the other must really have been another of that length. */
		for (size_t k = 0; k < c->count && cwd; k++)
			for (size_t m = 0; m < was->count; m++)
				if (c->v[k].kind == INPUT_CWD && was->v[m].kind == INPUT_CWD &&
				    digest_equal(&c->v[k].value, &was->v[m].value))
					cwd = 0;
		if (!names && !cwd)
			continue;
		old = action_result(a, &was->result);
		if (!old)
			old = far_result(a, was);
		if (!old || !judge_same_result(a, old, now))
			continue;
		if (names && c->names != NAMES_FREE)
			free_of_names(a, c, was);
		if (cwd)
			free_of_cwd(c, cwd_len);
		log_write(LOG_INFO, "shown independent of %s", names ? "its names" : "its directory");
	}
}

static int patches_overflow(const struct result *r)
{
	for (size_t i = 0; i < r->out_count; i++)
		if (r->out[i].patches.overflow)
			return 1;
	return 0;
}

/* The source's name reaches what cudafe++ and cicc make of it, in hashes as well. */
static int names_source(const struct cmdline *c, int i)
{
	static const char *const names[] = {"--orig_src_file_name", "--orig_src_path_name", "--ident", "-ident"};

	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		size_t n = strlen(names[k]);

		if (strcmp(c->v[i - 1].text, names[k]) == 0 ||
		    (strncmp(c->v[i].text, names[k], n) == 0 && c->v[i].text[n] == '='))
			return 1;
	}
	return 0;
}

/* A step of nvcc spells the names of its other steps' files, and that is all it does with them: two runs
 * differ in them alone (tests/e2e/nvcc_steps.bats). Any other name binds. */
static int step_names_free(const struct action *a)
{
	if (!(a->row->flags & TOOL_XFT_FREE))
		return 0;
	for (size_t i = 0; i < a->all_count; i++) {
		const struct patch_name *n = &a->all_names[i];

		if (n->kind != 'T' || name_xft_len(n->text, n->len) != n->len)
			return 0;
		for (int k = 1; k < a->cmd.count; k++)
			if (names_source(&a->cmd, k) && strstr(a->cmd.v[k].text, n->text))
				return 0;
	}
	return 1;
}

enum reason judge_keep(struct action *a, struct candidate *c, struct result *r)
{
	struct buf cb = BUF_INIT(&a->arena), rb = BUF_INIT(&a->arena);

	c->names = a->cmd.flags & CMD_NAME_FREE || step_names_free(a) ? NAMES_FREE : NAMES_EXACT;
	if (a->names_exact || patches_overflow(r))
		c->names = NAMES_EXACT;
	c->name = r->name;
	c->name_count = r->name_count;
	c->made_at = a->started_at / 1000000000;
	if (c->names == NAMES_EXACT && !a->names_exact && (a->names_shown || judge_names_unseen(a, c, r)))
		c->names = NAMES_LENGTH;
	if (!patches_overflow(r))
		learn(a, c, r);
	candidate_result_key(c, &a->k1, &c->result);
	result_encode(&rb, r, (enum compress_mode)setting_number(&a->set, SETTING_COMPRESS));
	candidate_encode(&cb, c);
	/* An input that found no room may be missing without another sign. */
	if (a->arena.refused)
		return REASON_UNSTORED_MEMORY;
	if (rb.failed || cb.failed)
		return REASON_UNSTORED_LARGE;
	/* The result first: a candidate must never name what is not there. */
	if (store_put(&a->store, STORE_RESULT, &c->result, 0, rb.data, rb.len, &a->fault) < 0 ||
	    store_add_candidate(&a->store, STORE_MANIFEST, &a->k1, cb.data, cb.len, &a->fault) < 0) {
		action_detail(a, "%s", a->fault.text);
		log_once("store-write", "cannot store: %s", a->fault.text);
		return REASON_UNSTORED_STORE;
	}
	used_note(&a->store, used_job(&a->set, a->envp, &a->arena), STORE_MANIFEST, &a->k1, &c->result);
	return REASON_NONE;
}
