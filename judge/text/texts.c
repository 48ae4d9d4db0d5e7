/* judge/text/texts.c - reads the texts that a run has read.
 *
 * An entry of class TEXTS: facts (tools/asks/facts.c).
 *
 * Its key covers ASKS_CODE, the ASKS_ words, the definitions of the command line, the names that
 * the unit's own texts define, and the set of the headers' contents. Facts depend on no order:
 * every text counts, wherever it is read. ASKS_CODE is the digest of the code that makes facts
 * (Makefile). */
#include "judge/text/text.h"

#include <string.h>

#include "judge/name/name.h"
#include "shim/buf.h"
#include "shim/kernel/sys.h"
#include "shim/list.h"
#include "shim/sort.h"
#include "tools/asks/asks.h"
#include "tools/asks/definitions.h"
#include "tools/asks/words.h"
#include "tools/cmdline/language.h"
#include "tools/comment/comment.h"
#include "tools/driver.h"
#include "tools/text/line_marks.h"
#include "trace/real_names.h"
#include "trace/tree.h"

#include "shim/banned.h"

/* No source is larger. */
#define TEXT_MAX (64u << 20)

/* 1: outside its comments a text with TEXT_MARK_ASSEMBLES may put the name of a file together.
 * Comments count where two slashes may begin none, or where an assembler may have read the text. */
static int may_assemble(struct texts *t, const struct start *s, const char *text, size_t n)
{
	size_t len;
	char *form;

	form = !s->verdict.assembled && comment_options_allow(s->row, &s->cmd)
	               ? arena_alloc(&t->arena, n) : NULL;
	return !form || !comment_free_form(text, n, 0, form, &len) ||
	       assembled_files(form, len) || asks_looks(form, len);
}

/* The marks that may still tell something. */
static unsigned wanted_marks(const struct texts *t, const struct start *s)
{
	unsigned wanted = 0;

	if (s->all_names.count)
		wanted |= TEXT_MARK_ASSEMBLES | (t->computes ? 0 : TEXT_MARK_COMPUTES);
	if (s->verdict.assembled_names && !t->directs)
		wanted |= TEXT_MARK_DIRECTS;
	if (s->cmd.flags & CMD_LINK && !t->script)
		wanted |= TEXT_MARK_SCRIPT;
	if (!t->renames && (s->names.base[NAME_KIND_MAPPED].len ||
	                    s->names.base[NAME_KIND_DIRECTORY].len))
		wanted |= TEXT_MARK_RENAMES;
	return wanted;
}

/* A header's text need not stay: texts_load() reads it again. content: of the file, or NULL. */
static int add_text(struct texts *t, struct start *s, const char *path, const char *text, size_t n,
                    const struct digest *content, int own)
{
	unsigned marks;

	/* A name may continue after the end of a line. */
	if (text)
		text = asks_joined(&t->arena, text, &n);
	if (!text)
		return -1;
	marks = text_marks(&s->memo, content, text, n, wanted_marks(t, s));
	name_list_search(&s->all_names, text, n, &t->spelled, &t->pieces);
	t->computes = t->computes || marks & TEXT_MARK_COMPUTES;
	t->directs = t->directs || marks & TEXT_MARK_DIRECTS;
	t->script = t->script || marks & TEXT_MARK_SCRIPT;
	t->renames = t->renames || marks & TEXT_MARK_RENAMES;
	if (marks & TEXT_MARK_ASSEMBLES && may_assemble(t, s, text, n)) {
		t->computes = 1;
		t->pieces |= name_list_components(&s->all_names);
	}
	plain_names_text(&t->plain, text, n);
	t->parts |= judge_above_text(&s->all_names, &s->cmd, &t->above, &t->pieces, text, n);
	if (t->all && !assembly_of_system(path))
		t->assembles |= assembly_words(text, n);
	if (own)
		asks_add(&t->asks, text, n, 1);
	return 0;
}

/* Most files that are no texts end here. */
#define TEXT_HEAD 4096
/* CUDA's largest header fits. Pages that are not used cost nothing. */
#define TEXT_ROOM (2u << 20)
/* A text in an arena takes so many bytes more, at most. */
#define TEXT_SPACE 32

