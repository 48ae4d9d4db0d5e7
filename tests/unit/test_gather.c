/* Offers become entries if they name a present, complete file of the same owner. Otherwise they are
 * dropped and counted. */
#include "gather_fixture.h"

#include <sys/file.h>

TestSuite(gather, .init = fixture_start, .fini = fixture_stop);

Test(gather, nothing_is_spooled_for_a_class_that_stays)
{
	struct offer o = offer_of(UNIT_TRITON, kernel(), "__grp__k.json");
	struct spool_batch b;

	cr_expect_eq(gather_unit(&store, &o, &(struct gather_terms){1u << UNIT_GEMM, COMPRESS_AUTO},
	                         &arena, &fault),
	             GATHER_KEPT);
	cr_expect_eq(spooled(&b), 0);
	spool_batch_free(&b);
}

Test(gather, files_are_compressed_as_the_setting_says)
{
	static const char head[] = "{\"system\": {\"hash\": \"" X64 "\"}, \"cache\": {}";
	static char text[8192];
	const char *path = arena_strdup(&arena, in_root("cache/" X64));
	struct gather_terms t = {0, COMPRESS_ALWAYS};
	struct offer o;

	memset(text, ' ', sizeof text - 2);
	memcpy(text, head, sizeof head - 1);
	text[sizeof text - 2] = '}';
	put_text(path, text);
	o = offer_of(UNIT_GEMM, path, "");
	cr_assert_eq(gather_unit(&store, &o, &t, &arena, &fault), GATHER_KEPT);
	struct parcel p = parcel_of(&o.key);
	cr_expect_not_null(p.file[0].packed);
	cr_expect_str_eq(text_of(&p.file[0], NULL), text);
}

#define PICKLE "\x80\x04]\x94."

Test(gather, a_graph_is_named_after_its_bytes)
{
	static const char good[] = "534t4hiujauaij37ziaxersagli2j7n4ym4feqcz7ipimfcuvvg";
	const char *dir = arena_strdup(&arena, in_root("fxgraph/ab/f" C51));
	char path[512];
	struct offer o, other;
	struct spool_batch b;
	struct entry e;
	struct member m;

	snprintf(path, sizeof path, "%s/%s", dir, good);
	put_text(path, "graph");
	o = offer_of(UNIT_FXGRAPH, dir, good);
	cr_assert(keeps(&o));
	cr_assert_eq(store_get(&store, STORE_SET, &o.key, 0, &e, &arena, &fault), ENTRY_OK);
	cr_assert_eq(member_decode(&m, e.payload, e.len, &arena), 0);
	cr_expect_str_eq(m.name, good);
	cr_expect_eq(m.conditions, 0);
	struct parcel p = parcel_of(&m.parcel);
	cr_assert_eq(p.files, 1);
	cr_expect_str_eq(text_of(&p.file[0], NULL), "graph");
	cr_assert_eq(spooled(&b), 2);
	cr_expect_eq(b.v[0].class, STORE_UNIT);
	cr_expect(digest_equal(&b.v[0].key, &m.parcel));
	cr_expect_eq(b.v[1].class, STORE_SET);
	cr_expect(digest_equal(&b.v[1].key, &o.key));
	cr_expect(digest_equal(&b.v[1].result, &m.parcel));
	spool_batch_free(&b);
	cr_expect(keeps(&o));
	cr_expect_eq(counted(COUNTER_UNITS_KNOWN), 1);
	cr_expect_eq(store_get(&store, STORE_SET, &o.key, 1, &e, &arena, &fault), ENTRY_ABSENT,
	             "once");
	/* The same graph in another scope. */
	other = o;
	other.scope = "rank=1";
	unit_key(&other.key, UNIT_FXGRAPH, "rank=1", "f" C51, 52);
	cr_assert(keeps(&other));
	cr_expect_eq(store_get(&store, STORE_SET, &other.key, 0, &e, &arena, &fault), ENTRY_OK);
	write_file(path, "grape", 5);
	o = offer_of(UNIT_FXGRAPH, dir, good);
	drops(&o, "not those of its name");
}

