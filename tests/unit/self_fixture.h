/* tests/unit/self_fixture.h - the bytes of this program, for tests of ELF files. */
#pragma once

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* The caller frees them. */
static inline unsigned char *self(size_t *n)
{
	FILE *f = fopen("/proc/self/exe", "rb");
	unsigned char *bytes;

	cr_assert(f);
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(*n);
	cr_assert_eq(fread(bytes, 1, *n, f), *n);
	fclose(f);
	return bytes;
}
