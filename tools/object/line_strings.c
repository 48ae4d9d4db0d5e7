/* tools/object/line_strings.c - walks the relocations that refer to .debug_line_str. */
#include "tools/object/line_strings.h"

#include <elf.h>
#include <string.h>

#include "shim/sort.h"
#include "tools/object/sections.h"

#include "shim/banned.h"

#define LINES ".debug_line_str"
#define VALUE 4u /* bytes of a reference: DWARF of 32 bits */
/* More references take too long. Their link takes a second. */
#define REFERENCES_MAX (1u << 20)

struct object {
	const unsigned char *bytes;
	size_t n;
	size_t lines; /* number of .debug_line_str */
	struct section strings;
};

static int is_expected(const unsigned char *bytes, size_t n)
{
	Elf64_Ehdr head;

	if (n < sizeof head || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return 0;
	memcpy(&head, bytes, sizeof head);
	return head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_ident[EI_DATA] == ELFDATA2LSB &&
	       head.e_machine == EM_X86_64;
}

/* lines is 0 where the object has no such section. */
static int open_object(struct object *o, const void *bytes, size_t n)
{
	struct section s;

	*o = (struct object){.bytes = bytes, .n = n};
	if (!is_expected(bytes, n))
		return -1;
	for (size_t i = 1; section_number(&s, bytes, n, i) == 0; i++) {
		if (strcmp(s.name, LINES) != 0)
			continue;
		if (o->lines || s.type != SHT_PROGBITS || !s.merges || !s.len ||
		    ((const char *)s.data)[s.len - 1])
			return -1;
		o->lines = i;
		o->strings = s;
	}
	return 0;
}

/* A reference of the object: its relocation, and the section that it lies in. */
struct reference {
	size_t at; /* of the relocation, in the object */
	uint64_t offset, addend;
	size_t section;
};
/* The next relocation: number k of section i. Both zero: the first one. */
struct walk {
	size_t i, k;
	struct section relocations, symbols;
};

/* 1: the symbol stands for the section of strings. -1: for a place in it. */
static int is_lines(const struct object *o, const struct section *symbols, uint64_t symbol)
{
	Elf64_Sym s;

	if (symbol >= symbols->len / sizeof s)
		return -1;
	memcpy(&s, (const char *)symbols->data + symbol * sizeof s, sizeof s);
	if (s.st_shndx != o->lines)
		return 0;
	return ELF64_ST_TYPE(s.st_info) == STT_SECTION && !s.st_value ? 1 : -1;
}

/* The next section of relocations. 1; 0: there is no more; -1: another form. */
static int next_section(const struct object *o, struct walk *w)
{
	for (w->k = 0; section_number(&w->relocations, o->bytes, o->n, ++w->i) == 0;) {
		if (w->relocations.type == SHT_REL)
			return -1;
		if (w->relocations.type != SHT_RELA)
			continue;
		return w->relocations.len % sizeof(Elf64_Rela) == 0 &&
		       section_number(&w->symbols, o->bytes, o->n, w->relocations.link) == 0 &&
		       w->symbols.type == SHT_SYMTAB ? 1 : -1;
	}
	return 0;
}

/* 1 and the next reference; 0: there is no more; -1: another form. */
static int next_reference(const struct object *o, struct walk *w, struct reference *out)
{
	Elf64_Rela r;

	for (;;) {
		const char *at;
		int rc = 1;

		while (rc > 0 && (!w->i || w->k == w->relocations.len / sizeof r))
			rc = next_section(o, w);
		if (rc <= 0)
			return rc;
		at = (const char *)w->relocations.data + w->k++ * sizeof r;
		memcpy(&r, at, sizeof r);
		rc = is_lines(o, &w->symbols, ELF64_R_SYM(r.r_info));
		if (!rc)
			continue;
		if (rc < 0 || ELF64_R_TYPE(r.r_info) != R_X86_64_32 || r.r_addend < 0 ||
		    (uint64_t)r.r_addend >= o->strings.len)
			return -1;
		*out = (struct reference){(size_t)((const unsigned char *)at - o->bytes),
		                          r.r_offset, (uint64_t)r.r_addend,
		                          w->relocations.info};
		return 1;
	}
}

static void reverse(char *from, char *to)
{
	while (from < --to) {
		char c = *from;

		*from++ = *to;
		*to = c;
	}
}

/* --- the strings of a link --- */

static size_t section_of(struct line_strings *l, const struct section *s)
{
	struct line_section *v;
	size_t i = 0;

	while (i < l->section_count && strcmp(l->section[i].name, s->name) != 0)
		i++;
	if (i < l->section_count)
		return i;
	v = arena_grow(l->arena, l->section, l->section_count, &l->section_cap, sizeof *v, 16);
	if (!v)
		return SIZE_MAX;
	l->section = v;
	v[i] = (struct line_section){.name = arena_strdup(l->arena, s->name)};
	if (!v[i].name)
		return SIZE_MAX;
	l->section_count++;
	return i;
}

/* Adds the references, and then the sections: a reference lies behind the earlier objects. */
static int add_references(struct line_strings *l, const struct object *o, const char *strings)
{
	struct walk walk = {0};
	struct reference r;
	int rc;

	while ((rc = next_reference(o, &walk, &r)) > 0) {
		struct line_reference *v = arena_grow(l->arena, l->ref, l->ref_count, &l->ref_cap,
		                                      sizeof *v, 256);
		struct section s;
		size_t section;

		if (!v || l->ref_count == REFERENCES_MAX ||
		    section_number(&s, o->bytes, o->n, r.section) < 0 || s.type != SHT_PROGBITS ||
		    (s.flags & SHF_ALLOC) || s.len < VALUE || r.offset > s.len - VALUE ||
		    (section = section_of(l, &s)) == SIZE_MAX)
			return -1;
		l->ref = v;
		v[l->ref_count++] = (struct line_reference){
			strings + r.addend, section, l->section[section].len + r.offset};
	}
	return rc;
}

static int add_sections(struct line_strings *l, const struct object *o)
{
	struct section s;

	for (size_t i = 1; section_number(&s, o->bytes, o->n, i) == 0; i++) {
		size_t section;

		if (strncmp(s.name, ".debug_", 7) != 0 || s.type == SHT_RELA)
			continue;
		section = section_of(l, &s);
		if (section == SIZE_MAX)
			return -1;
		l->section[section].len += s.len;
		if (l->section[section].align < s.align)
			l->section[section].align = s.align;
	}
	return 0;
}

/* A string of the file that is no end of another one. */
struct host {
	const char *text;
	uint32_t was, now; /* its offsets */
};
#define NOWHERE UINT32_MAX

struct linked {
	unsigned char *strings;
	size_t len;
	struct host *by_place, **by_text; /* the same ones */
	size_t count;
	char *old; /* copy of the strings */
};

static int by_text(const void *x, const void *y)
{
	return strcmp((*(struct host *const *)x)->text, (*(struct host *const *)y)->text);
}

static int read_hosts(struct linked *f, struct arena *a)
{
	size_t cap = 0;

	for (const char *p = f->old; p < f->old + f->len; p += strlen(p) + 1)
		cap++;
	f->by_place = arena_alloc(a, (cap + 1) * sizeof *f->by_place);
	f->by_text = arena_alloc(a, (cap + 1) * sizeof *f->by_text);
	if (!f->by_place || !f->by_text)
		return -1;
	for (const char *p = f->old; p < f->old + f->len; p += strlen(p) + 1) {
		f->by_text[f->count] = &f->by_place[f->count];
		f->by_place[f->count++] = (struct host){p, (uint32_t)(p - f->old), NOWHERE};
	}
	f->by_text = sort_stable(a, f->by_text, f->count, sizeof *f->by_text, by_text);
	return f->by_text ? 0 : -1;
}

static struct host *host_of(const struct linked *f, const char *text)
{
	size_t from = 0, to = f->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int rc = strcmp(text, f->by_text[middle]->text);

		if (rc == 0)
			return f->by_text[middle];
		if (rc < 0)
			to = middle;
		else
			from = middle + 1;
	}
	return NULL;
}

