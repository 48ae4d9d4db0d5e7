/* tests/unit/test_content.c - objects that the linker made, whole, cut and changed. */
#include "units/gather/gather.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/scratch.h"

static unsigned char *bytes;
static size_t length;

static void link_object(const char *options)
{
	char command[2048];
	FILE *f;

	snprintf(command, sizeof command,
	         "cd %s && mkdir -p cuda && echo 'int cuInit;' | cc -shared -fPIC "
	         "-Wl,-soname,libcuda.so.1 -o cuda/libcuda.so -x c - && "
	         "echo 'int cuInit; int other; int f(void) { return cuInit; }' | "
	         "cc -shared -fPIC -o made.so -Wl,--no-as-needed -x c - -Lcuda -lcuda %s",
	         scratch_dir, options);
	cr_assert_eq(system(command), 0);
	f = fopen(scratch("made.so"), "rb");
	cr_assert_not_null(f);
	fseek(f, 0, SEEK_END);
	length = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(length);
	cr_assert_eq(fread(bytes, 1, length, f), length);
	fclose(f);
}

static void end(void)
{
	free(bytes);
	scratch_remove();
}

/* On the heap, exactly: a sanitizer sees each byte that is read behind it. */
static const char *refusal(const void *p, size_t n)
{
	unsigned char *copy = malloc(n + !n);
	const char *why;

	memcpy(copy, p, n);
	why = native_refusal(copy, n);
	free(copy);
	return why;
}

Test(content, whole_or_cut, .init = scratch_make, .fini = end)
{
	link_object("-lm");
	cr_assert_null(refusal(bytes, length), "%s", refusal(bytes, length));
	for (size_t n = 0; n < length; n += n < 4096 || length - n < 512 ? 1 : 61)
		cr_assert_str_eq(refusal(bytes, n), "it is no whole ELF object", "%zu", n);
	/* A file system that crashed leaves zeros in place of the last blocks. */
	for (size_t left = 512; left < length; left += 512) {
		memset(bytes + length - left, 0, 512);
		cr_assert_str_eq(refusal(bytes, length), "it is no whole ELF object", "%zu", left);
	}
}

Test(content, other_machines_and_kinds, .init = scratch_make, .fini = end)
{
	static const size_t at[] = {0, EI_CLASS, EI_DATA, offsetof(Elf64_Ehdr, e_machine),
	                            offsetof(Elf64_Ehdr, e_type),
	                            offsetof(Elf64_Ehdr, e_phentsize),
	                            offsetof(Elf64_Ehdr, e_shentsize)};

	link_object("");
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		bytes[at[i]] ^= 1;
		cr_expect_not_null(refusal(bytes, length), "%zu", at[i]);
		bytes[at[i]] ^= 1;
	}
	cr_expect_null(refusal(bytes, length));
}

/* No byte of the headers makes it read elsewhere. */
Test(content, hostile_headers, .init = scratch_make, .fini = end)
{
	link_object("");
	for (size_t i = 0; i < 1024; i++) {
		for (unsigned v = 1; v < 256; v = v * 2 + 1) {
			bytes[i] ^= (unsigned char)v;
			refusal(bytes, length);
			bytes[i] ^= (unsigned char)v;
		}
	}
}

Test(content, libraries, .init = scratch_make, .fini = end)
{
	static const char needed[] = "libcuda.so.1";
	unsigned char *name;

	link_object("");
	name = memmem(bytes, length, needed, sizeof needed);
	cr_assert_not_null(name);
	name[sizeof needed - 2] = '2';
	cr_expect_str_eq(refusal(bytes, length),
	                 "it needs a library that its scope does not name");
	name[sizeof needed - 2] = '1';
	cr_expect_null(refusal(bytes, length));
}

Test(content, searched_directories, .init = scratch_make, .fini = end)
{
	link_object("-Wl,-rpath,/opt/lib");
	cr_expect_str_eq(refusal(bytes, length),
	                 "it names directories in which its libraries are searched");
}
