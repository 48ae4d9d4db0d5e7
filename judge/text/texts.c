/* judge/text/texts.c - reads the texts that a run has read.
 *
 * An entry of class TEXTS: facts (tools/asks/facts.c).
 *
 * Its key covers ASKS_CODE, the ASKS_ words, the content of each header in reading order, the
 * definitions of the command line, and the names that the unit's own texts define. ASKS_CODE is
 * the digest of the code that makes facts (Makefile). */
#include "judge/text/texts.h"

#include <string.h>

#include "judge/name/above.h"
#include "judge/text/precompiled.h"
#include "shim/buf.h"
#include "shim/kernel/sys.h"
#include "tools/asks/definitions.h"
#include "tools/asks/facts.h"
#include "tools/asks/words.h"
#include "tools/cmdline/language.h"
#include "tools/driver.h"
#include "tools/text/line_marks.h"

#include "shim/banned.h"

/* No source is larger. */
#define TEXT_MAX (64u << 20)

static int add_text(struct texts *t, const struct start *s, const char *path, const char *text,
                    size_t n, int own)
{
	/* A name may continue after the end of a line. */
	text = asks_joined(&t->arena, text, &n);
	if (!text)
		return -1;
	t->spelled |= name_list_spelled(&s->all_names, text, n);
	t->pieces |= name_list_pieces(&s->all_names, text, n);
	t->computes = t->computes || (s->all_names.count && computed_files(text, n));
	t->parts |= judge_above_text(s, &t->above, &t->pieces, text, n);
	t->script |= text_sees_names(text, n);
	if (t->all && !assembly_of_system(path))
		t->assembles |= assembly_words(text, n);
	t->renames = t->renames || ((s->names.base[NAME_KIND_MAPPED].len ||
	                             s->names.base[NAME_KIND_DIRECTORY].len) &&
	                            line_marks_rename(text, n));
	asks_add(&t->asks, text, n, own);
	return 0;
}

static int is_content(const char *text, size_t n, const struct digest *content)
{
	struct digest now;

	digest_of(&now, text, n);
	return digest_equal(&now, content);
}

/* content: the digest that the file must have, or NULL for any content. 1: it is a precompiled
 * header. */
static int add_file(struct texts *t, const struct start *s, const char *path, int own,
                    const struct digest *content)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), rc = -1;
	struct statx st;
	ssize_t n;
	char head[TEXT_KIND_HEAD], *text;
	enum text_kind kind;

	if (fd < 0)
		return -1;
	if (own && strlen(path) > t->longest)
		t->longest = strlen(path);
	if (own)
		buf_add(&t->files, path_base(path), strlen(path_base(path)) + 1);
	n = sys_pread(fd, head, sizeof head, 0);
	kind = n < 0 ? TEXT_COMPILED : text_kind(head, (size_t)n);
	if (kind == TEXT_COMPILED) {
		rc = -1;
	} else if (kind == TEXT_PRECOMPILED) {
		rc = 1;
	} else if (kind == TEXT_OBJECT) {
		rc = 0;
	} else if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) == 0 &&
	           st.stx_size <= TEXT_MAX &&
	           (text = arena_alloc(&t->arena, st.stx_size + 1)) != NULL) {
		n = sys_read_all(fd, text, st.stx_size + 1);
		rc = n == (ssize_t)st.stx_size && (!content || is_content(text, (size_t)n, content))
		             ? add_text(t, s, path, text, (size_t)n, own) : -1;
	}
	sys_close(fd);
	return rc;
}

static int add_options(struct texts *t, const char *lines)
{
	if (lines)
		asks_add(&t->asks, lines, strlen(lines), 0);
	return lines ? 0 : -1;
}

/* Adds the texts of a precompiled header, if they are unchanged. own: the names that lead to texts
 * of the unit's own. */
static int add_precompiled(struct texts *t, struct start *s, const struct digest *made,
                           uint64_t own)
{
	struct precompiled p;

	t->precompiled = 1;
	if (precompiled_texts(&p, s, made, &t->arena) < 0)
		return -1;
	for (size_t i = 0; i < p.count; i++)
		if (add_file(t, s, p.v[i].path,
		             (name_list_spelled(&s->all_names, p.v[i].path,
		                                strlen(p.v[i].path)) & own) != 0,
		             &p.v[i].content) != 0)
			return -1;
	return add_options(t, p.options);
}

static int is_own(uint64_t own, uint64_t names)
{
	return own == TEXTS_ALL || names & own;
}

int texts_read(struct texts *t, struct start *s, const struct candidate *c, uint64_t own,
               uint64_t above)
{
	const char *lines;

	*t = (struct texts){.arena = ARENA_INIT, .above = above, .all = own == TEXTS_ALL};
	t->files = (struct buf)BUF_INIT(&t->arena);
	asks_init(&t->asks, &t->arena, driver_words(s->row, &s->cmd));
	for (size_t i = 0; i < s->primaries.count; i++) {
		const char *path = s->primaries.v[i].path;
		int by_name = is_own(own, name_list_spelled(&s->all_names, path, strlen(path)));

		if (!s->primaries.v[i].response &&
		    add_file(t, s, path, by_name || start_has_operand(&s->cmd, path), NULL) != 0)
			return -1;
	}
	for (size_t i = 0; i < c->count; i++) {
		const struct input *in = &c->v[i];
		const char *path;
		uint64_t names;
		int rc;

		if (!input_is_content(in->kind))
			continue;
		path = names_resolve(&s->names, in->spec, in->spec_len, &t->arena);
		names = name_list_in_spec(&s->all_names, in->spec, in->spec_len);
		rc = path ? add_file(t, s, path, is_own(own, names), NULL) : -1;
		if (rc < 0 || (rc && own == TEXTS_ALL) ||
		    (rc && add_precompiled(t, s, &in->value, own) < 0))
			return -1;
	}
	lines = definitions_lines(&s->cmd, &t->arena);
	if (lines) {
		t->assembles |= assembly_words(lines, strlen(lines));
		t->pieces |= name_list_pieces(&s->all_names, lines, strlen(lines));
	}
	if (!lines || t->precompiled || !definitions_are_all(&s->cmd))
		return add_options(t, lines);
	asks_add_given(&t->asks, lines, strlen(lines));
	return 0;
}

void texts_free(struct texts *t)
{
	arena_free(&t->arena);
}

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
