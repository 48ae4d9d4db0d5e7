/* tests/unit/test_key.c */
#include "keying/key.h"
#include "shim/buf.h"

#include <criterion/criterion.h>

struct field {
	enum key_tag tag;
	const char *label, *value;
};

static struct digest key_of(const struct field *fields, size_t n)
{
	struct digest out;
	struct key k;

	key_init(&k, NULL);
	for (size_t i = 0; i < n; i++)
		key_add_str(&k, fields[i].tag, fields[i].label, fields[i].value);
	key_final(&k, &out);
	return out;
}

Test(key, fields_never_hash_like_others)
{
	/* Each row is a key of up to two fields; all must differ. */
	static const struct field rows[][2] = {
		{{KEY_ARG, "", "-I"}, {KEY_ARG, "", "-O2"}},
		{{KEY_ARG, "", "-I-O2"}, {KEY_ARG, "", ""}},
		{{KEY_ARG, "", ""}, {KEY_ARG, "", "-I-O2"}},
		{{KEY_ARG, "", "-O2"}, {KEY_ARG, "", "-I"}},
		{{KEY_ARG, "-I", ""}, {KEY_ARG, "", "-O2"}},
		{{KEY_ENV, "", "-I"}, {KEY_ARG, "", "-O2"}},
		{{KEY_ENV, "A", "B"}, {KEY_ARG, "", ""}},
		{{KEY_ENV, "AB", ""}, {KEY_ARG, "", ""}},
		{{KEY_ENV, "", "AB"}, {KEY_ARG, "", ""}},
	};
	enum { ROWS = sizeof rows / sizeof *rows };
	struct digest d[2 * ROWS];

	for (size_t i = 0; i < ROWS; i++) {
		d[2 * i] = key_of(rows[i], 2);
		d[2 * i + 1] = key_of(rows[i], 1);
	}
	for (size_t i = 0; i < 2 * ROWS; i++)
		for (size_t j = 0; j < i; j++) {
			/* Rows that share their first field have the same single-field keys. */
			if (i % 2 && j % 2 && rows[i / 2][0].tag == rows[j / 2][0].tag &&
			    !strcmp(rows[i / 2][0].label, rows[j / 2][0].label) &&
			    !strcmp(rows[i / 2][0].value, rows[j / 2][0].value))
				continue;
			cr_assert(!digest_equal(&d[i], &d[j]), "keys %zu and %zu", i, j);
		}
}

Test(key, embedded_nul_counts)
{
	struct digest a, b;
	struct key k;

	key_init(&k, NULL);
	key_add(&k, KEY_ENV, "X", "a\0b", 3);
	key_final(&k, &a);
	key_init(&k, NULL);
	key_add(&k, KEY_ENV, "X", "a\0c", 3);
	key_final(&k, &b);
	cr_assert(!digest_equal(&a, &b));
}

Test(key, the_trail_holds_all_fields_and_does_not_change_the_key)
{
	struct arena arena = ARENA_INIT;
	struct digest with, without, content;
	struct key k;
	struct reader r;
	size_t len;
	const char *s;

	digest_of(&content, "content", 7);
	for (int fields = 0; fields < 2; fields++) {
		key_init(&k, fields ? &arena : NULL);
		key_add_str(&k, KEY_ARG, "", "-c");
		key_add_digest(&k, KEY_PRIMARY, "a.c", &content);
		key_final(&k, fields ? &with : &without);
	}
	cr_assert(digest_equal(&with, &without));
	r = (struct reader){k.fields.data, k.fields.data + k.fields.len, 0};
	cr_assert_eq(reader_u8(&r), KEY_ARG);
	cr_assert_str_eq(reader_lstr(&r, NULL), "");
	cr_assert_str_eq(reader_lstr(&r, NULL), "-c");
	cr_assert_eq(reader_u8(&r), KEY_PRIMARY);
	cr_assert_str_eq(reader_lstr(&r, NULL), "a.c");
	s = reader_lstr(&r, &len);
	cr_assert_eq(len, DIGEST_SIZE);
	cr_assert_arr_eq(s, content.b, DIGEST_SIZE);
	cr_assert(!r.failed && r.p == r.end);
	arena_free(&arena);
}

Test(key, tag_names)
{
	int text = -1;

	cr_assert_str_eq(key_tag_name(KEY_PRIMARY, &text), "content of");
	cr_assert_eq(text, 0);
	cr_assert_str_eq(key_tag_name(KEY_ARG, &text), "argument");
	cr_assert_eq(text, 1);
	cr_assert_null(key_tag_name(0, NULL));
	cr_assert_null(key_tag_name(255, NULL));
}
