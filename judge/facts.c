/* judge/facts.c - an entry of class TEXTS: facts (tools/asks_facts.c).
 *
 * Its key covers ASKS_CODE, the ASKS_ words, the content of each header in reading order, the
 * definitions of the command line, and the names that the unit's own texts define. ASKS_CODE is
 * the digest of the code that makes facts (Makefile). */
#include "judge/facts.h"

#include "shim/buf.h"
#include "tools/asks_facts.h"

#include "shim/banned.h"

/* Bytes of headers. Below this size an entry costs more than to read the headers again. */
#define FACTS_FROM (256u << 10)

static int are_many(const struct asks *x)
{
	size_t size = 0, n;
	const char *text;
	int header;

	for (unsigned i = 0; (header = asks_header(x, i, &text, &n)) >= 0; i++)
		size += header ? n : 0;
	return size >= FACTS_FROM;
}

static void facts_key(const struct asks *x, struct digest *key)
{
	const char words = (char)x->words, *text;
	struct key k;
	size_t n;
	int header;

	key_init(&k, NULL);
	key_add_str(&k, KEY_FORMAT, "facts", ASKS_CODE);
	key_add(&k, KEY_CANDIDATE, "words", &words, 1);
	for (unsigned i = 0; (header = asks_header(x, i, &text, &n)) >= 0; i++) {
		struct digest content;

		if (!header)
			continue;
		digest_of(&content, text, n);
		key_add_digest(&k, KEY_CANDIDATE, asks_is_given(x, i) ? "given" : "text", &content);
	}
	key_final(&k, key);
}

enum asks_answer facts_answer(struct start *s, struct asks *x)
{
	int answer = ASKS_UNKNOWN;
	struct buf facts = BUF_INIT(x->arena);
	struct digest key;
	struct entry e;

	if (!are_many(x))
		return asks_answer(x);
	if (asks_own_freely(x))
		return ASKS_FREELY;
	if (asks_declare(x) < 0)
		return asks_answer(x);
	facts_key(x, &key);
	if (store_get(&s->store, STORE_TEXTS, &key, 0, &e, x->arena,
	              &s->verdict.fault) == ENTRY_OK) {
		store_touch(&s->store, STORE_TEXTS, &key, 0, &e);
		answer = asks_by_facts(x, e.payload, e.len);
	} else if (asks_facts(x, &facts) == 0) {
		if (s->store.writable)
			store_put(&s->store, STORE_TEXTS, &key, 0, facts.data, facts.len,
			          &s->verdict.fault);
		answer = asks_by_facts(x, facts.data, facts.len);
	}
	return answer == ASKS_UNKNOWN ? asks_answer(x) : (enum asks_answer)answer;
}
