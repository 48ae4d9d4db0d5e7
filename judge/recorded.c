/* judge/recorded.c - stores a finished recording, and compares two results. */
#include "judge/recorded.h"

#include <string.h>

#include "judge/name/name.h"
#include "judge/output/output.h"
#include "judge/proof_notes.h"
#include "judge/proof_verbs.h"
#include "judge/start.h"
#include "judge/text/text.h"
#include "shim/buf.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/job/job_list.h"
#include "tools/cmdline/language.h"

#include "shim/banned.h"

/* A text that is a name in only one of two runs is not a name: the source of both runs spells
 * it. */
static int same_places(const struct patch_list *x, const struct patch_list *y)
{
	if (x->count != y->count)
		return 0;
	for (size_t i = 0; i < x->count; i++)
		if (x->v[i].offset != y->v[i].offset || x->v[i].kind != y->v[i].kind ||
		    x->v[i].index != y->v[i].index)
			return 0;
	return 1;
}

static int same_output(struct start *s, struct result *old, struct patch_name *from,
                       struct result_output *x, const struct result_output *y)
{
	struct buf moved = BUF_INIT(&s->arena);
	unsigned char *data;
	enum exchange done;

	if (x->spec_len != y->spec_len || memcmp(x->spec, y->spec, x->spec_len) != 0 ||
	    x->mode_kind != y->mode_kind ||
	    (x->mode_kind >= MODE_EXACT && x->mode != y->mode))
		return 0;
	data = result_output_bytes(x, &s->arena);
	if (!data && x->len)
		return 0;
	if (x->patches.overflow)
		return 0;
	done = judge_exchange(s, from, old->name_count, s->all_names.v, x, data, &moved);
	if (done == EXCHANGE_OUT)
		return moved.len == y->len && memcmp(moved.data, y->data, y->len) == 0;
	/* The order of a link's strings moves their names. */
	return done != EXCHANGE_FAILED && x->len == y->len &&
	       (s->lines || same_places(&x->patches, &y->patches)) &&
	       memcmp(data, y->data, x->len) == 0;
}

/* Compares each stream as one text: the cut of writes into chunks is chance. */
static int same_stream(struct start *s, struct result *old, struct patch_name *from,
                       const struct result *now, int stream)
{
	struct buf x = BUF_INIT(&s->arena), y = BUF_INIT(&s->arena);
	struct patch_list places;
	size_t count = 0;

	for (size_t i = 0; i < old->chunk_count; i++) {
		struct result_chunk *c = &old->chunk[i];

		if (c->stream != stream)
			continue;
		if (patch_rewrite(&x, c->data, c->len, c->patches.v, c->patches.count, from,
		                  old->name_count, s->all_names.v,
		                  name_list_all(&s->all_names)) < 0)
			return 0;
		count += c->patches.count;
	}
	for (size_t i = 0; i < now->chunk_count; i++)
		if (now->chunk[i].stream == stream)
			buf_add(&y, now->chunk[i].data, now->chunk[i].len);
	if (x.failed || y.failed || x.len != y.len)
		return 0;
	judge_stream_places(s, &places, y.data, y.len);
	return places.count == count && (x.len == 0 || memcmp(x.data, y.data, x.len) == 0);
}

int judge_same_result(struct start *s, struct result *old, struct result *now)
{
	struct patch_name *from = arena_alloc(&s->arena, (old->name_count + 1) * sizeof *from);

	if (!from || old->out_count != now->out_count || old->exit_status != now->exit_status)
		return 0;
	names_flat(old->name, old->name_count, from);
	for (size_t i = 0; i < old->out_count; i++)
		if (!same_output(s, old, from, &old->out[i], &now->out[i]))
			return 0;
	return same_stream(s, old, from, now, 1) && same_stream(s, old, from, now, 2);
}

static int add_candidate(struct start *s, const struct candidate *c, const struct buf *b)
{
	int slot = variants_slot(&s->verdict, c);

	return slot < 0 ? store_add_candidate(&s->store, STORE_MANIFEST, &s->k1, b->data, b->len,
	                                      &s->verdict.fault)
	                : store_put(&s->store, STORE_MANIFEST, &s->k1, slot, b->data, b->len,
	                            &s->verdict.fault);
}

static enum reason keep_one(struct start *s, struct candidate *c, struct result *r)
{
	struct buf cb = BUF_INIT(&s->arena), rb = BUF_INIT(&s->arena);
	struct tmp_part parts[RESULT_PARTS];