/* Makes room for twice as many bytes, of which n are kept. */
static int grow_room(struct texts *t, size_t n)
{
	size_t size = t->room_size ? 2 * t->room_size : TEXT_ROOM;
	char *room = size <= TEXT_MAX ? arena_alloc(&t->arena, size) : NULL;

	if (!room)
		return -1;
	memcpy(room, t->room, n);
	t->room = room;
	t->room_size = size;
	return 0;
}

/* Reads a text into t->room. Returns its length. Of other files it reads the head alone. -1: it
 * could not be read. */
static ssize_t read_text(struct texts *t, int fd, enum text_kind *kind)
{
	ssize_t n, more;

	if (!t->room_size && grow_room(t, 0) < 0)
		return -1;
	n = sys_read_all(fd, t->room, TEXT_HEAD);
	*kind = n < 0 ? TEXT_COMPILED : text_kind(t->room, (size_t)n);
	if (n < TEXT_HEAD || *kind != TEXT_PLAIN)
		return n;
	for (;;) {
		more = sys_read_all(fd, t->room + n, t->room_size - (size_t)n);
		n += more;
		if (more < 0 || (size_t)n < t->room_size)
			return more < 0 ? more : n;
		if (grow_room(t, (size_t)n) < 0)
			return -1;
	}
}

/* The text in t->room. */
static int add_room(struct texts *t, struct start *s, const char *path, size_t n, int own,
                    const struct digest *content)
{
	struct texts_header header = {.size = n};

	digest_of(&header.content, t->room, n);
	if (!digest_equal(&header.content, content))
		return -1;
	if (own)
		return add_text(t, s, path, arena_memdup(&t->arena, t->room, n), n, NULL, 1);
	header.path = arena_strdup(&t->arena, path);
	buf_add(&t->headers, &header, sizeof header);
	if (!header.path || t->headers.failed)
		return -1;
	return add_text(t, s, path, t->room, n, &header.content, 0);
}

/* content: the digest that the file must have. 1: it is a precompiled header. */
static int add_file(struct texts *t, struct start *s, const char *path, int own,
                    const struct digest *content)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	enum text_kind kind;
	ssize_t n;

	if (fd < 0)
		return -1;
	if (own && strlen(path) > t->longest)
		t->longest = strlen(path);
	if (own)
		buf_add(&t->files, path_base(path), strlen(path_base(path)) + 1);
	n = read_text(t, fd, &kind);
	sys_close(fd);
	if (n < 0 || kind == TEXT_COMPILED)
		return -1;
	if (kind != TEXT_PLAIN)
		return kind == TEXT_PRECOMPILED;
	return add_room(t, s, path, (size_t)n, own, content);
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
	for (size_t i = 0; i < p.count; i++) {
		uint64_t names = name_list_spelled(&s->all_names, p.v[i].path,
		                                   strlen(p.v[i].path));

		t->named |= names;
		if (add_file(t, s, p.v[i].path, (names & own) != 0, &p.v[i].content) != 0)
			return -1;
	}
	return add_options(t, p.options);
}

static int by_content(const void *x, const void *y)
{
	const struct texts_header *a = x, *b = y;

	return memcmp(a->content.b, b->content.b, DIGEST_SIZE);
}

/* The headers of each content once, in an order that follows from their contents. What they say
 * together depends on nothing else. -1: no memory. */
static int settle_headers(struct texts *t)
{
	size_t count = t->headers.len / sizeof *t->header;
	struct texts_header *v = sort_stable(&t->arena, t->headers.data, count, sizeof *v,
	                                     by_content);

	t->header = v;
	if (t->headers.failed || (count && !v))
		return -1;
	for (size_t i = 0; i < count; i++)
		if (!i || by_content(&v[t->header_count - 1], &v[i]) != 0)
			v[t->header_count++] = v[i];
	return 0;
}

/* 1: an assembler read the file, and no argument names it. */
static int is_assembled(const struct start *s, const struct tree_file *f, enum tree_assembler by)
{
	if (!(f->flags & TREE_READ) || f->flags & TREE_RUN || primaries_at(&s->primaries, f->path))
		return 0;
	return f->flags & TREE_BY_ASSEMBLER ||
	       (by == TREE_ASSEMBLER_SHOWN && !f->is_data && f->named < f->opens);
}