Test(gather, a_set_grows)
{
	const char *dir = arena_strdup(&arena, in_root("aotautograd/a" C51));
	char path[512];
	struct offer o;
	struct entry e;

	snprintf(path, sizeof path, "%s/entry", dir);
	put_text(path, PICKLE);
	o = offer_of(UNIT_AOTAUTOGRAD, dir, "entry");
	cr_assert(keeps(&o));
	write_file(path, "\x80\x04}\x94.", 5);
	o = offer_of(UNIT_AOTAUTOGRAD, dir, "entry");
	cr_assert(keeps(&o), "torch 2.7 gives all the same name: told apart by their bytes");
	cr_expect_eq(store_get(&store, STORE_SET, &o.key, 1, &e, &arena, &fault), ENTRY_OK);
	write_file(path, "\x80\x04}\x94", 4);
	o = offer_of(UNIT_AOTAUTOGRAD, dir, "entry");
	drops(&o, "not a complete pickle");
	write_file(path, "", 0);
	o = offer_of(UNIT_AOTAUTOGRAD, dir, "entry");
	drops(&o, "not a complete pickle");
}

Test(gather, an_autotuned_configuration_and_the_next)
{
	const char *path = arena_strdup(&arena, in_root("bc/" X64 ".best_config"));
	struct offer o;

	put_text(path, "{\"XBLOCK\": 64}");
	o = offer_of(UNIT_BEST_CONFIG, path, "");
	cr_assert(keeps(&o));
	cr_expect(keeps(&o));
	cr_expect_eq(counted(COUNTER_UNITS_KNOWN), 1);
	write_file(path, "{\"XBLOCK\": 32}", 14);
	o = offer_of(UNIT_BEST_CONFIG, path, "");
	cr_assert(keeps(&o));
	struct parcel p = parcel_of(&o.key);
	cr_expect_str_eq(text_of(&p.file[0], NULL), "{\"XBLOCK\": 32}");
	cr_expect_str_eq(p.file[0].name, X64 ".best_config");
	write_file(path, "{\"XBLO", 6);
	o = offer_of(UNIT_BEST_CONFIG, path, "");
	drops(&o, "not a JSON object");
	p = parcel_of(&o.key);
	cr_expect_str_eq(text_of(&p.file[0], NULL), "{\"XBLOCK\": 32}");
}

/* torch before 2.10 writes the file in this way: open, then write. */
Test(gather, what_is_written_in_place_is_waited_for)
{
	const char *path = arena_strdup(&arena, in_root("bc/" X64 ".best_config"));
	struct offer o;

	put_text(path, "");
	o = offer_of(UNIT_BEST_CONFIG, path, "");
	o.opened = 1;
	cr_expect_eq(gathered(&o), GATHER_LATER, "just made");
	sleep(1);
	usleep(100000);
	cr_expect_eq(gathered(&o), GATHER_LATER, "empty still");
	write_file(path, "{}", 2);
	cr_expect_eq(gathered(&o), GATHER_LATER, "just written");
	sleep(1);
	usleep(100000);
	int fd = open(path, O_RDWR);
	cr_assert_eq(flock(fd, LOCK_EX), 0);
	cr_expect_eq(gathered(&o), GATHER_LATER, "locked");
	close(fd);
	cr_expect(keeps(&o));
	cr_expect_eq(counted(COUNTER_UNITS_DROPPED), 0);
	write_file(path, "{", 1);
	sleep(1);
	usleep(100000);
	o.made_at -= GATHER_REST_MAX_S;
	drops(&o, "not a JSON object");
	o.ino++;
	drops(&o, "replaced");
}

