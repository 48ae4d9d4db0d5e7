/* tools/object/gcc_directory.c - an ELF64 relocatable object for x86-64:
 *
 *   header, sections in the order of their offsets, each at a multiple of its alignment with zeros
 *   before it, table of section headers at a multiple of 8, end of the file
 *
 * Assemblers of binutils 2.43 and later align no section to more than 8 in the file. */
#include "tools/object/gcc_directory.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "shim/arena.h"
#include "shim/sort.h"
#include "tools/object/gcc_order.h"

#include "shim/banned.h"

/* Exchanges the working directory in the text that gcc -S -g and cc1
 * -g write.
 *
 * DWARF 5 of gcc holds the directory in two places of the text: in `.file 0`, and as a string of
 * .debug_line_str. There it comes before or behind the name of the source
 * (tools/object/gcc_order.h). Each string has a label of its own, whose number does not depend on
 * the order. So the text of another directory can be computed. */

/* gcc cuts strings of 256 bytes and more into pieces. */
#define WHOLE 200
#define FILE_ZERO "\t.file 0 \""

static int text_begins(const char *p, const char *end, const char *what, size_t n)
{
	return (size_t)(end - p) >= n && memcmp(p, what, n) == 0;
}

/* gcc writes it unchanged: other characters are escaped. */
static int is_plain(const char *s)
{
	size_t n = 0;

	for (; s[n]; n++)
		if (s[n] < ' ' || s[n] > '~' || s[n] == '"' || s[n] == '\\')
			return 0;
	return n && n < WHOLE;
}

static size_t count(const char *text, size_t n, const char *what)
{
	size_t len = strlen(what), found = 0;
	const char *end = text + n;

	for (const char *p = text; (p = memmem(p, (size_t)(end - p), what, len)); p += len)
		found++;
	return found;
}

/* Begin of the directory in `.file 0 "directory" "name"`, or NULL. */
static const char *file_zero(const char *text, size_t n, const char *from)
{
	size_t len = strlen(from), head = sizeof FILE_ZERO - 1;
	const char *end = text + n, *p = memmem(text, n, FILE_ZERO, head);

	if (!p || (p > text && p[-1] != '\n'))
		return NULL;
	p += head;
	return text_begins(p, end, from, len) && text_begins(p + len, end, "\" \"", 3) ? p : NULL;
}

static void put_block(struct buf *out, const char *text, const struct gcc_order_block *b,
                      const char *string)
{
	buf_add(out, text + b->begin, b->string - b->begin);
	buf_add(out, string, strlen(string));
	buf_add(out, text + b->string + b->len, b->end - b->string - b->len);
}

static char *copy(struct arena *a, const char *text, const struct gcc_order_block *b)
{
	return arena_memdup(a, text + b->string, b->len);
}

/* As gcc_directory_move. -1 also where another place of the text holds one
 * of the directories, or where gcc would escape or divide one. */
static int gcc_directory_move_text(struct buf *out, const char *text, size_t n, const char *from,
                            const char *to)
{
	struct gcc_order_block b[2];
	const char *zero = file_zero(text, n, from), *string[2];
	size_t start = out->len, name, moved;

	if (!zero || !is_plain(from) || !is_plain(to) || gcc_order_blocks(text, n, b) < 0 ||
	    (size_t)(zero - text) > b[0].begin || count(text, n, from) != 2)
		return -1;
	for (int i = 0; i < 2; i++)
		if (!(string[i] = copy(out->arena, text, &b[i])))
			return -1;
	name = strcmp(string[0], from) == 0;
	if (strcmp(string[!name], from) != 0 ||
	    (gcc_order(string[name], from) == LINE_ORDER_NAME) != !name)
		return -1;
	moved = gcc_order(string[name], to) == LINE_ORDER_NAME;
	buf_add(out, text, (size_t)(zero - text));
	buf_add(out, to, strlen(to));
	zero += strlen(from);
	buf_add(out, zero, b[0].begin - (size_t)(zero - text));
	for (size_t i = 0; i < 2; i++)
		if (i == moved)
			put_block(out, text, &b[!name], to);
		else
			put_block(out, text, &b[name], string[name]);
	buf_add(out, text + b[1].end, n - b[1].end);
	return out->failed || count((char *)out->data + start, out->len - start, to) != 2 ? -1 : 0;
}

