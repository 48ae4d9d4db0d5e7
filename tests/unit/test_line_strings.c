/* tests/unit/test_line_strings.c - small objects, and a file that holds the strings of two.
 * tests/e2e/build_dirs_link.bats compares real ones. */
#include "tools/object/line_strings.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

#include "shim/buf.h"

static struct arena arena;

enum { LINES = 1, INFO, RELA, SYMTAB, NAMES, SECTIONS };

/* strings: n bytes. refs: count offsets, which .debug_info refers to at 0, 4, ... Relocations hold
 * them in an object, and the section itself in a linked file. */
struct form {
	const char *strings;
	size_t n;
	uint32_t refs[8];
	size_t count;
	int linked;
	unsigned type, machine, relocations, symbol;
};

static struct buf made(const struct form *f)
{
	static const char names[] = "\0.debug_line_str\0.debug_info\0.rela\0.symtab\0.shstrtab";
	Elf64_Ehdr h = {.e_type = f->linked ? ET_DYN : ET_REL, .e_shnum = SECTIONS,
	                .e_machine = (Elf64_Half)(f->machine ? f->machine : EM_X86_64),
	                .e_shentsize = sizeof(Elf64_Shdr), .e_shstrndx = NAMES};
	Elf64_Shdr s[SECTIONS] = {
		[LINES] = {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_addralign = 1,
		           .sh_flags = SHF_MERGE | SHF_STRINGS, .sh_entsize = 1},
		[INFO] = {.sh_name = 17, .sh_type = SHT_PROGBITS, .sh_addralign = 1},
		[RELA] = {.sh_name = 29, .sh_type = f->relocations ? f->relocations : SHT_RELA,
		          .sh_addralign = 8, .sh_link = SYMTAB, .sh_info = INFO},
		[SYMTAB] = {.sh_name = 35, .sh_type = SHT_SYMTAB, .sh_addralign = 8},
		[NAMES] = {.sh_name = 43, .sh_type = SHT_STRTAB, .sh_addralign = 1}};
	Elf64_Sym symbol[3] = {{0}, {.st_info = STT_SECTION, .st_shndx = LINES},
	                       {.st_info = STT_OBJECT, .st_shndx = LINES}};
	Elf64_Rela r[8] = {0};
	uint32_t info[8] = {0};
	struct buf out = BUF_INIT(&arena);
	const struct { const void *p; size_t n; } content[SECTIONS] = {
		[LINES] = {f->strings, f->n}, [INFO] = {info, 4 * f->count},
		[RELA] = {r, f->linked ? 0 : f->count * sizeof *r},
		[SYMTAB] = {symbol, sizeof symbol}, [NAMES] = {names, sizeof names}};

	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	for (size_t i = 0; i < f->count; i++) {
		info[i] = f->linked ? f->refs[i] : 0;
		r[i] = (Elf64_Rela){4 * i, ELF64_R_INFO(f->symbol ? f->symbol : 1,
		                                        f->type ? f->type : R_X86_64_32),
		                    f->refs[i]};
	}
	buf_add(&out, &h, sizeof h);
	for (int i = 1; i < SECTIONS; i++) {
		s[i].sh_offset = out.len;
		s[i].sh_size = content[i].n;
		buf_add(&out, content[i].p, content[i].n);
	}
	h.e_shoff = out.len;
	buf_add(&out, s, sizeof s);
	memcpy(out.data, &h, sizeof h);
	return out;
}

static int equal(const struct buf *one, const struct buf *other)
{
	return one->len == other->len && memcmp(one->data, other->data, one->len) == 0;
}

#define TEXT(x) .strings = (x), .n = sizeof(x)
#define REFS(...) .refs = {__VA_ARGS__}, \
	.count = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

static const struct form by_name = {TEXT("src/a.c\0/tmp/x1\0/tmp/x1\0a.c"), REFS(0, 8, 16, 24)};
static const struct form by_directory = {TEXT("/tmp/x1\0src/a.c\0/tmp/x1\0a.c"),
                                         REFS(8, 0, 16, 24)};

Test(line_strings, the_other_order)
{
	struct buf one = made(&by_name), other = made(&by_directory), want = made(&by_directory);
	const char *first[2];

	cr_assert_eq(line_strings_first(one.data, one.len, first), 0);
	cr_expect_str_eq(first[0], "src/a.c");
	cr_expect_str_eq(first[1], "/tmp/x1");
	cr_assert_eq(line_strings_exchange(one.data, one.len), 0);
	cr_expect(equal(&one, &want));
	cr_assert_eq(line_strings_exchange(other.data, other.len), 0);
	one = made(&by_name);
	cr_expect(equal(&other, &one));
}

Test(line_strings, other_lengths)
{
	static const struct form is = {TEXT("a.c\0/tmp/longer\0more"), REFS(0, 4, 16)};
	static const struct form was = {TEXT("/tmp/longer\0a.c\0more"), REFS(12, 0, 16)};
	struct buf one = made(&was), want = made(&is);

	cr_assert_eq(line_strings_exchange(one.data, one.len), 0);
	cr_expect(equal(&one, &want));
}