/* Writes the strings in their new order. */
static int put_strings(struct linked *f, const struct line_strings *l)
{
	size_t at = 0;

	for (size_t i = 0; i < l->count; i++) {
		struct host *h = host_of(f, l->text[i]);
		size_t len = strlen(l->text[i]) + 1;

		if (!h || h->now != NOWHERE)
			continue;
		if (len > f->len - at)
			return -1;
		h->now = (uint32_t)at;
		memcpy(f->strings + at, l->text[i], len);
		at += len;
	}
	return at == f->len ? 0 : -1;
}

/* The new offset of what lies at an old one. */
static uint32_t moved(const struct linked *f, uint32_t was)
{
	size_t from = 0, to = f->count;

	while (to - from > 1) {
		size_t middle = from + (to - from) / 2;

		if (f->by_place[middle].was <= was)
			from = middle;
		else
			to = middle;
	}
	return f->by_place[from].now + (was - f->by_place[from].was);
}

static int put_reference(const struct linked *f, const struct line_reference *r,
                         unsigned char *section)
{
	uint32_t value;

	memcpy(&value, section + r->offset, sizeof value);
	if (value >= f->len || strcmp(f->old + value, r->text) != 0)
		return -1;
	value = moved(f, value);
	memcpy(section + r->offset, &value, sizeof value);
	return 0;
}

