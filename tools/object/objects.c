/* tools/object/objects.c - names in objects, and the order in which a linker merges strings. */
#include "tools/object/objects.h"

#include <elf.h>
#include <string.h>

#include "shim/path.h"
#include "shim/sort.h"
#include "tools/object/line_strings.h"
#include "tools/object/sections.h"

#include "shim/banned.h"

/* More strings take too long to sort. Their link takes half a second. */
#define STRINGS_MAX (1u << 18)

static const char *const merged[] = {".debug_str", ".debug_line_str"};

static int holds(const void *bytes, size_t n, const char *word)
{
	return n && memmem(bytes, n, word, strlen(word)) != NULL;
}

/* ET_NONE: no ELF file of the sort that tools/object/sections.h reads. */
static int elf_type(const unsigned char *bytes, size_t n)
{
	Elf64_Ehdr head;

	if (n < sizeof head || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return ET_NONE;
	memcpy(&head, bytes, sizeof head);
	return head.e_ident[EI_CLASS] == ELFCLASS64 ? head.e_type : ET_NONE;
}

/* An object or archive that adds no strings and no code to be compiled. */
static int adds_no_strings(const unsigned char *bytes, size_t n)
{
	return (elf_type(bytes, n) == ET_REL || (n >= 8 && memcmp(bytes, "!<arch>\n", 8) == 0)) &&
	       !holds(bytes, n, ".debug_") && !holds(bytes, n, ".zdebug") &&
	       !holds(bytes, n, ".gnu.lto_");
}

/* 1: all sections can be read, and none holds code to be compiled. */
static int is_plain(const void *bytes, size_t n)
{
	struct section s;
	size_t i = 0;

	for (; section_number(&s, bytes, n, i) == 0; i++)
		if (strncmp(s.name, ".gnu.lto_", 9) == 0)
			return 0;
	return i > 1 && !sections_hide_names(bytes, n);
}

static int is_debug(const struct section *s)
{
	return strncmp(s->name, ".debug_", 7) == 0 && !(s->flags & SHF_ALLOC);
}

static int is_merged(const struct section *s)
{
	return strcmp(s->name, merged[0]) == 0 || strcmp(s->name, merged[1]) == 0;
}

/* Paths stand between zeros. Before the first path of a table there may be a count. */
static void learn_strings(struct names *found, const struct section *s)
{
	const char *p = s->data, *end = p + s->len;
	struct buf unused = BUF_INIT(found->arena);

	for (size_t len; p < end; p += len + 1) {
		while (p < end && *p > 0 && *p < ' ')
			p++;
		len = strnlen(p, (size_t)(end - p));
		unused.len = 0;
		if (p + len < end && memchr(p, '/', len))
			names_arg(found, p, 1, &unused);
	}
}

/* 1: the linker copies this name wherever its bytes go. */
static int is_copied(const struct linked_object *v, const struct patch *p, size_t len)
{
	struct section s;

	return section_at(&s, v->bytes, v->n, p->offset) == 0 && is_debug(&s) &&
	       v->bytes + p->offset + len <= (const unsigned char *)s.data + s.len &&
	       (s.flags & SHF_MERGE ? s.merges && is_merged(&s) : 1);
}

/* A string, by its last byte, and the names in it: a byte for each byte, zero outside of names. */
struct string {
	const unsigned char *last, *mark;
	size_t len;
};
struct strings {
	struct string *v;
	size_t count, cap;
	int marked;
};

/* The number of a name, and whether the name ends here. */
static unsigned char *marks_of(const struct linked_object *v, const struct patch_name *names,
                               struct arena *a)
{
	unsigned char *marks = arena_alloc(a, v->n);

	for (size_t k = 0; marks && k < v->places.count; k++) {
		const struct patch *p = &v->places.v[k];
		size_t len = names[p->index].len;

		memset(marks + p->offset, p->index + 1, len);
		marks[p->offset + len - 1] |= 0x80;
	}
	return marks;
}

static int add_strings(struct strings *out, const struct section *s, const unsigned char *mark,
                       struct arena *a)
{
	const unsigned char *p = s->data, *end = p + s->len;

	for (size_t len; p < end; p += len + 1, mark += len + 1) {
		struct string *v = arena_grow(a, out->v, out->count, &out->cap, sizeof *v, 256);

		if (!v || out->count == STRINGS_MAX)
			return -1;
		len = strnlen((const char *)p, (size_t)(end - p));
		out->v = v;
		v[out->count++] = (struct string){p + len - 1, mark + len - 1, len};
		for (size_t i = 0; i < len && !out->marked; i++)
			out->marked = mark[i];
	}
	return 0;
}

static size_t common_end(const struct string *x, const struct string *y)
{
	size_t n = 0, most = x->len < y->len ? x->len : y->len;

	while (n < most && *(x->last - n) == *(y->last - n))
		n++;
	return n;
}

/* As the linker sorts. */
static int by_end(const void *first, const void *second)
{
	const struct string *x = first, *y = second;
	size_t n = common_end(x, y);

	if (n < x->len && n < y->len)
		return *(x->last - n) - *(y->last - n);
	return (x->len > y->len) - (x->len < y->len);
}

/* 1: under other names the two strings may compare otherwise, or share another end. */
static int order_varies(const struct string *x, const struct string *y, size_t common)
{
	for (size_t i = 0; i < common; i++)
		if (*(x->mark - i) != *(y->mark - i))
			return 1;
	return common < x->len && common < y->len &&
	       (*(x->mark - common) || *(y->mark - common));
}

/* least: the length of the shortest string that ends string i. The order of two neighbours counts
 * if such a string ends both. What holds of all neighbours holds of all pairs. */
static int merges_alike(struct strings *s, struct arena *a)
{
	struct string *v = sort_stable(a, s->v, s->count, sizeof *v, by_end);
	size_t least = v && s->count ? v[0].len : 0;

	for (size_t i = 1; v && i < s->count; i++) {
		size_t common = common_end(&v[i - 1], &v[i]);

		if (least <= common && order_varies(&v[i - 1], &v[i], common))
			return 0;
		if (least > common)
			least = v[i].len;
	}
	return v != NULL;
}

/* The string with its names replaced, numbered by themselves. */
static void put_spec(const char *text, const struct names *template, struct buf *out)
{
	struct names own = *template;

	own.count = 0;
	names_arg(&own, text, 1, out);
}

/* --- public, in header order --- */

int objects_shared(const void *head, size_t n)
{
	return elf_type(head, n) == ET_DYN;
}

int objects_settle_order(void *bytes, size_t n, const struct names *found)
{
	struct buf spec[2] = {BUF_INIT(found->arena), BUF_INIT(found->arena)};
	const char *first[2];
	int generated = 0, order;

	if (elf_type(bytes, n) != ET_REL || line_strings_first(bytes, n, first) < 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		put_spec(first[i], found, &spec[i]);
		buf_u8(&spec[i], 0);
		if (spec[i].failed)
			return -1;
		generated |= strchr((const char *)spec[i].data, NAMES_MARK) != NULL;
	}
	if (!generated)
		return -1;
	order = strcmp((const char *)spec[0].data, (const char *)spec[1].data);
	if (order <= 0)
		return order < 0 ? 0 : -1;
	return line_strings_exchange(bytes, n) < 0 ? -1 : 1;
}

int objects_learn(const void *bytes, size_t n, struct names *found)
{
	struct section s;

	for (size_t i = 0; section_number(&s, bytes, n, i) == 0; i++)
		if (is_debug(&s) && (is_merged(&s) || strncmp(s.name, ".debug_line", 11) == 0))
			learn_strings(found, &s);
	return found->overflow ? -1 : 0;
}

int objects_add(struct objects *o, void *bytes, size_t n)
{
	struct linked_object *v;

	if (elf_type(bytes, n) != ET_REL)
		return adds_no_strings(bytes, n) ? -1 : -2;
	if (!is_plain(bytes, n) ||
	    !(v = arena_grow(o->arena, o->v, o->count, &o->cap, sizeof *v, 8)))
		return -2;
	o->v = v;
	o->v[o->count] = (struct linked_object){.bytes = bytes, .n = n};
	return (int)o->count++;
}

int objects_find(struct objects *o, const struct patch_name *names, size_t count)
{
	for (size_t i = 0; i < o->count; i++) {
		struct linked_object *v = &o->v[i];

		patch_find(&v->places, v->bytes, v->n, names, count, o->arena);
		if (v->places.overflow)
			return -1;
		for (size_t k = 0; k < v->places.count; k++)
			if (!is_copied(v, &v->places.v[k], names[v->places.v[k].index].len))
				return -1;
	}
	return 0;
}

int objects_merge_alike(struct objects *o, const struct patch_name *names)
{
	struct strings strings[2] = {{0}};
	struct section s;

	for (size_t i = 0; i < o->count; i++) {
		const struct linked_object *v = &o->v[i];
		const unsigned char *marks = marks_of(v, names, o->arena);

		for (size_t k = 0; section_number(&s, v->bytes, v->n, k) == 0; k++)
			if (!marks ||
			    (is_merged(&s) &&
			     add_strings(&strings[strcmp(s.name, merged[1]) == 0], &s,
			                 marks + ((const unsigned char *)s.data - v->bytes),
			                 o->arena) < 0))
				return 0;
	}
	for (int i = 0; i < 2; i++)
		if (strings[i].marked && !merges_alike(&strings[i], o->arena))
			return 0;
	return 1;
}

void objects_blanked(const struct objects *o, size_t i, const struct patch_name *names,
                     struct digest *out)
{
	const struct linked_object *v = &o->v[i];
	struct digest_state state;
	size_t at = 0;

	digest_init(&state);
	digest_add(&state, &v->places.count, sizeof v->places.count);
	for (size_t k = 0; k < v->places.count; k++) {
		const struct patch *p = &v->places.v[k];

		digest_add(&state, &p->offset, sizeof p->offset);
		digest_add(&state, &p->index, sizeof p->index);
		digest_add(&state, &names[p->index].len, sizeof names[p->index].len);
	}
	for (size_t k = 0; k < v->places.count; k++) {
		digest_add(&state, v->bytes + at, v->places.v[k].offset - at);
		at = v->places.v[k].offset + names[v->places.v[k].index].len;
	}
	digest_add(&state, v->bytes + at, v->n - at);
	digest_final(&state, out);
}

int objects_allow(const void *bytes, size_t n)
{
	/* A text is no object. Scripts are looked at elsewhere. */
	return adds_no_strings(bytes, n) || (elf_type(bytes, n) == ET_NONE && !memchr(bytes, 0, n));
}

int objects_program(const void *bytes, size_t n, const char *path)
{
	if (holds(bytes, n, "GNU ld %s\n"))
		return 1;
	return strcmp(path_base(path), "collect2") == 0 ? 0 : -1;
}