#define TABLE_ALIGN 8u
#define ALIGN_SINCE_2_43 8u
/* Strings of a line table: names of headers. */
#define STRINGS_MAX (1u << 20)
/* By longer strings and other gaps. An alignment in a damaged object would ask for more. */
#define GROWTH_MAX (4u << 20)
#define NO_STRING UINT32_MAX

struct moved {
	const unsigned char *object;
	size_t n;
	Elf64_Ehdr head;
	Elf64_Shdr *was;
	Elf64_Shdr *now;     /* with the new sizes and places */
	size_t *order;       /* sections by their places in the file */
	size_t lines;        /* index of .debug_line_str */
	struct buf strings;  /* its new content */
	uint32_t *place;     /* new offset of the string at an old offset, or NO_STRING */
};

static int read_head(struct moved *m)
{
	const Elf64_Ehdr *h = &m->head;

	if (m->n < sizeof m->head)
		return -1;
	memcpy(&m->head, m->object, sizeof m->head);
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_type != ET_REL ||
	    h->e_machine != EM_X86_64 || h->e_phnum || h->e_shentsize != sizeof(Elf64_Shdr) ||
	    !h->e_shnum || !h->e_shstrndx || h->e_shstrndx >= h->e_shnum || h->e_shoff > m->n ||
	    m->n - h->e_shoff != (size_t)h->e_shnum * sizeof(Elf64_Shdr))
		return -1;
	return 0;
}

static int read_sections(struct moved *m, struct arena *a)
{
	size_t count = m->head.e_shnum;

	m->was = arena_alloc(a, count * sizeof *m->was);
	m->now = arena_alloc(a, count * sizeof *m->now);
	if (!m->was || !m->now)
		return -1;
	memcpy(m->was, m->object + m->head.e_shoff, count * sizeof *m->was);
	memcpy(m->now, m->was, count * sizeof *m->now);
	for (size_t i = 1; i < count; i++) {
		const Elf64_Shdr *s = &m->was[i];
		uint64_t size = s->sh_type == SHT_NOBITS ? 0 : s->sh_size;

		if (s->sh_offset > m->head.e_shoff || size > m->head.e_shoff - s->sh_offset ||
		    s->sh_type == SHT_REL || s->sh_type == SHT_NULL ||
		    (s->sh_addralign & (s->sh_addralign - 1)))
			return -1;
	}
	return 0;
}

static const char *name_of(const struct moved *m, const Elf64_Shdr *s)
{
	const Elf64_Shdr *names = &m->was[m->head.e_shstrndx];
	const char *text = (const char *)m->object + names->sh_offset;

	if (names->sh_type != SHT_STRTAB || s->sh_name >= names->sh_size ||
	    text[names->sh_size - 1])
		return "";
	return text + s->sh_name;
}

/* The only section of this name. */
static int find_lines(struct moved *m)
{
	m->lines = 0;
	for (size_t i = 1; i < m->head.e_shnum; i++) {
		if (strcmp(name_of(m, &m->was[i]), ".debug_line_str") != 0)
			continue;
		if (m->lines || m->was[i].sh_type != SHT_PROGBITS ||
		    m->was[i].sh_flags & SHF_COMPRESSED || m->was[i].sh_addralign > 1)
			return -1;
		m->lines = i;
	}
	return m->lines && m->was[m->lines].sh_size <= STRINGS_MAX ? 0 : -1;
}

static int begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static void put_string(struct moved *m, const char *text, size_t old)
{
	m->place[old] = (uint32_t)m->strings.len;
	buf_add(&m->strings, text, strlen(text) + 1);
}