Test(line_strings, another_form)
{
	static const struct form odd[] = {
		{TEXT("src/a.c\0/tmp/x1"), REFS(0, 4)},   /* the end of a string */
		{TEXT("src/a.c\0/tmp/x1"), REFS(0, 99)},  /* behind all strings */
		{TEXT("src/a.c"), REFS(0)},
		{.strings = "src/a.c\0/tmp/x1", .n = 15, REFS(0, 8)}, /* not closed */
		{TEXT("src/a.c\0/tmp/x1"), REFS(0, 8), .type = R_X86_64_64},
		{TEXT("src/a.c\0/tmp/x1"), REFS(0, 8), .machine = EM_AARCH64},
		{TEXT("src/a.c\0/tmp/x1"), REFS(0, 8), .relocations = SHT_REL},
		{TEXT("src/a.c\0/tmp/x1"), REFS(0, 8), .symbol = 2},
		{TEXT("src/a.c\0/tmp/x1"), REFS(0, 8), .symbol = 3},
	};

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		struct line_strings l = {.arena = &arena};
		struct buf o = made(&odd[i]), same = made(&odd[i]);

		cr_expect_lt(line_strings_exchange(o.data, o.len), 0, "%zu", i);
		cr_expect(equal(&o, &same), "%zu", i);
		if (i != 0 && i != 2)
			cr_expect_lt(line_strings_add(&l, o.data, o.len), 0, "%zu", i);
	}
}

/* As ld writes them: "a.c" lies at the end of "src/a.c", and "b.c" at that of "src/b.c". */
static const struct form other_object = {TEXT("src/b.c\0/tmp/x1\0/tmp/x1\0b.c"),
                                         REFS(0, 8, 16, 24)};
static const struct form file_by_name = {TEXT("src/a.c\0/tmp/x1\0src/b.c"),
                                         REFS(0, 8, 8, 4, 16, 8, 8, 20), .linked = 1};
static const struct form file_by_directory = {TEXT("/tmp/x1\0src/a.c\0src/b.c"),
                                              REFS(8, 0, 0, 12, 16, 0, 0, 20), .linked = 1};

static struct line_strings strings_of(const struct form *one, const struct form *other)
{
	struct line_strings l = {.arena = &arena};
	struct buf o = made(one), p = made(other);

	cr_assert_eq(line_strings_add(&l, o.data, o.len), 0);
	cr_assert_eq(line_strings_add(&l, p.data, p.len), 0);
	return l;
}

Test(line_strings, a_linked_file)
{
	struct line_strings l = strings_of(&by_directory, &other_object),
	                    m = strings_of(&by_name, &other_object);
	struct buf file = made(&file_by_name), was = made(&file_by_name),
	           want = made(&file_by_directory);

	cr_assert_eq(line_strings_enter(&m, file.data, file.len), 0);
	cr_expect(equal(&file, &was), "the strings of its own objects");
	cr_assert_eq(line_strings_enter(&l, file.data, file.len), 0);
	cr_expect(equal(&file, &want));
}

Test(line_strings, another_linked_file)
{
	static const struct form odd[] = {
		/* A string of no object, one that lacks, a reference to another string */
		{TEXT("src/a.c\0/tmp/x1\0src/b.c\0x"), REFS(0, 8, 8, 4, 16, 8, 8, 20),
		 .linked = 1},
		{TEXT("/tmp/x1\0src/b.c"), REFS(0, 8, 8, 4, 8, 8, 8, 12), .linked = 1},
		{TEXT("src/a.c\0/tmp/x1\0src/b.c"), REFS(0, 8, 0, 4, 16, 8, 8, 20), .linked = 1},
		{TEXT("src/a.c\0/tmp/x1\0src/b.c"), REFS(0, 8, 99, 4, 16, 8, 8, 20),
		 .linked = 1},
		/* More or less than these objects have */
		{TEXT("src/a.c\0/tmp/x1\0src/b.c"), REFS(0, 8, 8, 4, 16, 8, 8), .linked = 1},
		{TEXT("src/a.c"), REFS(0, 0), .linked = 1},
	};
	struct line_strings l = strings_of(&by_directory, &other_object);
	static char none[] = "no ELF file, and so none with such sections in it";

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		struct buf file = made(&odd[i]);

		cr_expect_lt(line_strings_enter(&l, file.data, file.len), 0, "%zu", i);
	}
	cr_expect_eq(line_strings_enter(&l, none, sizeof none), 1);
}

/* A damaged byte leads to no access outside of the object or file. */
Test(line_strings, damaged)
{
	static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
	struct line_strings l = strings_of(&by_directory, &other_object);
	struct buf o = made(&by_name), file = made(&file_by_name);

	for (size_t i = 0; i < o.len; i++)
		for (size_t k = 0; k < sizeof values; k++) {
			struct line_strings m = {.arena = &arena};
			char *copy = arena_memdup(&arena, o.data, o.len);

			copy[i] = (char)values[k];
			line_strings_add(&m, copy, o.len);
			line_strings_exchange(copy, o.len);
			line_strings_exchange(copy, i);
		}
	for (size_t i = 0; i < file.len; i++)
		for (size_t k = 0; k < sizeof values; k++) {
			char *copy = arena_memdup(&arena, file.data, file.len);

			copy[i] = (char)values[k];
			line_strings_enter(&l, copy, file.len);
		}
}
