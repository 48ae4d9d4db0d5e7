/* judge/output/exchange.c - enters this start's names in a recorded output. */
#include "judge/output/output.h"

#include "judge/proof_verbs.h"
#include "tools/driver.h"

#include "shim/banned.h"

/* The first proof that is concerned. */
static enum exchange proofs_replay(struct start *s, const struct patch_name *from, size_t count,
                                   const struct patch_name *to, const struct result_output *o,
                                   void *data, struct buf *out)
{
	enum exchange done = EXCHANGE_NOT;

#define REPLAY(call) \
	if (done == EXCHANGE_NOT) \
		done = call;
#include "proofs/proofs.def"
	return done;
}

/* A dependency file takes names of any length, as the places of its line breaks can be computed.
 * judge_bind() has shown that they follow this layout. */
static int takes_lengths(struct start *s, const struct result_output *o, const void *data)
{
	return judge_is_depfile(s, o, data) &&
	       depfile_has(driver_depfile_layout(s->row), data, o->len, &s->arena);
}

static enum exchange rewritten(struct start *s, const struct patch_name *from, size_t count,
                               const struct patch_name *to, const struct result_output *o,
                               const void *data, struct buf *out)
{
	struct buf text = BUF_INIT(&s->arena);

	if (patch_rewrite(&text, data, o->len, o->patches.v, o->patches.count, from, count, to,
	                  name_list_all(&s->all_names)) < 0 ||
	    depfile_put(out, driver_depfile_layout(s->row), (const char *)text.data, text.len) < 0)
		return EXCHANGE_FAILED;
	return EXCHANGE_OUT;
}

enum exchange judge_exchange(struct start *s, const struct patch_name *from, size_t count,
                             const struct patch_name *to, const struct result_output *o,
                             void *data, struct buf *out)
{
	size_t all = name_list_all(&s->all_names);
	enum exchange done;

	if (!o->patches.count)
		return EXCHANGE_NOT;
	done = proofs_replay(s, from, count, to, o, data, out);
	if (done != EXCHANGE_NOT)
		return done;
	if (patch_needs_rewrite(o->patches.v, o->patches.count, from, count, to, all) &&
	    takes_lengths(s, o, data))
		return rewritten(s, from, count, to, o, data, out);
	return patch_apply(data, o->len, o->patches.v, o->patches.count, from, count, to, all) < 0
	               ? EXCHANGE_FAILED : EXCHANGE_HERE;
}
