/* judge/text/plain_names.c - compares the ends of paths with what texts have between quotes. */
#include "judge/input/input.h"
#include "judge/text/text.h"

#include <string.h>

#include "judge/name/name_list.h"
#include "shim/path.h"
#include "tools/driver.h"
#include "trace/real_names.h"
#include "trace/tree.h"

#include "shim/banned.h"

#define TABLE_FIRST 64

struct end {
	const char *s;
	size_t len;
	int spelled;
};

/* Bytes that open a name, or that one consists of. */
enum { OPENS = 1, NAMES = 2 };
static const unsigned char kinds[256] = {['"'] = OPENS, ['<'] = OPENS, ['0' ... '9'] = NAMES,
	['A' ... 'Z'] = NAMES, ['a' ... 'z'] = NAMES, ['_'] = NAMES, ['.'] = NAMES, ['/'] = NAMES,
	['+'] = NAMES, ['-'] = NAMES, ['='] = NAMES, ['@'] = NAMES, ['~'] = NAMES, [','] = NAMES,
	[' '] = NAMES, ['%'] = NAMES, ['$'] = NAMES, [0x80 ... 0xff] = NAMES};

static uint32_t hash_of(const char *s, size_t n)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)s[i]) * 16777619u;
	return hash;
}

static struct end *end_at(const struct plain_names *p, size_t place)
{
	return (struct end *)p->ends.data + place;
}

/* The slot of this end, or the free one where it belongs. */
static struct index_slot *slot_of(const struct plain_names *p, const char *s, size_t n,
                                  uint32_t hash)
{
	struct index_slot *slot = index_table_first(&p->table, hash);

	for (; slot->place; slot = index_table_next(&p->table, slot)) {
		const struct end *e = end_at(p, slot->place - 1);

		if (slot->hash == hash && e->len == n && memcmp(e->s, s, n) == 0)
			break;
	}
	return slot;
}

static void add_end(struct plain_names *p, const char *s, size_t n, struct arena *a)
{
	uint32_t hash = hash_of(s, n);
	struct end end = {s, n, 0};
	struct index_slot *slot;

	if (index_table_room(&p->table, TABLE_FIRST, a) < 0) {
		p->failed = 1;
		return;
	}
	slot = slot_of(p, s, n, hash);
	if (slot->place)
		return;
	buf_add(&p->ends, &end, sizeof end);
	p->failed |= p->ends.failed;
	if (!p->failed)
		index_table_take(&p->table, slot, hash);
}

/* gcc reads the precompiled form in place of the header. */
static size_t length_of(const char *path)
{
	size_t n = strlen(path);

	return path_ends(path, ".gch") ? n - 4 : n;
}

/* The next component of path[0..n), or NULL. */
static const char *next_end(const char *s, const char *path, size_t n)
{
	const char *slash = memchr(s, '/', (size_t)(path + n - s));

	return slash ? slash + 1 : NULL;
}

static void spell(struct plain_names *p, const char *s, size_t n)
{
	struct index_slot *slot;

	while (n > 2 && s[0] == '.' && s[1] == '/') {
		s += 2;
		n -= 2;
	}
	slot = slot_of(p, s, n, hash_of(s, n));
	if (slot->place)
		end_at(p, slot->place - 1)->spelled = 1;
}

/* A preprocessor read it by an absolute path, and it is neither a source nor known otherwise. */
static int is_in_question(const struct start *s, const struct tree_file *f, enum tree_assembler by)
{
	return f->flags & TREE_READ && !(f->flags & TREE_RUN) && !f->is_data &&
	       (by != TREE_ASSEMBLER_SHOWN || f->named >= f->opens) &&
	       (f->flags & TREE_ABSOLUTE || !(f->flags & TREE_RELATIVE)) &&
	       !primaries_at(&s->primaries, f->path) &&
	       name_list_spelled(&s->all_names, f->path, strlen(f->path)) &
	               name_list_places(&s->all_names);
}

