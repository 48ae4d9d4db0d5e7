/* Names that a test spells, resolves and prints. */
#pragma once

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/bases.h"
#include "names/name_shape.h"
#include "shim/buf.h"

static struct arena arena;
static struct names names;

static void fini(void) { arena_free(&arena); }
static void init(void)
{
	static char *no_env[] = {NULL};

	names_init(&names, &arena, 1000, NULL, NULL, NULL, no_env);
}

/* Spec text as people see it. */
static inline const char *arg(const char *text, int learn)
{
	struct buf out = BUF_INIT(&arena);

	names_arg(&names, text, learn, &out);
	cr_assert(!out.failed);
	return names_print((const char *)out.data, out.len, &arena);
}

static inline const char *path(const char *text)
{
	struct buf out = BUF_INIT(&arena);

	names_path(&names, text, &out);
	cr_assert(!out.failed);
	cr_assert_eq(out.data[0], text[0] == '/' ? 'A' : 'C');
	return names_print((const char *)out.data + 1, out.len - 1, &arena);
}

static inline void round_trip(const struct names *to, const char *text)
{
	struct buf out = BUF_INIT(&arena);
	const char *back;

	names_path(&names, text, &out);
	back = names_resolve(to, (const char *)out.data, out.len, &arena);
	cr_assert_not_null(back, "%s", text);
	cr_assert_str_eq(back, text);
}
