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

/* Classes of the user's own, as a settings file declares them. */
static void declare(void)
{
	static const char text[] = "UNIT=files path=own/<*.bin complete=close kind=file\n"
	                           "UNIT=dirs path=own/<mod_[0-9a-f]{4} complete=rename kind=dir\n"
	                           "UNIT=grows path=own/<cache_[0-9a-f]{4} complete=close "
	                           "kind=dir\n";
	static struct settings set;
	char *none[] = {NULL};

	settings_defaults(&set);
	settings_merge_file(&set, "/conf", text, sizeof text - 1, ORIGIN_USER, none, &arena);
	declared_expect();
	declared_load(&set);
}

/* The offer that a host makes: with the scope of the class. */
static struct offer declared_offer(enum unit_class class, const char *path, const char *scope)
{
	struct offer o = offer_of(class, path, "");

	o.scope = scope;
	unit_key(&o.key, class, scope, o.name, strlen(o.name));
	return o;
}

static struct offer closed_offer(const char *path, const char *text)
{
	struct offer o = declared_offer(UNIT_USER_FILES, path, "unit=files kind=file A=1");

	o.closed = 1;
	digest_name(&o.content, text, strlen(text));
	return o;
}

Test(gather, a_file_that_was_closed)
{
	const char *path = arena_strdup(&arena, in_root("own/x.bin"));
	struct offer o, foreign;

	declare();
	put_text(path, "text");
	o = closed_offer(path, "text");
	cr_expect_eq(gathered(&o), GATHER_LATER, "it may be opened again");
	usleep(1100000);
	struct offer other = closed_offer(path, "texT");
	drops(&other, "changed since it was closed");
	foreign = o;
	foreign.scope = "unit=dirs kind=file A=1";
	unit_key(&foreign.key, foreign.class, foreign.scope, foreign.name, strlen(foreign.name));
	drops(&foreign, "its class is declared otherwise here: files");
	cr_assert(keeps(&o));
	cr_expect_str_eq(text_of(&parcel_of(&o.key).file[0], NULL), "text");
	cr_expect_eq(counted(COUNTER_PACKED_USER_FILES), 1);
	/* The name is the key: the first one stays. */
	put_text(path, "more");
	usleep(1100000);
	o = closed_offer(path, "more");
	cr_assert(keeps(&o));
	put_text(path, "longer");
	drops(&o, "was replaced or changed since");
}

Test(gather, a_directory_of_the_users_own)
{
	const char *path = arena_strdup(&arena, in_root("own/mod_00ff"));
	struct offer o;

	declare();
	shell("cd '%s' && mkdir -p own/t && cd own/t && echo 1 >a.o && echo 22 >b.meta && chmod "
	      "700 a.o && mv ../t ../mod_00ff", root);
	o = declared_offer(UNIT_USER_DIRS, path, "unit=dirs kind=dir");
	cr_assert(keeps(&o));
	struct parcel p = parcel_of(&o.key);
	cr_assert_eq(p.files, 2);
	int a = strcmp(p.file[0].name, "a.o") == 0 ? 0 : 1;
	cr_expect_str_eq(text_of(&p.file[a], NULL), "1\n");
	cr_expect_eq(p.file[a].mode, 0700);
	cr_expect_str_eq(text_of(&p.file[1 - a], NULL), "22\n");
	cr_expect_eq(counted(COUNTER_PACKED_USER_DIRS), 1);
}

Test(gather, directories_of_the_users_own_that_are_not_carried)
{
	static const struct {
		const char *make, *why;
	} v[] = {
		{"mv t mod_00ff && touch mod_00ff/new", "was replaced or changed since"},
		{"mv t mod_00ff; sleep 0.05; echo 2 >>mod_00ff/a",
		 "a changed since the directory was renamed"},
		{"mkdir t/sub && mv t mod_00ff", "sub is no regular file"},
		{"ln -s /etc/passwd t/l && mv t mod_00ff", "l is gone"},
		{"ln t/a other && mv t mod_00ff", "a has 2 names"},
		{"rm t/a && mv t mod_00ff", "it is empty"},
		{"(cd t && seq 256 | xargs touch) && mv t mod_00ff", "more than 256 files"},
	};
	const char *path = arena_strdup(&arena, in_root("own/mod_00ff"));

	declare();
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct statx st;
		struct offer o;

		shell("cd '%s' && rm -rf own && mkdir -p own/t own/mod_00ff && echo 1 >own/t/a",
		      root);
		o = declared_offer(UNIT_USER_DIRS, path, "unit=dirs kind=dir");
		shell("cd '%s/own' && rmdir mod_00ff", root);
		setenv("MAKE", v[i].make, 1);
		shell("cd '%s/own' && eval \"$MAKE\"", root);
		cr_assert_eq(sys_statx(AT_FDCWD, path, 0, OFFER_STATX, &st), 0);
		if (i) /* as it was when it was renamed */
			offer_identify(&o, &st);
		drops(&o, v[i].why);
	}
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

Test(gather, a_directory_that_grows_waits_for_its_writers_and_the_newer_one_counts)
{
	const char *path = arena_strdup(&arena, in_root("own/cache_00ff"));
	struct offer o;
	struct parcel p;
	int fd;

	declare();
	put_text(in_root("own/cache_00ff/index"), "one");
	o = declared_offer(UNIT_USER_CACHES, path, "unit=grows kind=dir");
	offer_sign(&o);
	cr_expect_eq(gathered(&o), GATHER_HELD, "this process lives");
	o.writer_began--; /* another process of this pid, which has ended */
	cr_expect_eq(gathered(&o), GATHER_LATER, "a file was written a moment ago");
	fd = open(in_root("own/cache_00ff/data"), O_WRONLY | O_CREAT, 0600);
	sleep(3);
	cr_expect_eq(gathered(&o), GATHER_LATER);
	cr_expect(strstr(fault.text, "open for writing"), "%s", fault.text);
	close(fd);
	cr_assert(keeps(&o));
	cr_expect_eq(parcel_of(&o.key).files, 2);
	shell("cd '%s/own/cache_00ff' && rm data && echo 2 >index && touch -d '1 hour ago' index",
	      root);
	sleep(3);
	cr_assert(keeps(&o));
	p = parcel_of(&o.key);
	cr_assert_eq(p.files, 1);
	cr_expect_str_eq(text_of(&p.file[0], NULL), "2\n");
	cr_expect_eq(counted(COUNTER_PACKED_USER_CACHES), 2);
}
