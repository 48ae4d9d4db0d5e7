/* Max-autotune's choices: many write, and all of it is there in the end. */
#include "gather_fixture.h"

TestSuite(gather_joined, .init = fixture_start, .fini = fixture_stop, .timeout = 60);

Test(gather_joined, what_came_before_stays)
{
	const char *path = arena_strdup(&arena, in_root("cache/" X64));
	struct buf b = BUF_INIT(&arena);
	struct offer o;
	struct parcel p;
	struct entry first, second;

	put_text(path, "{\"mm\": {\"a\": {\"high\": {\"x\": 1.5}}}}");
	o = offer_of(UNIT_GEMM, path, "");
	cr_assert_eq(gathered(&o), GATHER_KEPT, "%s", fault.text);
	p = parcel_of(&o.key);
	cr_expect_str_eq(text_of(&p.file[0], NULL), "{\"mm\": {\"a\": {\"high\": {\"x\": 1.5}}}}");
	cr_assert_eq(store_get(&store, STORE_UNIT, &o.key, 0, &first, &arena, &fault), ENTRY_OK);
	/* Another rank wrote its own over it. */
	write_file(path, "{\"mm\": {\"b\": {\"high\": {\"y\": 2}}, \"a\": {\"high\": {\"x\": 3}}}}", 58);
	o = offer_of(UNIT_GEMM, path, "");
	cr_assert_eq(gathered(&o), GATHER_KEPT, "%s", fault.text);
	p = parcel_of(&o.key);
	cr_expect_str_eq(text_of(&p.file[0], NULL), "{\"mm\":{\"a\":{\"high\":{\"x\":3}},\"b\":{\"high\":{\"y\":2}}}}");
	cr_expect_eq(gathered(&o), GATHER_KEPT);
	cr_expect_eq(counted(COUNTER_UNITS_KNOWN), 1, "nothing new");
	/* And of two stores. */
	cr_assert_eq(store_get(&store, STORE_UNIT, &o.key, 0, &second, &arena, &fault), ENTRY_OK);
	cr_assert_eq(gather_join(&b, second.payload, second.len, first.payload, first.len, &fault), 0, "%s", fault.text);
	cr_assert_eq(parcel_decode(&p, b.data, b.len, &arena), 0);
	cr_expect_str_eq(text_of(&p.file[0], NULL), "{\"mm\":{\"a\":{\"high\":{\"x\":1.5}},\"b\":{\"high\":{\"y\":2}}}}");
	cr_expect_eq(gather_join(&b, second.payload, second.len, "rubbish", 7, &fault), -1);
}

#define CHOICES 40
static int choose(int number)
{
	char dir[128], text[64];

	snprintf(dir, sizeof dir, "%d/cache/%s", number, X64);
	const char *path = arena_strdup(&arena, in_root(dir));
	for (int i = 0; i < CHOICES; i++) {
		snprintf(text, sizeof text, "{\"mm\": {\"choice %d of %d\": {\"high\": {\"x\": 1}}}}", i, number);
		put_text(path, text);
		struct offer o = offer_of(UNIT_GEMM, path, "");
		if (gathered(&o) != GATHER_KEPT)
			return 1;
	}
	return 0;
}

/* One for each remote that jobs of the store name. */
Test(gather_joined, publishers_that_join_at_once_lose_nothing)
{
	char text[64];

	crowd_start(3, choose);
	crowd_end();
	struct offer o = offer_of(UNIT_GEMM, arena_strdup(&arena, in_root("0/cache/" X64)), "");
	struct parcel p = parcel_of(&o.key);
	const char *all = text_of(&p.file[0], NULL);
	for (int number = 0; number < 3; number++)
		for (int i = 0; i < CHOICES; i++) {
			snprintf(text, sizeof text, "\"choice %d of %d\"", i, number);
			cr_assert_not_null(strstr(all, text), "%s", text);
		}
}
