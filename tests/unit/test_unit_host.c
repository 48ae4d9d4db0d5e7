/* The calls of hooks about units, in the test's own process. */
#include "store_fixture.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "store/job/journal.h"
#include "units/host.h"
#include "units/offer.h"
#include "units/shape/seen_files.h"

TestSuite(unit_host, .init = fixture_start, .fini = fixture_stop);

#define B32 "J3RQNWCFZI5PCG767UKW7CRM6OIQAMKYXRBFLTQHEOE4XJEL7FMQ"

static int ready[2], done[2];

static int hold(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)info;
	(void)size;
	(void)ctx;
	cr_assert_eq(write(ready[1], "", 1), 1);
	cr_assert_eq(read(done[0], &(char){0}, 1), 1);
	return 1;
}

static void *walk_libraries(void *p)
{
	dl_iterate_phdr(hold, NULL);
	return p;
}

static int look_up(void *path)
{
	alarm(5);
	unit_after_fork();
	return unit_provide(AT_FDCWD, path);
}

Test(unit_host, a_forked_child_waits_for_no_thread_of_its_parent)
{
	pthread_t thread;
	char byte;

	unit_host_begin();
	cr_assert_eq(pipe(ready) + pipe(done), 0);
	cr_assert_eq(pthread_create(&thread, NULL, walk_libraries, NULL), 0);
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	cr_assert_eq(in_child(look_up, (void *)in_root("t/" B32 "/__grp__k.json")), 0);
	cr_assert_eq(write(done[1], "", 1), 1);
	pthread_join(thread, NULL);
}

/* Records that wait to be packed. */
static size_t waiting(void)
{
	size_t n;
	int64_t age;

	cr_assert_eq(offers_pending(&store, &n, &age), 0);
	return n;
}

/* Makes this process a framework's process. */
static void become_host(void)
{
	shell("cd '%s' && echo 'int unused;' | cc -shared -fPIC -o libtorch_none.so -x c -", root);
	cr_assert(dlopen(in_root("libtorch_none.so"), RTLD_NOW));
	setenv("REPRISE_CACHE_DIR", cache, 1);
	setenv("REPRISE_RUNTIME_DIR", runtime, 1);
	unit_host_begin();
}

Test(unit_host, what_another_process_renamed_over_it_is_not_offered)
{
	const char *mine = in_root("mine"), *other = in_root("other"),
		*to = in_root("t/" B32 "/__grp__k.json");
	uint64_t made;

	become_host();
	shell("mkdir -p '%s/t/" B32 "'", root);
	for (int replaced = 1; replaced >= 0; replaced--) {
		write_file(mine, "{}", 2);
		write_file(other, "{}", 2);
		made = unit_rename_begins(AT_FDCWD, mine, to);
		cr_assert_neq(made, 0);
		cr_assert_eq(rename(mine, to), 0);
		if (replaced)
			cr_assert_eq(rename(other, to), 0);
		unit_renamed(AT_FDCWD, to, made);
		cr_expect_eq(waiting(), replaced ? 0 : 1);
	}
	cr_expect_eq(unit_rename_begins(AT_FDCWD, other, in_root("x")), 0, "no unit's path");
	cr_expect_eq(unit_rename_begins(AT_FDCWD, mine, to), 0, "nothing there");
}

/* The records of the journal, newest last. */
static struct journal_record *records(int *n)
{
	static struct journal_record v[64];

	*n = journal_read(&store, v, 64, &arena);
	return v;
}

#define GRAPH "fxgraph/bc/fbcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst"

static int look_often(void *unused)
{
	char path[PATH_SIZE];

	(void)unused;
	unit_after_fork();
	for (int i = 0; i < 300; i++) {
		snprintf(path, sizeof path, "%s/%d/" GRAPH, root, i);
		errno = ENOENT;
		cr_assert(!unit_lookup_failed(AT_FDCWD, path));
	}
	return 0;
}

/* Thousands of look-ups write one line for each cause. A path of no unit writes no line, nor does a
 * look-up with REPRISE_FORCE_DISABLE. */
