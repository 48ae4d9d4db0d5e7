/* A result that came compressed, put as this node would have stored it. */
#include "store_fixture.h"

#include "store/unpacked.h"

TestSuite(unpacked, .init = fixture_start_in_memory, .fini = fixture_stop);

#define SIZE (COMPRESS_LARGE + (1u << 20))
#define SMALL 3000u
static unsigned char *large, small[SMALL];
static struct digest key;

/* An entry as it comes from a remote store: both outputs are packed. */
static struct entry arrived(enum compress_mode mode)
{
	struct result_output out[2] = {
		{.spec = "x.o", .spec_len = 3, .style = 1, .mode_kind = MODE_PLAIN, .mode = 0644,
		 .data = large, .len = SIZE},
		{.spec = "x.d", .spec_len = 3, .style = 1, .mode_kind = MODE_PLAIN, .mode = 0644,
		 .data = small, .len = SMALL}};
	struct result r = {.wall_ns = 7, .out = out, .out_count = 2};
	struct entry e = {.class = STORE_RESULT};
	struct buf b = BUF_INIT(&arena);

	result_encode(&b, &r, mode);
	cr_assert_not(b.failed);
	e.key = key = key_of("unpacked");
	e.payload = b.data;
	e.len = b.len;
	return e;
}

static void fill(void)
{
	large = malloc(SIZE);
	for (size_t i = 0; i < SIZE; i++)
		large[i] = (unsigned char)(i / 999);
	memset(small, 'd', sizeof small);
}

static struct result stored(void)
{
	struct result r;
	struct entry e;

	cr_assert_eq(store_get(&store, STORE_RESULT, &key, 0, &e, &arena, &fault), ENTRY_OK);
	cr_assert_eq(result_decode(&r, e.payload, e.len, &arena), 0);
	return r;
}

Test(unpacked, auto_unpacks_what_is_large)
{
	fill();
	struct entry e = arrived(COMPRESS_ALWAYS);

	cr_assert_gt(unpacked_more(&e, COMPRESS_AUTO, &arena), SIZE / 2);
	cr_assert_eq(unpacked_put(&store, &e, COMPRESS_AUTO, &arena, &fault), 0, "%s", fault.text);
	struct result r = stored();
	cr_assert_eq(r.out_count, 2u);
	cr_assert_not_null(r.out[0].data);
	cr_expect_eq(r.out[0].len, SIZE);
	cr_expect_arr_eq(r.out[0].data, large, SIZE);
	cr_expect_eq(r.wall_ns, 7u);
	cr_expect_null(r.out[1].packed);
	cr_expect_arr_eq(r.out[1].data, small, SMALL);
}

Test(unpacked, the_setting_says_what_stays_packed)
{
	fill();
	struct entry e = arrived(COMPRESS_TRANSFER);

	cr_expect_eq(unpacked_more(&e, COMPRESS_ALWAYS, &arena), 0u);
	cr_expect_gt(unpacked_more(&e, COMPRESS_NEVER, &arena), SIZE / 2);
	e = arrived(COMPRESS_NEVER);
	cr_expect_eq(unpacked_more(&e, COMPRESS_AUTO, &arena), 0u);
	e.len = 10;
	cr_expect_eq(unpacked_more(&e, COMPRESS_AUTO, &arena), 0u, "no result");
}

Test(unpacked, damaged_leaves_nothing)
{
	fill();
	struct entry e = arrived(COMPRESS_TRANSFER);

	/* In the frame, after the head of the result. */
	for (size_t i = e.len / 2; i < e.len / 2 + 200; i++)
		((unsigned char *)e.payload)[i] ^= 0x5a;
	if (unpacked_more(&e, COMPRESS_AUTO, &arena))
		cr_expect_eq(unpacked_put(&store, &e, COMPRESS_AUTO, &arena, &fault), -1);
	cr_expect_eq(store_get(&store, STORE_RESULT, &key, 0, &e, &arena, &fault), ENTRY_ABSENT);
}