/* --- public, in header order --- */

void plain_names_files(struct start *s, const struct tree *t)
{
	enum tree_assembler by = tree_assembler(t);

	s->verdict.generated = (struct buf)BUF_INIT(&s->arena);
	for (size_t i = 0; i < t->count && name_list_places(&s->all_names); i++) {
		const char *path = t->file[i].path;

		if (is_in_question(s, &t->file[i], by))
			buf_add(&s->verdict.generated, &path, sizeof path);
	}
}

#define GENERATED(path, s) \
	for (const char *const *at_ = (const char *const *)(s)->verdict.generated.data, \
	                       *const *end_ = at_ + (s)->verdict.generated.len / sizeof *at_, \
	                       *path; at_ < end_ && (path = *at_); at_++)

void plain_names_begin(struct plain_names *p, const struct start *s, struct arena *a)
{
	*p = (struct plain_names){.ends = BUF_INIT(a), .failed = s->verdict.generated.failed};
	GENERATED(path, s)
		for (const char *end = path; end; end = next_end(end, path, length_of(path)))
			add_end(p, end, length_of(path) - (size_t)(end - path), a);
	for (int i = 1; i < s->cmd.count && p->table.cap; i++)
		spell(p, s->cmd.v[i].text, strlen(s->cmd.v[i].text));
}

void plain_names_text(struct plain_names *p, const char *text, size_t n)
{
	const char *end = text + n;

	if (!p->table.cap)
		return;
	for (const char *s = text; s < end; s++) {
		const char *name = s + 1;

		if (!(kinds[(unsigned char)*s] & OPENS))
			continue;
		while (++s < end && kinds[(unsigned char)*s] & NAMES)
			;
		if (s < end && s > name && (*s == '"' || *s == '>'))
			spell(p, name, (size_t)(s - name));
		s--;
	}
}

uint64_t plain_names_missing(const struct plain_names *p, const struct start *s)
{
	uint64_t names = 0;

	GENERATED(path, s) {
		int spelled = 0;

		for (const char *end = path; end && !p->failed && !spelled;
		     end = next_end(end, path, length_of(path))) {
			size_t n = length_of(path) - (size_t)(end - path);
			const struct index_slot *slot = slot_of(p, end, n, hash_of(end, n));

			spelled = slot->place && end_at(p, slot->place - 1)->spelled;
		}
		if (!spelled)
			names |= name_list_spelled(&s->all_names, path, strlen(path)) &
			         name_list_places(&s->all_names);
	}
	return p->failed ? name_list_places(&s->all_names) : names;
}

/* --- keys without the names in a text --- */

static struct input_text *read_names(struct start *s, struct input_text_request *r,
                                     enum input_text_names names)
{
	struct input_text *x = arena_alloc(&s->arena, sizeof *x);

	r->names = names;
	return x && driver_ask(s->row, read_text, -1, x, r) == 0 ? x : NULL;
}

static void key_by(struct start *s, struct input_text *x)
{
	s->text = x;
	if (x)
		s->primaries.v[0].keyed = x->canonical;
}

void source_names_command(struct start *s, const char *text, size_t n, struct arena *work)
{
	struct input_text_request r = {.text = text, .n = n, .ask = judge_source_times,
	                               .work = work, .arena = &s->arena};
	int hashed = s->cmd.flags & CMD_HASHES_SOURCES;

	if (!text || s->primaries.count != 1)
		return;
	key_by(s, read_names(s, &r, hashed ? INPUT_TEXT_BOUND : INPUT_TEXT_PATCHED));
	if (start_accepts(&s->set, "lineinfo") && !hashed)
		s->text_sloppy = read_names(s, &r, INPUT_TEXT_SLOPPY);
}

int source_names_accept_sloppy(struct start *s)
{
	if (!s->text_sloppy)
		return 0;
	key_by(s, s->text_sloppy);
	s->text_sloppy = NULL;
	return 1;
}