Test(unit_host, a_process_to_which_nothing_is_brought_says_why_once)
{
	const char *triton = arena_strdup(&arena, in_root("t/" B32 "/__grp__k.json"));
	struct journal_record *v;
	int n;

	become_host();
	setenv("REPRISE_CLASSES", "all,-triton", 1);
	unit_provide(AT_FDCWD, triton);
	cr_assert_eq(in_child(look_often, NULL), 0);
	v = records(&n);
	cr_assert_eq(n, 2);
	cr_expect_str_eq(v[0].detail, "REPRISE_CLASSES excludes it");
	cr_expect_str_eq(v[1].reason, "unit-off");
	cr_expect_str_eq(v[1].tool, "fxgraph");
	cr_expect_str_eq(v[1].detail, "it was made by fork");
	cr_expect_str_eq(v[1].argv, in_root("0/" GRAPH));
	cr_expect_eq(counted(COUNTER_UNITS_OFF), 2);
	setenv("REPRISE_FX_SCOPE", "off", 1);
	for (int i = 0; i < 100; i++) {
		unit_provide(AT_FDCWD, triton);
		unit_provide(AT_FDCWD, in_root(GRAPH));
		unit_provide(AT_FDCWD, in_root("x"));
	}
	setenv("REPRISE_CLASSES", "all", 1);
	setenv("TRITON_ALWAYS_COMPILE", "1", 1);
	unit_provide(AT_FDCWD, triton);
	unsetenv("TRITON_ALWAYS_COMPILE");
	setenv("REPRISE_RECACHE", "1", 1);
	unit_provide(AT_FDCWD, triton);
	setenv("REPRISE_FORCE_DISABLE", "1", 1);
	unit_provide(AT_FDCWD, in_root("u/" B32 "/__grp__k.json"));
	unsetenv("REPRISE_FORCE_DISABLE");
	v = records(&n);
	cr_assert_eq(n, 5);
	cr_expect_str_eq(v[2].detail, "REPRISE_FX_SCOPE is off");
	cr_expect_str_eq(v[3].detail, "TRITON_ALWAYS_COMPILE turns it off");
	cr_expect_str_eq(v[4].detail, "REPRISE_RECACHE asks for new units");
	cr_expect_eq(counted(COUNTER_UNITS_OFF), 5);
}

/* If no remote store is configured, the reason does not mention it. */
Test(unit_host, a_unit_that_no_store_has)
{
	struct journal_record *v;
	int n;

	become_host();
	cr_assert(!unit_provide(AT_FDCWD, in_root("t/" B32 "/__grp__k.json")));
	setenv("REPRISE_REDIS_URL", "redis://127.0.0.1:1", 1);
	setenv("REPRISE_REMOTE_CLASSES", "all,-triton", 1);
	cr_assert(!unit_provide(AT_FDCWD, in_root("u/" B32 "/__grp__k.json")));
	v = records(&n);
	cr_assert_eq(n, 2);
	cr_expect_str_eq(v[0].reason, "unit-absent");
	cr_expect_str_eq(v[0].detail, "the local store does not have it");
	cr_expect_str_eq(v[1].detail, "the local store does not have it, and the remote store is "
	                 "not asked for this class");
}

#define MODULE "Model_dynamic_0123456789abcdef0123456789abcdef/forward"

/* A process that opens the file may copy it. Only the process that compiled it locks it to
 * write. */
Test(unit_host, a_module_is_offered_when_it_is_locked_for_its_writer)
{
	const char *path = arena_strdup(&arena, in_root(MODULE "/compiled_module"));
	int fd, other;

	become_host();
	shell("cd '%s' && mkdir -p torch/lib " MODULE " && echo 'version = 1' >torch/version.py && "
	      "echo 'int unused;' >x.c && "
	      "cc -shared -fPIC -Wl,--build-id -o torch/lib/libtorch_cpu.so x.c && cc -shared "
	      "-fPIC -o _C.cpython-311.so x.c", root);
	cr_assert(dlopen(in_root("torch/lib/libtorch_cpu.so"), RTLD_NOW) &&
	          dlopen(in_root("_C.cpython-311.so"), RTLD_NOW));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	other = open(in_root("x.c"), O_RDONLY);
	unit_locked(fd);
	cr_expect_eq(waiting(), 0, "nobody has opened one to write it");
	unit_opened(fd, AT_FDCWD, path);
	cr_expect_eq(waiting(), 0);
	unit_locked(other);
	unit_locked(-1);
	cr_expect_eq(waiting(), 0);
	unit_locked(fd);
	cr_expect_eq(offers_held(&store), 1, "it waits for the end of this process");
	close(fd);
	close(other);
}

/* Closes a descriptor as hooks/descriptor.c does. */
static void close_it(int fd)
{
	char path[PATH_SIZE];
	uint64_t made = unit_awaits(fd) ? unit_closing(fd, path) : 0;

	cr_assert_eq(close(fd), 0);
	if (made)
		unit_closed(path, made);
}

static int closes_inherited(void *fd)
{
	unit_after_fork();
	close_it(*(int *)fd);
	return 0;
}

