/* action/key_history.c - an entry of class KEY_HISTORY: the fields of a command's last key and of
 * the key before it. */
#include "action/action.h"

#include <string.h>

#include "shim/buf.h"

#include "shim/banned.h"

/* Only a command with a huge response file has more; `reprise explain` does without it. */
#define FIELDS_BYTES_MAX (1u << 20)

/* All entries lie in so many of the store's 256 directories: in an empty store the first entry of a
 * directory has to make it, which takes as long as the entry. */
#define DIRECTORIES 16

/* Makes the identity of a command. -1: the output has a name that no other run uses. */
static int identity(const struct start *s, struct digest *out)
{
	struct key k;
	const char *subject = s->primaries.count ? s->primaries.v[0].path : "";

	if (s->cmd.first_output)
		subject = s->cmd.v[s->cmd.first_output].text;
	for (int i = 0; i < s->names.count; i++)
		if (strstr(subject, s->names.v[i].text))
			return -1;
	key_init(&k, NULL);
	key_add_str(&k, KEY_TOOL_PATH, "trail", s->call.base);
	key_add_str(&k, KEY_TOOL_PATH, "cwd", s->call.cwd);
	key_add_str(&k, KEY_ARG, "subject", subject);
	key_final(&k, out);
	out->b[0] %= DIRECTORIES;
	return 0;
}

void key_history_store(struct start *s, char hex[DIGEST_HEX + 1])
{
	struct digest id, both;
	struct buf one = BUF_INIT(&s->arena), two = BUF_INIT(&s->arena);
	struct reader r;
	struct entry e;
	struct key k;
	const char *old;
	size_t old_len = 0;

	hex[0] = '\0';
	if (s->key.fields.failed || s->key.fields.len > FIELDS_BYTES_MAX || identity(s, &id) < 0)
		return;
	buf_lstr(&one, "", 0);
	buf_lstr(&one, s->key.fields.data, s->key.fields.len);
	if (store_get(&s->store, STORE_KEY_HISTORY, &id, 0, &e, &s->arena,
	              &s->verdict.fault) == ENTRY_OK) {
		r = (struct reader){e.payload, e.payload + e.len, 0};
		reader_lstr(&r, NULL);
		old = reader_lstr(&r, &old_len);
		if (!r.failed) {
			buf_lstr(&two, old, old_len);
			buf_lstr(&two, s->key.fields.data, s->key.fields.len);
			key_init(&k, NULL);
			key_add_digest(&k, KEY_CANDIDATE, "trail", &id);
			key_add_digest(&k, KEY_CANDIDATE, "now", &s->k1);
			key_final(&k, &both);
			both.b[0] %= DIRECTORIES;
			if (!two.failed &&
			    store_put(&s->store, STORE_KEY_HISTORY, &both, 0, two.data, two.len,
			              &s->verdict.fault) == 0)
				digest_hex(&both, hex);
		}
	}
	if (!one.failed)
		store_put(&s->store, STORE_KEY_HISTORY, &id, 0, one.data, one.len,
		          &s->verdict.fault);
}