/* The new strings, and where each went. */
static int move_strings(struct moved *m, const char *from, const char *to, struct arena *a)
{
	const char *text = (const char *)m->object + m->was[m->lines].sh_offset;
	size_t n = m->was[m->lines].sh_size, first, name, directory;

	m->strings = (struct buf)BUF_INIT(a);
	m->place = arena_alloc(a, (n + 1) * sizeof *m->place);
	if (!m->place || !n || text[n - 1] || strlen(text) + 1 >= n)
		return -1;
	memset(m->place, 0xff, (n + 1) * sizeof *m->place);
	first = strlen(text) + 1;
	name = strcmp(text, from) == 0 ? first : 0;
	directory = name ? 0 : first;
	if (strcmp(text + directory, from) != 0 ||
	    !gcc_order_holds(text, n, text + name, from) || begins(text + name, from) ||
	    begins(text + name, to))
		return -1;
	if (gcc_order(text + name, to) == LINE_ORDER_NAME) {
		put_string(m, text + name, name);
		put_string(m, to, directory);
	} else {
		put_string(m, to, directory);
		put_string(m, text + name, name);
	}
	for (size_t at = first + strlen(text + first) + 1; at < n; at += strlen(text + at) + 1) {
		int is_directory = strcmp(text + at, from) == 0;

		if (!is_directory && (begins(text + at, from) || begins(text + at, to)))
			return -1;
		put_string(m, is_directory ? to : text + at, at);
	}
	return m->strings.failed ? -1 : 0;
}

struct position {
	uint64_t offset;
	size_t index;
};