void texts_assembled(struct start *s, const struct tree *t)
{
	enum tree_assembler by = tree_assembler(t);

	s->verdict.assembled = by != TREE_ASSEMBLER_APART;
	for (size_t i = 0; i < t->count; i++) {
		const char *path = t->file[i].path;

		if (!is_assembled(s, &t->file[i], by))
			continue;
		s->verdict.assembled = 1;
		s->verdict.assembled_names |= name_list_spelled(&s->all_names, path, strlen(path)) &
		                              name_list_places(&s->all_names);
	}
}

/* The content that the run read, or that was compared with it where comments may differ. A file may
 * change after it was digested, and another text would say something else. */
static int content_of(struct start *s, const struct input *in, const char *path,
                      struct digest *content)
{
	*content = in->value;
	return in->form ? probe_file(&s->prober, path, content, NULL) : 0;
}

static int is_own(uint64_t own, uint64_t names)
{
	return own == TEXTS_ALL || names & own;
}

int texts_read(struct texts *t, struct start *s, const struct candidate *c, uint64_t own,
               uint64_t above)
{
	const char *lines;
	uint64_t hidden;
	int all = 1;

	*t = (struct texts){.arena = ARENA_INIT, .above = above, .all = own == TEXTS_ALL};
	t->files = t->headers = (struct buf)BUF_INIT(&t->arena);
	plain_names_begin(&t->plain, s, &t->arena);
	asks_init(&t->asks, &t->arena, driver_words(s->row, &s->cmd));
	for (size_t i = 0; i < s->primaries.count; i++) {
		const char *path = s->primaries.v[i].path;
		uint64_t names = name_list_spelled(&s->all_names, path, strlen(path));
		int by_name = is_own(own, names);

		t->named |= names;
		if (!s->primaries.v[i].response &&
		    add_file(t, s, path, by_name || start_has_operand(&s->cmd, path),
		             &s->primaries.v[i].content) != 0)
			return -1;
	}
	for (size_t i = 0; i < c->count; i++) {
		const struct input *in = &c->v[i];
		struct digest content;
		const char *path;
		uint64_t names;
		int rc;

		if (!input_is_content(in->kind))
			continue;
		path = names_resolve(&s->names, in->spec, in->spec_len, &t->arena);
		names = name_list_in_spec(&s->all_names, in->spec, in->spec_len);
		t->named |= names;
		rc = path && content_of(s, in, path, &content) == 0
		             ? add_file(t, s, path, is_own(own, names), &content) : -1;
		if (rc < 0 || (rc && own == TEXTS_ALL) ||
		    (rc && add_precompiled(t, s, &in->value, own) < 0))
			return -1;
	}
	if (settle_headers(t) < 0)
		return -1;
	/* Strings or macros make the directive, so they may make the name as well. */
	hidden = plain_names_missing(&t->plain, s) |
	         (t->directs ? 0 : s->verdict.assembled_names);
	t->computes |= hidden != 0;
	t->pieces |= hidden;
	lines = definitions_lines(&s->cmd, &t->arena, &all);
	if (lines) {
		t->assembles |= assembly_words(lines, strlen(lines));
		t->pieces |= name_list_pieces(&s->all_names, lines, strlen(lines));
	}
	if (!lines || t->precompiled || !all)
		return add_options(t, lines);
	asks_add_given(&t->asks, lines, strlen(lines));
	return 0;
}

void texts_free(struct texts *t)
{
	arena_free(&t->arena);
}

/* The memory for their texts. */
static size_t headers_size(const struct texts *t)
{
	size_t size = 0;

	for (size_t i = 0; t && i < t->header_count; i++)
		size += t->header[i].size + TEXT_SPACE;
	return size;
}

