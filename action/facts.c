/* action/facts.c - an entry of class TEXTS: facts (tools/asks_facts.c).
 *
 * The key is of the code that makes them, the ASKS_ words, and each text's content in the order of their reading. */
#include "action/facts.h"

#include "action/state.h"
#include "tools/asks_parts.h"

#include "shim/banned.h"

/* Below it an entry costs more than the texts. */
#define FACTS_FROM (256u << 10)

static size_t headers_size(const struct asks *x)
{
	size_t size = 0;

	for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text); i++) {
		const struct asks_text *t = ASKS_AT(x->texts, asks_text, i);

		size += t->own ? 0 : (size_t)(t->end - t->s);
	}
	return size;
}

static void facts_key(const struct asks *x, struct digest *key)
{
	const char words = (char)x->words;
	struct key k;

	key_init(&k, NULL);
	key_add_str(&k, KEY_FORMAT, "facts", ASKS_CODE);
	key_add(&k, KEY_CANDIDATE, "words", &words, 1);
	for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text); i++) {
		const struct asks_text *t = ASKS_AT(x->texts, asks_text, i);
		struct digest content;

		if (t->own)
			continue;
		digest_of(&content, t->s, (size_t)(t->end - t->s));
		key_add_digest(&k, KEY_CANDIDATE, "text", &content);
	}
	key_final(&k, key);
}

static int make(const struct asks *x, struct buf *facts)
{
	struct asks headers;

	asks_init(&headers, x->arena, x->words);
	for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text); i++) {
		const struct asks_text *t = ASKS_AT(x->texts, asks_text, i);

		if (!t->own)
			asks_add(&headers, t->s, (size_t)(t->end - t->s), 0);
	}
	return asks_facts(&headers, facts);
}

enum asks_answer facts_answer(struct action *a, struct asks *x)
{
	struct buf facts = BUF_INIT(x->arena);
	struct digest key;
	struct entry e;
	int answer;

	if (headers_size(x) < FACTS_FROM)
		return asks_answer(x);
	facts_key(x, &key);
	if (store_get(&a->store, STORE_TEXTS, &key, 0, &e, x->arena, &a->fault) == ENTRY_OK) {
		store_touch(&a->store, STORE_TEXTS, &key, 0, &e);
		answer = asks_by_facts(x, e.payload, e.len);
	} else if (make(x, &facts) == 0) {
		if (a->store.writable && !setting_number(&a->set, SETTING_READONLY))
			store_put(&a->store, STORE_TEXTS, &key, 0, facts.data, facts.len, &a->fault);
		answer = asks_by_facts(x, facts.data, facts.len);
	} else {
		answer = ASKS_UNKNOWN;
	}
	return answer == ASKS_UNKNOWN ? asks_answer(x) : (enum asks_answer)answer;
}
