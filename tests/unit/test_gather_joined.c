/* Max-autotune's choices: many processes write, and in the end all choices are there. */
#include "gather_fixture.h"

#include "shim/buf.h"
#include "units/gather/gather.h"

/* The file as torch writes it, and the file after it was joined. */
#define FILE_OF(choices) "{\"system\": {\"hash\": \"" X64 "\"}, \"cache\": " choices "}"
#define JOINED(choices) "{\"system\":{\"hash\":\"" X64 "\"},\"cache\":" choices "}"

TestSuite(gather_joined, .init = fixture_start, .fini = fixture_stop);

Test(gather_joined, what_came_before_stays)
{
	const char *path = arena_strdup(&arena, in_root("cache/" X64));
	struct buf b = BUF_INIT(&arena);
	struct offer o;
	struct parcel p;
	struct entry first, second;

	put_text(path, FILE_OF("{\"mm\": {\"a\": {\"high\": {\"x\": 1.5}}}}"));
	o = offer_of(UNIT_GEMM, path, "");
	cr_assert_eq(gathered(&o), GATHER_KEPT, "%s", fault.text);
	p = parcel_of(&o.key);
	cr_expect_str_eq(text_of(&p.file[0], NULL),
	                 FILE_OF("{\"mm\": {\"a\": {\"high\": {\"x\": 1.5}}}}"));
	cr_assert_eq(store_get(&store, STORE_UNIT, &o.key, 0, &first, &arena, &fault), ENTRY_OK);
	/* Another rank replaced the file with its own. */
	put_text(path, FILE_OF("{\"mm\": {\"b\": {\"high\": {\"y\": 2}}, \"a\": {\"high\": {\"x\": "
	                       "3}}}}"));
	o = offer_of(UNIT_GEMM, path, "");
	cr_assert_eq(gathered(&o), GATHER_KEPT, "%s", fault.text);
	p = parcel_of(&o.key);
	cr_expect_str_eq(text_of(&p.file[0], NULL), JOINED(
		"{\"mm\":{\"a\":{\"high\":{\"x\":3}},\"b\":{\"high\":{\"y\":2}}}}"));
	cr_expect_eq(gathered(&o), GATHER_KEPT);
	cr_expect_eq(counted(COUNTER_UNITS_KNOWN), 1, "nothing new");
	/* The choices of two stores. */
	cr_assert_eq(store_get(&store, STORE_UNIT, &o.key, 0, &second, &arena, &fault), ENTRY_OK);
	cr_assert_eq(gather_merge(&b, second.payload, second.len, first.payload, first.len, &fault),
	             0, "%s", fault.text);
	cr_assert_eq(parcel_decode(&p, b.data, b.len, &arena), 0);
	cr_expect_str_eq(text_of(&p.file[0], NULL), JOINED(
		"{\"mm\":{\"a\":{\"high\":{\"x\":1.5}},\"b\":{\"high\":{\"y\":2}}}}"));
	cr_expect_eq(gather_merge(&b, second.payload, second.len, "rubbish", 7, &fault), -1);
}

static const char *packed_of(const char *path, const char *text)
{
	put_text(path, text);
	struct offer o = offer_of(UNIT_GEMM, path, "");
	if (gathered(&o) != GATHER_KEPT)
		return NULL;
	struct parcel p = parcel_of(&o.key);
	return text_of(&p.file[0], NULL);
}

/* A GPU whose memory is full: torch writes this file and then fails. A process that reads it fails
 * at once. */
