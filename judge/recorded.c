/* judge/recorded.c - stores a finished recording; compares two. */
#include "judge/recorded.h"

#include <string.h>

#include "judge/bind.h"
#include "judge/order.h"
#include "judge/precompiled.h"
#include "judge/start.h"
#include "shim/log.h"
#include "shim/sys.h"
#include "store/job_list.h"

#include "shim/banned.h"

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

static int same_output(struct start *a, struct result *old, struct patch_name *from,
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
static int same_stream(struct start *a, struct result *old, struct patch_name *from,
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

int judge_same_result(struct start *a, struct result *old, struct result *now)
{
	struct patch_name *from = arena_alloc(&a->arena, (old->name_count + 1) * sizeof *from);

	if (!from || old->out_count != now->out_count || old->exit_status != now->exit_status)
		return 0;
	names_flat(old->name, old->name_count, from);
	for (size_t i = 0; i < old->out_count; i++)
		if (!same_output(a, old, from, &old->out[i], &now->out[i]))
			return 0;
	return same_stream(a, old, from, now, 1) && same_stream(a, old, from, now, 2);
}

static enum reason keep_one(struct start *a, struct candidate *c, struct result *r)
{
	struct buf cb = BUF_INIT(&a->arena), rb = BUF_INIT(&a->arena);

	candidate_result_key(c, &a->k1, &c->result);
	result_encode(&rb, r, (enum compress_mode)setting_number(&a->set, SETTING_COMPRESS));
	candidate_encode(&cb, c);
	/* An input that found no room may be missing without another sign. */
	if (a->arena.refused)
		return REASON_UNSTORED_MEMORY;
	if (rb.failed || cb.failed)
		return REASON_UNSTORED_LARGE;
	/* The result first: a candidate must never name what is not there. */
	if (store_put(&a->store, STORE_RESULT, &c->result, 0, rb.data, rb.len, &a->verdict.fault) < 0 ||
	    store_add_candidate(&a->store, STORE_MANIFEST, &a->k1, cb.data, cb.len, &a->verdict.fault) < 0) {
		start_detail(a, "%s", a->verdict.fault.text);
		log_once("store-write", "cannot store: %s", a->verdict.fault.text);
		return REASON_UNSTORED_STORE;
	}
	return REASON_NONE;
}

enum reason judge_store(struct start *a, struct candidate *c, struct result *r)
{
	struct candidate other;
	struct result made;
	enum reason reason;

	c->name = r->name;
	c->name_count = r->name_count;
	c->made_at = a->started_at / 1000000000;
	judge_bind(a, c, r);
	reason = keep_one(a, c, r);
	if (reason != REASON_NONE)
		return reason;
	if (judge_other_order(a, c, r, &other, &made) == 0)
		keep_one(a, &other, &made);
	if (a->cmd.flags & CMD_PCH)
		precompiled_keep(a, c, r);
	job_list_add(&a->store, job_list_job(&a->set, a->envp, &a->arena), STORE_MANIFEST, &a->k1, &c->result);
	return REASON_NONE;
}