static int by_offset(const void *x, const void *y)
{
	const struct position *a = x, *b = y;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static int sort_sections(struct moved *m, struct arena *a)
{
	size_t count = m->head.e_shnum - 1u;
	struct position *v = arena_alloc(a, (count + 1) * sizeof *v);

	m->order = arena_alloc(a, (count + 1) * sizeof *m->order);
	if (!v || !m->order)
		return -1;
	for (size_t i = 0; i < count; i++)
		v[i] = (struct position){m->was[i + 1].sh_offset, i + 1};
	v = sort_stable(a, v, count, sizeof *v, by_offset);
	for (size_t i = 0; v && i < count; i++)
		m->order[i] = v[i].index;
	return v ? 0 : -1;
}

static uint64_t aligned(uint64_t at, uint64_t align)
{
	return align > 1 ? (at + align - 1) & ~(align - 1) : at;
}

static void pad_to(struct buf *out, size_t start, uint64_t offset)
{
	static const unsigned char zeros[64];

	while (!out->failed && out->len - start < offset) {
		size_t n = offset - (out->len - start);

		buf_add(out, zeros, n < sizeof zeros ? n : sizeof zeros);
	}
}

/* 1: the symbol stands for .debug_line_str. -1: it stands for a place in it. */
static int is_lines(const struct moved *m, const Elf64_Shdr *relocations, uint64_t symbol)
{
	const Elf64_Shdr *table;
	Elf64_Sym s;

	if (!relocations->sh_link || relocations->sh_link >= m->head.e_shnum)
		return -1;
	table = &m->was[relocations->sh_link];
	if (table->sh_type != SHT_SYMTAB || symbol >= table->sh_size / sizeof s)
		return -1;
	memcpy(&s, m->object + table->sh_offset + symbol * sizeof s, sizeof s);
	if (s.st_shndx != m->lines)
		return 0;
	return ELF64_ST_TYPE(s.st_info) == STT_SECTION && !s.st_value ? 1 : -1;
}

static int put_relocations(const struct moved *m, const Elf64_Shdr *s, struct buf *out)
{
	Elf64_Rela r;

	if (s->sh_size % sizeof r)
		return -1;
	for (uint64_t at = 0; at < s->sh_size; at += sizeof r) {
		int lines;

		memcpy(&r, m->object + s->sh_offset + at, sizeof r);
		lines = is_lines(m, s, ELF64_R_SYM(r.r_info));
		if (lines < 0)
			return -1;
		if (lines) {
			if (r.r_addend < 0 || (uint64_t)r.r_addend >= m->was[m->lines].sh_size ||
			    m->place[r.r_addend] == NO_STRING)
				return -1;
			r.r_addend = m->place[r.r_addend];
		}
		buf_add(out, &r, sizeof r);
	}
	return 0;
}

static uint64_t next_place(const Elf64_Shdr *s, uint64_t at, uint64_t most)
{
	return aligned(at, s->sh_addralign < most ? s->sh_addralign : most);
}

/* 1: the object was laid out with alignments of at most so much. */
static int is_laid_so(const struct moved *m, uint64_t most)
{
	uint64_t at = sizeof m->head;

	for (size_t i = 0; i + 1 < m->head.e_shnum; i++) {
		const Elf64_Shdr *s = &m->was[m->order[i]];

		if (next_place(s, at, most) != s->sh_offset)
			return 0;
		at = s->sh_offset + (s->sh_type == SHT_NOBITS ? 0 : s->sh_size);
	}
	return aligned(at, TABLE_ALIGN) == m->head.e_shoff;
}

static uint64_t place(struct moved *m, uint64_t most)
{
	uint64_t at = sizeof m->head;

	for (size_t i = 0; i + 1 < m->head.e_shnum; i++) {
		Elf64_Shdr *s = &m->now[m->order[i]];

		s->sh_offset = at = next_place(s, at, most);
		at += s->sh_type == SHT_NOBITS ? 0 : s->sh_size;
	}
	return aligned(at, TABLE_ALIGN);
}

/* Where the object may be of either form, the new one must be, too. */
static int place_sections(struct moved *m)
{
	int old = is_laid_so(m, UINT64_MAX), since = is_laid_so(m, ALIGN_SINCE_2_43);

	if (!old && !since)
		return -1;
	m->now[m->lines].sh_size = m->strings.len;
	m->head.e_shoff = place(m, since ? ALIGN_SINCE_2_43 : UINT64_MAX);
	for (size_t i = 1; i < m->head.e_shnum && old && since; i++)
		if (m->now[i].sh_addralign > ALIGN_SINCE_2_43 &&
		    m->now[i].sh_offset % m->now[i].sh_addralign)
			return -1;
	return m->head.e_shoff > m->n + GROWTH_MAX ? -1 : 0;
}

static int put_sections(const struct moved *m, struct buf *out)
{
	size_t start = out->len;

	buf_add(out, &m->head, sizeof m->head);
	for (size_t i = 0; i + 1 < m->head.e_shnum; i++) {
		size_t k = m->order[i];
		const Elf64_Shdr *s = &m->was[k];

		pad_to(out, start, m->now[k].sh_offset);
		if (k == m->lines)
			buf_add(out, m->strings.data, m->strings.len);
		else if (s->sh_type == SHT_RELA && put_relocations(m, s, out) < 0)
			return -1;
		else if (s->sh_type != SHT_RELA && s->sh_type != SHT_NOBITS)
			buf_add(out, m->object + s->sh_offset, s->sh_size);
	}
	pad_to(out, start, m->head.e_shoff);
	buf_add(out, m->now, m->head.e_shnum * sizeof *m->now);
	return out->failed ? -1 : 0;
}

int gcc_directory_move(struct buf *out, const void *object, size_t n, const char *from,
                       const char *to)
{
	struct moved m = {.object = object, .n = n};
	struct arena *a = out->arena;
	size_t start = out->len;

	if (n < SELFMAG)
		return -1;
	if (memcmp(object, ELFMAG, SELFMAG) != 0)
		return gcc_directory_move_text(out, object, n, from, to);
	if (read_head(&m) < 0 || read_sections(&m, a) < 0 || find_lines(&m) < 0 ||
	    move_strings(&m, from, to, a) < 0 || sort_sections(&m, a) < 0 ||
	    place_sections(&m) < 0 || put_sections(&m, out) < 0)
		return -1;
	return strcmp(from, to) != 0 || (out->len - start == n &&
	                                 memcmp(out->data + start, object, n) == 0) ? 0 : -1;
}