/* torch's other caches have files of that name too, whose bytes are a version and a pickle. */
Test(gather, what_can_become_nothing_is_not_waited_for)
{
	const char *path = arena_strdup(&arena, in_root("cache/" X64));
	struct offer o;

	put_text(path, "");
	write_file(path, "\x5f\xec\xeb\x66\x80\x04" "K\x01.", 9);
	o = offer_of(UNIT_GEMM, path, "");
	o.opened = 1;
	cr_expect_eq(gathered(&o), GATHER_LATER, "just written");
	sleep(1);
	usleep(100000);
	drops(&o, "not a JSON object");
	write_file(path, "{", 1);
	sleep(1);
	usleep(100000);
	cr_expect_eq(gathered(&o), GATHER_LATER, "there may be more to come");
}

Test(gather, a_kernel_of_jiterator)
{
	static const char ptx[] = ".version 8.2\n.target sm_90\n.entry k() { ret; }\n";
	const char *path = arena_strdup(&arena, in_root(
		"kernels/k_arch9.0_nvrtc12.6_ptx_812_0123456789012345678901234567890123456789"));
	struct offer o;

	put_text(path, ptx);
	o = offer_of(UNIT_JITERATOR, path, "");
	cr_assert(keeps(&o));
	cr_expect_eq(counted(COUNTER_PACKED_JITERATOR), 1);
	write_file(path, ptx, sizeof ptx - 4);
	o = offer_of(UNIT_JITERATOR, path, "");
	drops(&o, "not a complete kernel");
}

Test(gather, a_store_that_takes_nothing)
{
	struct offer o = offer_of(UNIT_TRITON, kernel(), "__grp__k.json");

	store.writable = 0;
	cr_expect_eq(gathered(&o), GATHER_DROPPED);
	cr_expect_neq(fault.text[0], '\0');
}

/* zlib.compress(b"stored", 0) of Python. */
Test(gather, a_program_of_jax)
{
	static const char whole[] =
		"\x78\x01\x01\x06\x00\xf9\xff\x73\x74\x6f\x72\x65\x64\x09\x3c\x02\x92";
	const char *path = arena_strdup(&arena, in_root("jit_f-" X64 "-cache"));
	struct offer o;

	write_file(path, whole, sizeof whole - 2);
	o = offer_of(UNIT_JAX, path, "");
	o.closed = 1;
	digest_name(&o.content, whole, sizeof whole - 2);
	usleep(1100000);
	drops(&o, "it is not one whole zlib or zstd stream");
	write_file(path, whole, sizeof whole - 1);
	o = offer_of(UNIT_JAX, path, "");
	o.closed = 1;
	digest_name(&o.content, whole, sizeof whole - 1);
	usleep(1100000);
	cr_assert(keeps(&o));
	cr_expect_eq(counted(COUNTER_PACKED_JAX), 1);
}

/* A whole stream, by Python's zlib. */
#define STORED(text, sum) "\x78\x01\x01\x06\x00\xf9\xff" text sum

Test(gather, a_program_of_jax_that_changed_since_its_writer_closed_it)
{
	static const char closed[] = STORED("stored", "\x09\x3c\x02\x92"),
	                  other[] = STORED("storee", "\x09\x3d\x02\x93");
	const char *path = arena_strdup(&arena, in_root("jit_f-" X64 "-cache"));
	struct offer o;

	write_file(path, closed, sizeof closed - 1);
	o = offer_of(UNIT_JAX, path, "");
	o.closed = 1;
	digest_name(&o.content, closed, sizeof closed - 1);
	/* Another program of this length, written in place. */
	write_file(path, other, sizeof other - 1);
	usleep(1100000);
	drops(&o, "changed since it was closed");
	/* Shorter, and longer. */
	cr_assert_eq(truncate(path, sizeof other - 2), 0);
	usleep(1100000);
	drops(&o, "was replaced or changed since");
	write_file(path, closed, sizeof closed);
	usleep(1100000);
	drops(&o, "was replaced or changed since");
	cr_expect_eq(counted(COUNTER_PACKED_JAX), 0);
	write_file(path, closed, sizeof closed - 1);
	usleep(1100000);
	cr_expect(keeps(&o), "the content that was closed");
}
