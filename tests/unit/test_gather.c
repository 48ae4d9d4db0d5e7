/* Offers become entries if they name a present, complete file of the same owner. Otherwise they are
 * dropped and counted. */
#include "gather_fixture.h"

#include <sys/file.h>

#include "store/spool.h"

TestSuite(gather, .init = fixture_start, .fini = fixture_stop);

static size_t spooled(struct spool_batch *b)
{
	*b = (struct spool_batch)SPOOL_BATCH_INIT;
	cr_assert_eq(spool_take(&store, b, &fault), 0);
	return b->count;
}

static const char *kernel(void)
{
	static char dir[256];
	char index[1024];

	snprintf(dir, sizeof dir, "%s/t/" B32, root);
	put_text(in_root("t/" B32 "/k.cubin"), "cubin");
	put_text(in_root("t/" B32 "/k.json"), "{}");
	snprintf(index, sizeof index, "{\"child_paths\": {\"k.cubin\": \"%s/k.cubin\", \"k.json\": "
	         "\"%s/k.json\"}}", dir, dir);
	put_text(in_root("t/" B32 "/__grp__k.json"), index);
	return dir;
}

Test(gather, a_kernel)
{
	const char *dir = kernel();
	struct offer o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	struct spool_batch b;

	put_text(in_root("t/" B32 "/other"), "foreign");
	cr_assert(keeps(&o));
	struct parcel p = parcel_of(&o.key);
	cr_assert_eq(p.files, 3, "the index and what it names");
	cr_expect_eq(p.class, UNIT_TRITON);
	cr_expect_str_eq(p.file[0].name, "__grp__k.json");
	cr_expect_eq(p.file[0].marks, 2);
	cr_expect_str_eq(text_of(&p.file[0], "/new \xc3\xa9"),
	                 "{\"child_paths\": {\"k.cubin\": \"/new \\u00e9/k.cubin\", \"k.json\": "
	                 "\"/new \\u00e9/k.json\"}}");
	cr_expect_str_eq(text_of(&p.file[1], NULL), "cubin");
	cr_expect_str_eq(p.file[2].name, "k.json");
	cr_expect_eq(counted(COUNTER_UNITS_PACKED), 1);
	cr_expect_eq(counted(COUNTER_PACKED_TRITON), 1);
	cr_expect_eq(spooled(&b), 1);
	cr_expect_eq(b.v[0].class, STORE_UNIT);
	cr_expect(digest_equal(&b.v[0].key, &o.key));
	spool_batch_free(&b);
	/* The same from elsewhere is known, even where its files are gone meanwhile. */
	shell("rm -r '%s'", dir);
	cr_expect(keeps(&o));
	cr_expect_eq(counted(COUNTER_UNITS_KNOWN), 1);
	cr_expect_eq(counted(COUNTER_UNITS_PACKED), 1);
}

/* triton-ascend's. */
Test(gather, a_kernel_of_the_npu_backend)
{
	const char *dir = kernel();
	struct offer o;

	shell("cd '%s'; mv k.cubin k.npubin; sed -i s/cubin/npubin/g __grp__k.json", dir);
	o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	drops(&o, "k.npubin is of a key");
}

/* FX's bundler: made elsewhere, in any order, and renamed as a whole. */
Test(gather, a_kernel_that_came_at_once)
{
	const char *dir = kernel();
	struct offer o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	struct statx st;

	put_text(in_root("t/" B32 "/k.cubin"), "cubin");
	shell("cd '%s/t' && mv " B32 " x && mv x " B32, root);
	o.member = "";
	cr_assert_eq(sys_statx(AT_FDCWD, dir, 0, OFFER_STATX, &st), 0);
	offer_identify(&o, &st);
	cr_assert(keeps(&o));
	struct parcel p = parcel_of(&o.key);
	cr_assert_eq(p.files, 3);
	cr_expect_str_eq(p.file[0].name, "__grp__k.json");
	/* Changed since; several indexes; none. */
	o.scope = "x";
	unit_key(&o.key, UNIT_TRITON, "x", B32, 52);
	put_text(in_root("t/" B32 "/__grp__l.json"), "{}");
	drops(&o, "replaced or changed");
	cr_assert_eq(sys_statx(AT_FDCWD, dir, 0, OFFER_STATX, &st), 0);
	offer_identify(&o, &st);
	drops(&o, "2 indexes");
	shell("rm '%s/t/" B32 "/'__grp__*", root);
	cr_assert_eq(sys_statx(AT_FDCWD, dir, 0, OFFER_STATX, &st), 0);
	offer_identify(&o, &st);
	drops(&o, "0 indexes");
}