static int load(struct texts *t, const struct texts_header *h)
{
	int fd = sys_open(h->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	char *text = fd < 0 ? NULL : arena_alloc(&t->arena, h->size + 1);
	ssize_t n = text ? sys_read_all(fd, text, h->size + 1) : -1;
	struct digest now;

	if (fd >= 0)
		sys_close(fd);
	if (n != (ssize_t)h->size)
		return -1;
	digest_of(&now, text, h->size);
	if (!digest_equal(&now, &h->content))
		return -1;
	asks_add(&t->asks, text, h->size, 0);
	return 0;
}

int texts_load(struct texts *t)
{
	if (arena_expect(&t->arena, headers_size(t)) < 0)
		return -1;
	for (size_t i = 0; i < t->header_count; i++)
		if (load(t, &t->header[i]) < 0)
			return -1;
	t->header_count = 0;
	return 0;
}

/* Bytes of headers. Below this size an entry costs more than to read the headers again. */
#define FACTS_FROM (256u << 10)

static int are_many(const struct asks *x, const struct texts *t)
{
	size_t size = headers_size(t), n;
	const char *text;
	int header;

	for (unsigned i = 0; (header = asks_header(x, i, &text, &n)) >= 0; i++)
		size += header ? n : 0;
	return size >= FACTS_FROM;
}

static void facts_key(const struct asks *x, const struct texts *t, struct digest *key)
{
	const char words = (char)x->words, *text;
	struct key k;
	size_t n;
	int header;

	key_init(&k, NULL);
	key_add_str(&k, KEY_FORMAT, "facts", ASKS_CODE);
	key_add(&k, KEY_CANDIDATE, "words", &words, 1);
	for (const char *name = x->sought; name && *name; name = LIST_NEXT(name))
		key_add(&k, KEY_CANDIDATE, x->whole ? "sought in all" : "sought", name,
		        strlen(name));
	for (unsigned i = 0; (header = asks_header(x, i, &text, &n)) >= 0; i++) {
		struct digest content;

		if (!header)
			continue;
		digest_of(&content, text, n);
		key_add_digest(&k, KEY_CANDIDATE, asks_is_given(x, i) ? "given" : "text", &content);
	}
	for (size_t i = 0; t && i < t->header_count; i++)
		key_add_digest(&k, KEY_CANDIDATE, "file", &t->header[i].content);
	key_final(&k, key);
}

static enum asks_answer whole_answer(struct asks *x, struct texts *t)
{
	return t && texts_load(t) < 0 ? ASKS_FREELY : asks_answer(x);
}

/* The answer without facts that have to be made: *key then names them, and the answer is
 * ASKS_UNKNOWN. */
static int ready_answer(struct start *s, struct asks *x, struct texts *t, struct digest *key)
{
	struct entry e;
	int answer;

	if (!are_many(x, t))
		return whole_answer(x, t);
	if (asks_own_freely(x))
		return ASKS_FREELY;
	if (asks_declare(x) < 0)
		return whole_answer(x, t);
	facts_key(x, t, key);
	if (store_get(&s->store, STORE_TEXTS, key, 0, &e, x->arena, &s->verdict.fault) != ENTRY_OK)
		return ASKS_UNKNOWN;
	store_touch(&s->store, STORE_TEXTS, key, 0, &e);
	answer = asks_by_facts(x, e.payload, e.len);
	return answer == ASKS_UNKNOWN ? (int)whole_answer(x, t) : answer;
}

int facts_ready(struct start *s, struct texts *t)
{
	struct digest key;

	return ready_answer(s, &t->asks, t, &key);
}

enum asks_answer facts_answer(struct start *s, struct asks *x, struct texts *t)
{
	struct buf facts = BUF_INIT(x->arena);
	struct digest key;
	int answer = ready_answer(s, x, t, &key);

	if (answer != ASKS_UNKNOWN)
		return (enum asks_answer)answer;
	if (t && texts_load(t) < 0)
		return ASKS_FREELY;
	if (asks_facts(x, &facts) == 0) {
		if (s->store.writable)
			store_put(&s->store, STORE_TEXTS, &key, 0, facts.data, facts.len,
			          &s->verdict.fault);
		answer = asks_by_facts(x, facts.data, facts.len);
	}
	return answer == ASKS_UNKNOWN ? whole_answer(x, t) : (enum asks_answer)answer;
}