	candidate_result_key(c, &s->k1, &c->result);
	result_encode_parts(parts, &rb, r,
	                    (enum compress_mode)setting_number(&s->set, SETTING_COMPRESS));
	candidate_encode(&cb, c);
	/* An input for which there was no memory may be missing without another sign. */
	if (s->arena.refused)
		return REASON_UNSTORED_MEMORY;
	if (rb.failed || cb.failed)
		return REASON_UNSTORED_LARGE;
	/* Store the result first: a candidate must never name a missing result. */
	if (store_put_parts(&s->store, STORE_RESULT, &c->result, 0, parts, RESULT_PARTS,
	                    &s->verdict.fault) < 0 ||
	    add_candidate(s, c, &cb) < 0) {
		start_detail(s, "%s", s->verdict.fault.text);
		log_once("store-write", "cannot store: %s", s->verdict.fault.text);
		return REASON_UNSTORED_STORE;
	}
	return REASON_NONE;
}

static void list_precompiled(struct start *s, const struct candidate *c, const struct result *r)
{
	struct digest *made = arena_alloc(&s->arena, (r->out_count + 1) * sizeof *made);
	size_t n = 0;

	for (size_t i = 0; made && i < r->out_count; i++)
		if (text_kind((const char *)r->out[i].data, r->out[i].len) == TEXT_PRECOMPILED)
			digest_of(&made[n++], r->out[i].data, r->out[i].len);
	if (n)
		precompiled_record(s, c, made, n);
}

enum reason judge_store(struct start *s, struct candidate *c, struct result *r)
{
	struct candidate other;
	struct result made;
	enum reason reason;

	c->name = r->name;
	c->name_count = r->name_count;
	c->made_at = s->times.ran_at;
	judge_bind(s, c, r);
	r->name_count = c->name_count;
	if (proof_notes(s, c) < 0)
		return REASON_UNSTORED_MEMORY;
	reason = keep_one(s, c, r);
	if (reason != REASON_NONE)
		return reason;
#define ALSO(call) \
	if (call) \
		keep_one(s, &other, &made);
#include "proofs/proofs.def"
	if (s->cmd.flags & CMD_PCH)
		list_precompiled(s, c, r);
	job_list_add(&s->store, job_list_job(&s->set, s->call.envp, &s->arena), STORE_MANIFEST,
	             &s->k1, &c->result);
	return REASON_NONE;
}

/* Candidates that differ in nothing but the surroundings of their runs. */

static int has(const struct candidate *c, unsigned kind)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].kind == kind)
			return 1;
	return 0;
}

/* The next input that is no part of the surroundings. Beside an environment as a whole, a single
 * variable is one. */
static size_t next(const struct candidate *c, size_t i, int variables)
{
	while (i < c->count && (c->v[i].kind == INPUT_STREAM || c->v[i].kind == INPUT_PROOF ||
	                        (variables && (c->v[i].kind == INPUT_VARIABLES ||
	                                       c->v[i].kind == INPUT_ENV))))
		i++;
	return i;
}

static int same_input(const struct input *x, const struct input *y)
{
	return x->kind == y->kind && x->type == y->type && x->spec_len == y->spec_len &&
	       memcmp(x->spec, y->spec, x->spec_len) == 0 && digest_equal(&x->value, &y->value) &&
	       x->size == y->size && x->mtime_ns == y->mtime_ns;
}

static int same_name(const struct bound_name *x, const struct bound_name *y)
{
	return x->kind == y->kind && x->index == y->index && x->binding == y->binding &&
	       (x->binding == NAME_FREE ||
	        (x->len == y->len && memcmp(x->text, y->text, x->len) == 0));
}

/* The inputs of two candidates of one action come in one order. */
static int is_variant(const struct candidate *x, const struct candidate *y, int variables)
{
	size_t i = next(x, 0, variables), k = next(y, 0, variables);

	if (x->name_count != y->name_count)
		return 0;
	for (size_t n = 0; n < x->name_count; n++)
		if (!same_name(&x->name[n], &y->name[n]))
			return 0;
	for (; i < x->count && k < y->count;
	     i = next(x, i + 1, variables), k = next(y, k + 1, variables))
		if (!same_input(&x->v[i], &y->v[k]))
			return 0;
	return i >= x->count && k >= y->count;
}

int variants_slot(const struct verdict *verdict, const struct candidate *c)
{
	int count = 0, oldest = -1, variables = has(c, INPUT_VARIABLES);

	if (!variables && !has(c, INPUT_STREAM))
		return -1;
	for (int i = 0; i < verdict->seen_count; i++) {
		const struct candidate *was = verdict->seen[i];

		if (digest_equal(&was->result, &c->result)) /* it takes its own slot */
			return -1;
		if (verdict->seen_slot[i] < 0 || !is_variant(was, c, variables))
			continue;
		count++;
		if (oldest < 0 || candidate_recorded_at(was) <
		                          candidate_recorded_at(verdict->seen[oldest]))
			oldest = i;
	}
	return count >= VARIANTS_MOST ? verdict->seen_slot[oldest] : -1;
}
