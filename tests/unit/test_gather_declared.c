/* Classes of the user's own, as a settings file declares them. */
#include "gather_fixture.h"

#include "units/shape/declared.h"

TestSuite(gather_declared, .init = fixture_start, .fini = fixture_stop);

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

Test(gather_declared, a_file_that_was_closed)
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
	/* The name is the key: the first content stays. */
	put_text(path, "more");
	usleep(1100000);
	o = closed_offer(path, "more");
	cr_assert(keeps(&o));
	put_text(path, "longer");
	drops(&o, "was replaced or changed since");
}

Test(gather_declared, a_directory_of_the_users_own)
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

Test(gather_declared, directories_of_the_users_own_that_are_not_carried)
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

Test(gather_declared, a_directory_that_grows_waits_for_its_writers_and_the_newer_one_counts)
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
