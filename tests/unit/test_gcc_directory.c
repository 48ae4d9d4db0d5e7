/* tests/unit/test_gcc_directory.c - a small object in which the directory is exchanged.
 * tests/e2e/directory.bats compares real objects. */
#include "tools/object/gcc_directory.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

#include "tools/object/gcc_order.h"

static struct arena arena;

enum { LINES = 1, WIDE, RELA, SYMTAB, NAMES, SECTIONS };

/* An object as gas lays it out, with alignments of at most so much in the file. pad: bytes between
 * sections that no alignment explains. */
static struct buf laid(const char *dir, size_t pad, size_t most)
{
	static const char names[] = "\0.debug_line_str\0.wide\0.rela\0.symtab\0.shstrtab";
	const int by_name = gcc_order("a.c", dir) == LINE_ORDER_NAME;
	Elf64_Ehdr h = {.e_type = ET_REL, .e_machine = EM_X86_64, .e_shnum = SECTIONS,
	                .e_shentsize = sizeof(Elf64_Shdr), .e_shstrndx = NAMES};
	Elf64_Shdr s[SECTIONS] = {
		[LINES] = {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_addralign = 1},
		[WIDE] = {.sh_name = 17, .sh_type = SHT_PROGBITS, .sh_addralign = 16},
		[RELA] = {.sh_name = 23, .sh_type = SHT_RELA, .sh_addralign = 8,
		          .sh_link = SYMTAB},
		[SYMTAB] = {.sh_name = 29, .sh_type = SHT_SYMTAB, .sh_addralign = 8},
		[NAMES] = {.sh_name = 37, .sh_type = SHT_STRTAB, .sh_addralign = 1}};
	Elf64_Sym symbol[2] = {{0}, {.st_info = STT_SECTION, .st_shndx = LINES}};
	const size_t d = strlen(dir) + 1;
	const uint64_t at[] = {by_name ? 0 : d, by_name ? 4 : 0, 4 + d, 4 + 2 * d};
	Elf64_Rela r[4];
	struct buf lines = BUF_INIT(&arena), out = BUF_INIT(&arena);
	const struct { const void *p; size_t n; } content[SECTIONS] = {
		[WIDE] = {"0123456789abcdef01234", 21}, [RELA] = {r, sizeof r},
		[SYMTAB] = {symbol, sizeof symbol}, [NAMES] = {names, sizeof names}};

	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	for (int i = 0; i < 4; i++)
		r[i] = (Elf64_Rela){(Elf64_Addr)i * 4, ELF64_R_INFO(1, R_X86_64_32),
		                    (Elf64_Sxword)at[i]};
	buf_add(&lines, by_name ? "a.c" : dir, by_name ? 4 : d);
	buf_add(&lines, by_name ? dir : "a.c", by_name ? d : 4);
	buf_add(&lines, dir, d);
	buf_add(&lines, "/usr/include", 13);
	buf_add(&out, &h, sizeof h);
	for (int i = 1; i < SECTIONS; i++) {
		const void *p = i == LINES ? lines.data : content[i].p;

		while (out.len % (s[i].sh_addralign < most ? s[i].sh_addralign : most))
			buf_u8(&out, 0);
		s[i].sh_offset = out.len;
		s[i].sh_size = i == LINES ? lines.len : content[i].n;
		buf_add(&out, p, s[i].sh_size);
		for (size_t k = 0; i == WIDE && k < pad; k++)
			buf_u8(&out, 0);
	}
	while (out.len % 8)
		buf_u8(&out, 0);
	h.e_shoff = out.len;
	buf_add(&out, s, sizeof s);
	memcpy(out.data, &h, sizeof h);
	return out;
}

static struct buf object(const char *dir, size_t pad)
{
	return laid(dir, pad, 16);
}

static int equal(const struct buf *one, const struct buf *other)
{
	return one->len == other->len && memcmp(one->data, other->data, one->len) == 0;
}

static int moves(const struct buf *from, const char *was, const char *is, const struct buf *want)
{
	struct buf out = BUF_INIT(&arena);

	return gcc_directory_move(&out, from->data, from->len, was, is) == 0 &&
	       equal(&out, want);
}

Test(gcc_directory, any_length_and_order)
{
	static const char *const dirs[] = {"/srv/xy/one", "/srv/xy/two", "/h", "/srv/xy/one/x",
	                                   "/build/0123456789abcdef/long", "/q", "/r", "/s"};
	const size_t count = sizeof dirs / sizeof *dirs;
	int doubts = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++) {
			struct buf old = laid(dirs[i], 0, 16), since = laid(dirs[i], 0, 8);
			struct buf to_old = laid(dirs[k], 0, 16), to_since = laid(dirs[k], 0, 8);
			/* The object does not show which assembler wrote it. */
			int doubt = equal(&old, &since) && !equal(&to_old, &to_since);

			cr_expect_eq(moves(&old, dirs[i], dirs[k], &to_old), !doubt, "%s to %s",
			             dirs[i], dirs[k]);
			cr_expect_eq(moves(&since, dirs[i], dirs[k], &to_since), !doubt,
			             "%s to %s", dirs[i], dirs[k]);
			doubts += doubt;
		}
	cr_expect_gt(doubts, 0);
}

Test(gcc_directory, another_form)
{
	struct buf o = object("/srv/xy/one", 0), padded = object("/srv/xy/one", 16);

	cr_expect_not(moves(&padded, "/srv/xy/one", "/srv/xy/one", &padded));
	cr_expect_not(moves(&o, "/srv/xy/two", "/srv/xy/one", &o));
	/* Another string begins with the directory. */
	for (const char *const *dir = (const char *const[]){"/usr", "/usr/include", "a", NULL};
	     *dir; dir++) {
		struct buf out = BUF_INIT(&arena);

		cr_expect_lt(gcc_directory_move(&out, o.data, o.len, "/srv/xy/one", *dir), 0, "%s",
		             *dir);
	}
}

/* A damaged byte leads to no read outside of the object. A cut object has no table. */
Test(gcc_directory, damaged)
{
	struct buf o = object("/srv/xy/one", 0);
	static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};

	for (size_t i = 0; i < o.len; i++) {
		struct buf out = BUF_INIT(&arena);
		char *copy = arena_memdup(&arena, o.data, o.len);

		cr_expect_lt(gcc_directory_move(&out, o.data, i, "/srv/xy/one", "/srv/xy/one"), 0,
		             "%zu bytes", i);
		for (size_t k = 0; k < sizeof values; k++) {
			copy[i] = (char)values[k];
			out.len = 0;
			gcc_directory_move(&out, copy, o.len, "/srv/xy/one", "/home/longer/two");
		}
	}
}