/* 1: the file has none of these sections. */
static int has_none(const struct line_strings *l, const void *file, size_t n)
{
	struct section s;

	for (size_t i = 0; i < l->section_count; i++)
		if (section_named(&s, file, n, l->section[i].name) == 0)
			return 0;
	return 1;
}

/* The section of this name in the file; NULL: it is not made of the objects' alone. */
static unsigned char *find_section(const struct line_section *want, void *file, size_t n)
{
	struct section s;

	if (want->align > 1 || section_named(&s, file, n, want->name) < 0 || s.len != want->len)
		return NULL;
	return (unsigned char *)file + ((const char *)s.data - (const char *)file);
}

static int put_references(const struct linked *f, const struct line_strings *l, void *file,
                          size_t n)
{
	unsigned char **section = arena_alloc(l->arena, (l->section_count + 1) * sizeof *section);

	for (size_t i = 0; section && i < l->section_count; i++)
		section[i] = find_section(&l->section[i], file, n);
	for (size_t i = 0; i < l->ref_count; i++) {
		const struct line_reference *r = &l->ref[i];

		if (!section || !section[r->section] ||
		    put_reference(f, r, section[r->section]) < 0)
			return -1;
	}
	return section ? 0 : -1;
}

/* --- public, in header order --- */

int line_strings_first(const void *object, size_t n, const char *first[2])
{
	struct object o;

	if (open_object(&o, object, n) < 0 || !o.lines)
		return -1;
	first[0] = o.strings.data;
	first[1] = first[0] + strlen(first[0]) + 1;
	return (size_t)(first[1] - first[0]) < o.strings.len ? 0 : -1;
}

int line_strings_exchange(void *object, size_t n)
{
	const char *first[2];
	uint64_t one, both;
	struct object o;
	struct reference r;
	char *text;
	int rc;

	if (line_strings_first(object, n, first) < 0 || open_object(&o, object, n) < 0)
		return -1;
	one = strlen(first[0]) + 1;
	both = one + strlen(first[1]) + 1;
	for (struct walk w = {0}; (rc = next_reference(&o, &w, &r));)
		if (rc < 0 || (r.addend < both && r.addend != 0 && r.addend != one))
			return -1;
	for (struct walk w = {0}; next_reference(&o, &w, &r) > 0;) {
		Elf64_Sxword addend = r.addend ? 0 : (Elf64_Sxword)(both - one);

		if (r.addend < both)
			memcpy((char *)object + r.at + offsetof(Elf64_Rela, r_addend), &addend,
			       sizeof addend);
	}
	text = (char *)object + (first[0] - (const char *)object);
	/* The last zero stays. In front of it: one, zero, other. */
	reverse(text, text + one - 1);
	reverse(text + one, text + both - 1);
	reverse(text, text + both - 1);
	return 0;
}

int line_strings_add(struct line_strings *l, const void *object, size_t n)
{
	struct object o;
	const char *copy;

	if (open_object(&o, object, n) < 0)
		return -1;
	if (o.lines) {
		copy = arena_memdup(l->arena, o.strings.data, o.strings.len);
		if (!copy || add_references(l, &o, copy) < 0)
			return -1;
		for (const char *p = copy; p < copy + o.strings.len; p += strlen(p) + 1) {
			if (!arena_room(l->arena, l->text, l->count, &l->cap, 256))
				return -1;
			l->text[l->count++] = p;
		}
	}
	return add_sections(l, &o);
}

int line_strings_enter(const struct line_strings *l, void *file, size_t n)
{
	struct linked f = {0};
	struct section s;

	if (has_none(l, file, n))
		return 1;
	if (!is_expected(file, n) || section_named(&s, file, n, LINES) < 0 || !s.len ||
	    s.len >= NOWHERE || ((const char *)s.data)[s.len - 1])
		return -1;
	f.strings = (unsigned char *)file + ((const char *)s.data - (const char *)file);
	f.len = s.len;
	f.old = arena_memdup(l->arena, f.strings, f.len);
	if (!f.old || read_hosts(&f, l->arena) < 0 || put_strings(&f, l) < 0)
		return -1;
	return put_references(&f, l, file, n);
}