Test(unit_host, a_program_of_jax_is_offered_when_its_writer_closes_it)
{
	const char *path = arena_strdup(&arena, in_root(
		"jit_f-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-cache"));
	struct offer out[4];
	char token[OFFER_TOKEN];
	struct digest content;
	int fd, again;

	become_host();
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	cr_expect_not(unit_awaits(fd));
	unit_opened(fd, AT_FDCWD, path);
	cr_assert(unit_awaits(fd));
	cr_assert_eq(write(fd, "abc", 3), 3);
	cr_expect_eq(in_child(closes_inherited, &fd), 0);
	cr_expect_eq(waiting(), 0, "the parent goes on writing");
	cr_assert_eq(write(fd, "def", 3), 3);
	close_it(fd);
	cr_assert_eq(waiting(), 1);
	cr_assert_eq(offers_take(&store, out, 4, token, &arena, &fault), 1);
	digest_name(&content, "abcdef", 6);
	cr_expect(out[0].closed && !out[0].opened && digest_equal(&out[0].content, &content));
	cr_expect_str_eq(out[0].path, path);
	cr_expect_eq(out[0].size, 6);
	offers_done(&store, token);
	/* The descriptor now belongs to another file, or to the same file for reading. */
	fd = open(path, O_WRONLY);
	unit_opened(fd, AT_FDCWD, path);
	again = open(path, O_RDONLY);
	cr_assert_eq(dup2(again, fd), fd);
	close_it(fd);
	close_it(again);
	cr_expect_eq(waiting(), 0);
	/* Another process truncated the file, and has written only a part of it again. */
	fd = open(path, O_WRONLY);
	unit_opened(fd, AT_FDCWD, path);
	cr_assert_eq(write(fd, "abcdef", 6), 6);
	cr_assert_eq(truncate(path, 5), 0);
	close_it(fd);
	cr_expect_eq(waiting(), 0);
	/* Another file has replaced it. */
	fd = open(path, O_WRONLY);
	unit_opened(fd, AT_FDCWD, path);
	shell("cd '%s' && rm jit_f*", root);
	close_it(fd);
	cr_expect_eq(waiting(), 0);
}

/* Declares a class of the user's own. Must run before the first look at a path. */
static void declare(const char *line)
{
	shell("mkdir -p '%s/conf/reprise'", root);
	write_file(in_root("conf/reprise/reprise.conf"), line, strlen(line));
	setenv("XDG_CONFIG_HOME", in_root("conf"), 1);
	unit_host_declares();
}

Test(unit_host, a_class_of_the_users_own_keeps_out_of_our_directories)
{
	static const struct {
		const char *path, *why;
	} v[] = {{"cache/own/abcd.bin", "it lies in the directory of the store"},
	         {"link/own/abcd.bin", "it lies in the directory of the store"},
	         {"run/own/abcd.bin", "it lies in the runtime directory"},
	         {"else/own/abcd.bin", NULL}};
	struct journal_record *r;
	int n, told = 0;

	become_host();
	declare("UNIT=mine path=own/<[a-z]{4}.bin complete=rename kind=file\n");
	shell("cd '%s' && ln -s cache link && mkdir -p cache/own run/own else/own", root);
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		const char *from = in_root("from"), *to = in_root(v[i].path);
		uint64_t made;

		errno = ENOENT;
		cr_expect_not(unit_lookup_failed(AT_FDCWD, to), "%s", v[i].path);
		write_file(from, "x", 1);
		made = unit_rename_begins(AT_FDCWD, from, to);
		cr_expect_neq(made, 0, "%s", v[i].path);
		cr_assert_eq(rename(from, to), 0);
		unit_renamed(AT_FDCWD, to, made);
		cr_expect_eq(waiting(), v[i].why ? 0 : 1, "%s", v[i].path);
		r = records(&n);
		told += v[i].why && i != 1; /* each cause once */
		cr_assert_geq(n, told);
		if (v[i].why && i != 1)
			cr_expect_str_eq(r[n - 1].detail, v[i].why);
	}
	cr_expect_eq(counted(COUNTER_UNITS_OFF), 2);
}

Test(unit_host, a_framework_process_keeps_which_files_it_looked_at)
{
	unit_looked_at("/before/a.py", S_IFREG, 3, 1);
	cr_expect(!seen_files_have(3, 1), "no host yet");
	become_host();
	errno = EDOM;
	unit_looked_at("/a.py", S_IFREG | 0644, 3, 2);
	unit_looked_at("/dir.py", S_IFDIR | 0755, 3, 3);
	unit_looked_at(NULL, S_IFREG | 0644, 3, 4); /* statx of a descriptor */
	cr_expect_eq(errno, EDOM);
	cr_expect(seen_files_have(3, 2) && !seen_files_have(3, 3) && !seen_files_have(3, 4));
}

Test(unit_host, a_source_that_was_opened_was_looked_at)
{
	const char *paths[] = {in_root("opened.py"), in_root("opened.txt")};
	struct stat st[2];

	become_host();
	unit_looked_at("/a.py", S_IFREG | 0644, 3, 2); /* makes the process a host */
	for (int i = 0; i < 2; i++) {
		write_file(paths[i], "x", 1);
		int fd = open(paths[i], O_RDONLY);
		cr_assert_geq(fd, 0);
		errno = EDOM;
		unit_read(fd, AT_FDCWD, paths[i]);
		cr_expect_eq(errno, EDOM);
		cr_assert_eq(fstat(fd, &st[i]), 0);
		close(fd);
	}
	cr_expect(seen_files_have(st[0].st_dev, st[0].st_ino));
	cr_expect(!seen_files_have(st[1].st_dev, st[1].st_ino), "it is no source");
}

Test(unit_host, another_process_keeps_no_files)
{
	unit_host_begin();
	for (unsigned i = 0; i < 100; i++)
		unit_looked_at("/a.py", S_IFREG, 3, i);
	for (unsigned i = 0; i < 100; i++)
		cr_expect(!seen_files_have(3, i));
}
