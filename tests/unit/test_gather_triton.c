/* Kernels of Triton: the index and the files that it names, and nothing else, become one unit. */
#include "gather_fixture.h"

TestSuite(gather_triton, .init = fixture_start, .fini = fixture_stop);

Test(gather_triton, a_kernel)
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
	                 "{\"child_paths\": {\"k.zebin\": \"/new \\u00e9/k.zebin\", \"k.json\": "
	                 "\"/new \\u00e9/k.json\"}}");
	cr_expect_str_eq(text_of(&p.file[1], NULL), "zebin");
	cr_expect_str_eq(p.file[2].name, "k.json");
	cr_expect_eq(counted(COUNTER_UNITS_PACKED), 1);
	cr_expect_eq(counted(COUNTER_PACKED_TRITON), 1);
	cr_expect_eq(spooled(&b), 1);
	cr_expect_eq(b.v[0].class, STORE_UNIT);
	cr_expect(digest_equal(&b.v[0].key, &o.key));
	spool_batch_free(&b);
	/* The same kernel from elsewhere is known, even if its files are gone. */
	shell("rm -r '%s'", dir);
	cr_expect(keeps(&o));
	cr_expect_eq(counted(COUNTER_UNITS_KNOWN), 1);
	cr_expect_eq(counted(COUNTER_UNITS_PACKED), 1);
}

/* A kernel of triton-ascend. */
Test(gather_triton, a_kernel_of_the_npu_backend)
{
	const char *dir = kernel();
	struct offer o;

	shell("cd '%s'; mv k.zebin k.npubin; sed -i s/zebin/npubin/g __grp__k.json", dir);
	o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	drops(&o, "k.npubin is of a key");
}

/* FX's bundler makes the files elsewhere, in any order, and renames the directory. */
Test(gather_triton, a_kernel_that_came_at_once)
{
	const char *dir = kernel();
	struct offer o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	struct statx st;

	put_text(in_root("t/" B32 "/k.zebin"), "zebin");
	shell("cd '%s/t' && mv " B32 " x && mv x " B32, root);
	o.member = "";
	cr_assert_eq(sys_statx(AT_FDCWD, dir, 0, OFFER_STATX, &st), 0);
	offer_identify(&o, &st);
	cr_assert(keeps(&o));
	struct parcel p = parcel_of(&o.key);
	cr_assert_eq(p.files, 3);
	cr_expect_str_eq(p.file[0].name, "__grp__k.json");
	/* The index changed since; there are several indexes; there is none. */
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

Test(gather_triton, a_kernel_that_a_file_made)
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

Test(gather_triton, a_kernel_that_is_not_what_was_completed)
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
	shell("rm '%s/t/" B32 "/k.zebin'", root);
	o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	drops(&o, "k.zebin is gone");
	cr_expect_eq(parcel_of(&o.key).files, 0);
}

Test(gather_triton, a_kernel_with_files_that_are_not_its_own)
{
	const char *dir = kernel();
	struct offer o = offer_of(UNIT_TRITON, dir, "__grp__k.json");

	shell("ln '%s/t/" B32 "/k.zebin' '%1$s/secret'", root);
	drops(&o, "has 2 names");
	shell("rm '%s/t/" B32 "/k.zebin' && ln -s secret '%1$s/t/" B32 "/k.zebin'", root);
	drops(&o, "is gone");
	shell("rm '%s/t/" B32 "/k.zebin' && mkfifo '%1$s/t/" B32 "/k.zebin'", root);
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

Test(gather_triton, a_kernel_whose_index_names_other_places)
{
	struct offer o;

	kernel();
	put_text(in_root("t/" B32 "/__grp__k.json"),
	         "{\"child_paths\": {\"k.zebin\": \"/else/k.zebin\"}}");
	o = offer_of(UNIT_TRITON, in_root("t/" B32), "__grp__k.json");
	drops(&o, "names files in /else");
	put_text(in_root("t/" B32 "/__grp__k.json"), "{\"child_paths\": {\"k.zebin\": ");
	o = offer_of(UNIT_TRITON, in_root("t/" B32), "__grp__k.json");
	drops(&o, "is no index");
	char text[512];
	snprintf(text, sizeof text,
	         "{\"child_paths\": {\"k.zebin\": \"%s/k.zebin\", \"l.so\": \"%s/l.so\"}}",
	         in_root("t/" B32), in_root("t/" B32));
	put_text(in_root("t/" B32 "/l.so"), "launcher");
	put_text(in_root("t/" B32 "/__grp__k.json"), text);
	o = offer_of(UNIT_TRITON, in_root("t/" B32), "__grp__k.json");
	drops(&o, "l.so holds for this host alone");
}

/* Two compiles write one kernel at once: files of both never become one unit. */
Test(gather_triton, a_kernel_that_another_compile_writes_to)
{
	const char *dir = kernel();
	struct offer o = offer_of(UNIT_TRITON, dir, "__grp__k.json");

	shell("sleep 0.05; echo new >'%s/t/" B32 "/k.zebin'", root);
	cr_expect_eq(gathered(&o), GATHER_LATER, "%s", fault.text);
	/* FX's bundler writes in any order. No file has changed for a while, so all files are
	 * there. */
	sleep(2);
	cr_expect(keeps(&o));
	kernel();
	o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
	o.scope = "x";
	unit_key(&o.key, UNIT_TRITON, "x", B32, 52);
	shell("sleep 2.2; echo newer >'%s/t/" B32 "/k.zebin'", root);
	cr_expect_eq(gathered(&o), GATHER_LATER, "%s", fault.text);
	sleep(2);
	drops(&o, "younger than the index");
}

/* As a crash leaves files: the index is there, and a child is not what was written. */
Test(gather_triton, a_kernel_with_a_damaged_file)
{
	static const char *const damage[] = {"k.json: > %s", "k.json: printf '{' > %s",
	                                     "k.zebin: > %s",
	                                     "k.zebin: head -c 5 /dev/zero > %s"};

	for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
		const char *dir = kernel(), *colon = strchr(damage[i], ':');
		struct offer o;
		char command[900], path[600];

		snprintf(path, sizeof path, "%s/%.*s", dir, (int)(colon - damage[i]), damage[i]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(command, sizeof command, colon + 2, path);
#pragma GCC diagnostic pop
		cr_assert_eq(system(command), 0);
		shell("cd '%s'; mv __grp__k.json x; mv x __grp__k.json", dir);
		o = offer_of(UNIT_TRITON, dir, "__grp__k.json");
		(void)gathered(&o);
		cr_expect_eq(counted(COUNTER_UNITS_PACKED), 0, "%s", damage[i]);
		cr_expect(strstr(fault.text, "is damaged"), "%s: %s", damage[i], fault.text);
		shell("rm -r '%s'", dir);
	}
}