Test(gather, a_kernel_that_a_file_made)
{
	static const char *const own[] = {"{\"ir_override\": \"/x/k.ttgir\"}",
	                                  "{\"a\": 1, \"ir_override\":\"\"}", "{\"ir_override\":"};
	const char *dir = kernel();

	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		put_text(in_root("t/" B32 "/k.json"), own[i]);
		put_text(in_root("t/" B32 "/again"), "");
		shell("cd '%s' && cp __grp__k.json again && mv again __grp__k.json", dir);
		struct offer o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
		drops(&o, "ir_override");
	}
	put_text(in_root("t/" B32 "/k.json"), "{\"ir_override\": null, \"b\": 2}");
	shell("cd '%s' && cp __grp__k.json again && mv again __grp__k.json", dir);
	struct offer o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	cr_expect(keeps(&o));
}

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

Test(gather, a_kernel_that_is_not_what_was_completed)
{
	const char *dir = kernel();
	struct offer o = offer_of(UNIT_TRITON, dir, "__grp__k.json"), bad = o;

	bad.ino++;
	drops(&bad, "replaced");
	bad = o;
	bad.uid++;
	drops(&bad, "another user");
	bad = o;
	bad.scope = "other";
	drops(&bad, "another unit");
	bad = o;
	bad.member = "k.json";
	drops(&bad, "not a file of this unit");
	bad = o;
	bad.member = "../" B32 "/__grp__k.json";
	drops(&bad, "");
	bad = o;
	bad.class = UNIT_JITERATOR;
	drops(&bad, "not a unit's path");
	bad = o;
	bad.path = "/etc/passwd";
	drops(&bad, "not a unit's path");
	kernel();
	drops(&o, "replaced or changed");
	shell("rm '%s/t/" B32 "/k.cubin'", root);
	o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	drops(&o, "k.cubin is gone");
	cr_expect_eq(parcel_of(&o.key).files, 0);
}

Test(gather, a_kernel_with_files_that_are_not_its_own)
{
	const char *dir = kernel();
	struct offer o = offer_of(UNIT_TRITON, dir, "__grp__k.json");

	shell("ln '%s/t/" B32 "/k.cubin' '%1$s/secret'", root);
	drops(&o, "has 2 names");
	shell("rm '%s/t/" B32 "/k.cubin' && ln -s secret '%1$s/t/" B32 "/k.cubin'", root);
	drops(&o, "is gone");
	shell("rm '%s/t/" B32 "/k.cubin' && mkfifo '%1$s/t/" B32 "/k.cubin'", root);
	drops(&o, "no regular file");
	shell("rm -r '%s/t/" B32 "'", root);
	kernel();
	shell("mv '%s/t' '%1$s/elsewhere' && ln -s elsewhere '%1$s/t'", root);
	o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	cr_expect(keeps(&o), "its root may be a link");
	shell("rm '%s/t' && mkdir '%1$s/t' && ln -s ../elsewhere/" B32 " '%1$s/t/" B32 "'", root);
	o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	o.scope = "another";
	unit_key(&o.key, UNIT_TRITON, "another", B32, 52);
	drops(&o, "open");
}

Test(gather, a_kernel_whose_index_names_other_places)
{
	struct offer o;

	kernel();
	put_text(in_root("t/" B32 "/__grp__k.json"),
	         "{\"child_paths\": {\"k.cubin\": \"/else/k.cubin\"}}");
	o = offer_of(UNIT_TRITON, in_root("t/" B32), "__grp__k.json");
	drops(&o, "names files in /else");
	put_text(in_root("t/" B32 "/__grp__k.json"), "{\"child_paths\": {\"k.cubin\": ");
	o = offer_of(UNIT_TRITON, in_root("t/" B32), "__grp__k.json");
	drops(&o, "is no index");
	char text[512];
	snprintf(text, sizeof text,
	         "{\"child_paths\": {\"k.cubin\": \"%s/k.cubin\", \"l.so\": \"%s/l.so\"}}",
	         in_root("t/" B32), in_root("t/" B32));
	put_text(in_root("t/" B32 "/l.so"), "launcher");
	put_text(in_root("t/" B32 "/__grp__k.json"), text);
	o = offer_of(UNIT_TRITON, in_root("t/" B32), "__grp__k.json");
	drops(&o, "l.so holds for this host alone");
}

/* Two compiles of one kernel, one in the other's way: files of both are never taken for one. */
Test(gather, a_kernel_that_another_compile_writes_to)
{
	const char *dir = kernel();
	struct offer o = offer_of(UNIT_TRITON, dir, "__grp__k.json");

	shell("sleep 0.05; echo new >'%s/t/" B32 "/k.cubin'", root);
	cr_expect_eq(gathered(&o), GATHER_LATER, "%s", fault.text);
	/* As FX's bundler does, whose order is any: it rests, so it was all. */
	sleep(2);
	cr_expect(keeps(&o));
	kernel();
	o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	o.scope = "x";
	unit_key(&o.key, UNIT_TRITON, "x", B32, 52);
	shell("sleep 2.2; echo newer >'%s/t/" B32 "/k.cubin'", root);
	cr_expect_eq(gathered(&o), GATHER_LATER, "%s", fault.text);
	sleep(2);
	drops(&o, "younger than the index");
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

/* As torch before 2.10 writes it: open, then write. */
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