Test(gather_joined, what_failed_for_every_choice_is_not_kept)
{
	const char *path = arena_strdup(&arena, in_root("cache/" X64));
	const char *good = "{\"system\": {\"hash\": \"" X64 "\"}, \"cache\": {\"mm\": {\"a\": "
		"{\"high\": {\"x\": 1.5, \"y\": Infinity}}}}}";
	const char *kept = "{\"system\":{\"hash\":\"" X64 "\"},"
		"\"cache\":{\"mm\":{\"a\":{\"high\":{\"x\":1.5,\"y\":Infinity}}}}}";

	cr_expect_null(packed_of(path, "{\"system\": {\"hash\": \"" X64 "\"}, \"cache\": {\"mm\": "
	                               "{\"a\": {\"high\": "
	                               "{\"x\": Infinity, \"y\": NaN}}}}}"));
	cr_expect_str_eq(fault.text, "it holds no choice that worked");
	cr_expect_str_eq(packed_of(path, good), good,
	                 "one that failed beside one that did not is torch's business");
	cr_expect_str_eq(packed_of(path, "{\"system\": {\"hash\": \"" X64 "\"}, \"cache\": "
	                                 "{\"mm\": {\"a\": {\"high\": "
	                                 "{\"x\": Infinity, \"y\": Infinity}}, \"b\": {\"high\": "
	                                 "{\"x\": Infinity}}}, \"bmm\": "
	                                 "{\"c\": {\"high\": {\"x\": 2.5}}}}}"),
	                 "{\"system\":{\"hash\":\"" X64 "\"},"
	                 "\"cache\":{\"mm\":{\"a\":{\"high\":{\"x\":1.5,\"y\":Infinity}}},"
	                 "\"bmm\":{\"c\":{\"high\":{\"x\":2.5}}}}}");
	cr_expect_str_eq(packed_of(path, FILE_OF("{\"mm\": {\"a\": {\"high\": {\"x\": Infinity, "
	                                         "\"y\": 7}}}}")),
	                 "{\"system\":{\"hash\":\"" X64 "\"},"
	                 "\"cache\":{\"mm\":{\"a\":{\"high\":{\"x\":1.5,\"y\":7}}},"
	                 "\"bmm\":{\"c\":{\"high\":{\"x\":2.5}}}}}", "a choice that worked once");
	/* A file that an older version stored. */
	static const char old[] = "{\"mm\":{\"a\":{\"x\":Infinity}}}";
	size_t len;
	char *joined = json_merge(old, strlen(old), kept, strlen(kept), &len);
	cr_assert_not_null(joined);
	cr_expect_str_eq(joined, kept);
	free(joined);
	cr_expect_null(json_merge(old, strlen(old), old, strlen(old), &len));
}

/* As an earlier version stored it: any program's file of such a name. */
Test(gather_joined, what_is_no_file_of_choices_is_not_joined)
{
	static const char own[] = "{\"answer\": \"42\"}";
	const char *path = arena_strdup(&arena, in_root("cache/" X64)),
		*mine = FILE_OF("{\"mm\": {\"a\": {\"x\": 1.5}}}");
	struct parcel_file file = {.name = X64, .mode = 0600, .data = (const unsigned char *)own,
	                           .len = sizeof own - 1};
	struct parcel p = {.class = UNIT_GEMM, .note = "", .file = &file, .files = 1};
	struct buf old = BUF_INIT(&arena), b = BUF_INIT(&arena);
	struct offer o;
	struct entry e;

	put_text(path, own);
	o = offer_of(UNIT_GEMM, path, "");
	drops(&o, "max-autotune");
	parcel_encode(&old, &p, COMPRESS_NEVER);
	cr_assert(!old.failed);
	cr_assert_eq(store_put(&store, STORE_UNIT, &o.key, 0, old.data, old.len, &fault), 0);
	cr_expect_str_eq(packed_of(path, mine), mine, "in its place");
	cr_assert_eq(store_get(&store, STORE_UNIT, &o.key, 0, &e, &arena, &fault), ENTRY_OK);
	cr_expect_eq(gather_merge(&b, old.data, old.len, e.payload, e.len, &fault), -1);
	cr_expect_eq(gather_merge(&b, e.payload, e.len, old.data, old.len, &fault), -1);
	cr_expect_eq(gather_merge(&b, old.data, old.len, old.data, old.len, &fault), -1);
}

#define CHOICES 40
static int choose(int number)
{
	char dir[128], text[256];

	snprintf(dir, sizeof dir, "%d/cache/%s", number, X64);
	const char *path = arena_strdup(&arena, in_root(dir));
	for (int i = 0; i < CHOICES; i++) {
		snprintf(text, sizeof text, FILE_OF("{\"mm\": {\"choice %d of %d\": {\"high\": "
		                                    "{\"x\": 1}}}}"), i, number);
		put_text(path, text);
		struct offer o = offer_of(UNIT_GEMM, path, "");
		enum gather_status status;
		while ((status = gathered(&o)) == GATHER_LATER)
			;
		if (status != GATHER_KEPT)
			return 1;
	}
	return 0;
}

/* One queue for each remote store that jobs of the store name. */
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
