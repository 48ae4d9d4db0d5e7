/* Bundles: layout, order, replaced and oldest blobs, each kind of damage. */
#include "remote/bundle.h"

#include "scratch.h"
#include "shim/buf.h"

TestSuite(bundle);

static struct arena arena;
static const struct backend_list none;

static struct backend_bytes text(const char *s)
{
	return (struct backend_bytes){(const unsigned char *)s, strlen(s)};
}

/* Adds a blob to the front of *list, and reads the bundle that comes of it. */
static void add(struct backend_list *list, struct backend_bytes blob, int drop)
{
	size_t n;
	unsigned char *made = bundle_add(list, blob, drop, &n, &arena);

	cr_assert(made);
	cr_assert_leq(n, BUNDLE_MOST);
	cr_assert_eq(bundle_read(list, made, n), 0);
}

static void is(const struct backend_list *list, const char *expected)
{
	char all[512] = "";

	for (unsigned i = 0; i < list->count; i++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.*s", i ? " " : "",
		         (int)list->v[i].len, (const char *)list->v[i].data);
	cr_expect_str_eq(all, expected);
}

Test(bundle, specimen)
{
	static const unsigned char bytes[] = "RPRLIST\1\2\0\0\0\3\0\0\0\1\0\0\0oneb";
	struct backend_list list;
	size_t n;

	cr_assert_eq(bundle_read(&list, bytes, sizeof bytes - 1), 0);
	is(&list, "one b");
	cr_expect_eq(list.length, 2);
	bundle_slice(&list, 1, 1);
	unsigned char *made = bundle_add(&list, text("one"), -1, &n, &arena);
	cr_assert_eq(n, sizeof bytes - 1);
	cr_expect_arr_eq(made, bytes, n);
}

Test(bundle, the_newest_blob_comes_first)
{
	struct backend_list list = none;

	add(&list, text("a"), -1);
	add(&list, text("b"), -1);
	add(&list, text("c"), -1);
	is(&list, "c b a");
	add(&list, text("d"), 1);
	is(&list, "d c a");
	add(&list, text("e"), 7); /* no such element */
	is(&list, "e d c a");
}

Test(bundle, an_equal_blob_is_replaced)
{
	struct backend_list list = none;

	add(&list, text("a"), -1);
	add(&list, text("b"), -1);
	add(&list, text("a"), -1);
	is(&list, "a b");
}

Test(bundle, slices)
{
	struct backend_list list = none;

	for (const char *s = "a\0b\0c\0d\0"; *s; s += 2)
		add(&list, text(s), -1);
	bundle_slice(&list, 1, 2);
	is(&list, "c b");
	cr_expect_eq(list.length, 4);
	bundle_slice(&list, 2, 4);
	is(&list, "");
	bundle_slice(&list, 0, 4);
	is(&list, "");
}

Test(bundle, the_oldest_blobs_go_when_there_are_many)
{
	static char names[40][4];
	struct backend_list list = none;

	for (int i = 0; i < 40; i++) {
		snprintf(names[i], sizeof names[i], "%d", i);
		add(&list, text(names[i]), -1);
	}
	cr_expect_eq(list.count, BACKEND_LIST);
	cr_expect_arr_eq(list.v[0].data, "39", 2);
	cr_expect_eq(*list.v[BACKEND_LIST - 1].data, '8');
}

Test(bundle, the_oldest_blobs_go_when_they_are_large)
{
	const size_t half = BUNDLE_BLOBS / 2;
	unsigned char *a = arena_alloc(&arena, BUNDLE_BLOBS + 1),
	              *b = arena_alloc(&arena, BUNDLE_BLOBS);
	struct backend_list list = none;
	size_t n;

	memset(a, 'a', half);
	memset(b, 'b', half);
	add(&list, text("small"), -1);
	add(&list, (struct backend_bytes){a, half}, -1);
	cr_expect_eq(list.count, 2);
	add(&list, (struct backend_bytes){b, half}, -1);
	cr_expect_eq(list.count, 2);
	cr_expect_eq(*list.v[0].data, 'b');
	cr_expect_eq(*list.v[1].data, 'a');
	add(&list, (struct backend_bytes){a, BUNDLE_BLOBS}, -1);
	cr_expect_eq(list.count, 1);
	cr_expect_null(bundle_add(&list, (struct backend_bytes){a, BUNDLE_BLOBS + 1}, -1, &n,
	                          &arena));
	cr_expect_null(bundle_add(&list, (struct backend_bytes){a, 0}, -1, &n, &arena));
}

/* No change of one byte in what is not a blob, and no cut, leaves a bundle that is read otherwise
 * than it was made; and no read leaves the bytes. */
Test(bundle, damage)
{
	static const char good[] = "RPRLIST\1\2\0\0\0\3\0\0\0\1\0\0\0oneb";
	const size_t n = sizeof good - 1;
	struct backend_list list;

	for (size_t cut = 0; cut < n; cut++) {
		unsigned char *copy = malloc(cut ? cut : 1); /* for AddressSanitizer */

		memcpy(copy, good, cut);
		cr_expect_lt(bundle_read(&list, copy, cut), 0, "cut at %zu", cut);
		cr_expect_eq(list.count, 0);
		free(copy);
	}
	for (size_t at = 0; at < n - 4; at++) {
		for (int bit = 0; bit < 8; bit++) {
			unsigned char copy[sizeof good];

			memcpy(copy, good, n);
			copy[at] ^= (unsigned char)(1 << bit);
			cr_expect_lt(bundle_read(&list, copy, n), 0, "byte %zu, bit %d", at, bit);
		}
	}
	unsigned char longer[sizeof good + 1] = {0};
	memcpy(longer, good, n);
	cr_expect_lt(bundle_read(&list, longer, n + 1), 0);
}

Test(bundle, lengths_that_add_up_to_more_than_memory_holds)
{
	unsigned char bytes[BUNDLE_HEAD + 4 * BACKEND_LIST + 8] = "RPRLIST\1";
	struct backend_list list;

	le_put(bytes + 8, BACKEND_LIST, 4);
	memset(bytes + BUNDLE_HEAD, 0xff, 4 * BACKEND_LIST);
	cr_expect_lt(bundle_read(&list, bytes, sizeof bytes), 0);
	le_put(bytes + 8, 0xffffffff, 4);
	cr_expect_lt(bundle_read(&list, bytes, sizeof bytes), 0);
	le_put(bytes + 8, 0x40000001, 4); /* times 4 it is 4 in 32 bits */
	cr_expect_lt(bundle_read(&list, bytes, sizeof bytes), 0);
	le_put(bytes + 8, 0, 4);
	cr_expect_lt(bundle_read(&list, bytes, sizeof bytes), 0);
}
