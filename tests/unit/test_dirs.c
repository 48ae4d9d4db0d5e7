/* The places of the store and its runtime directory: order, creation, and permitted owners. */
#include "store_key_fixture.h"

#include "store/dirs.h"

TestSuite(dirs, .init = fixture_start, .fini = fixture_stop);

static const char *default_dir(char **env)
{
	struct settings set;

	settings_defaults(&set);
	settings_merge_env(&set, env, &arena);
	return dirs_default_cache(&set, env, &arena);
}

Test(dirs, order_of_cache_directories)
{
	char uid[64];

	snprintf(uid, sizeof uid, "/tmp/reprise_%u", geteuid());
	struct {
		const char *want;
		char *env[6];
	} table[] = {
		{"/c", {"REPRISE_CACHE_DIR=/c/", "XDG_CACHE_HOME=/x", "HOME=/h", NULL}},
		{"/x/reprise", {"XDG_CACHE_HOME=/x", "HOME=/h", NULL}},
		{"/x/reprise", {"XDG_CACHE_HOME=/x//", "HOME=/h", NULL}},
		{"/h/.cache/reprise", {"XDG_CACHE_HOME=", "HOME=/h", "TMPDIR=/t", NULL}},
		{"/h/.cache/reprise", {"XDG_CACHE_HOME=relative", "HOME=/h", NULL}},
		{"/t/reprise_me", {"TMPDIR=/t", "USER=me", "LOGNAME=other", NULL}},
		{"/t/reprise_other", {"HOME=", "TMPDIR=/t", "USER=../me", "LOGNAME=other", NULL}},
		{"/tmp/reprise_me", {"HOME=relative", "TMPDIR=relative", "USER=me", NULL}},
		{uid, {"USER=a/b", NULL}},
		{uid, {NULL}},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		cr_expect_str_eq(default_dir(table[i].env), table[i].want, "row %zu", i);
}

/* 1: it can be written; 0: it can be read; -1: neither. */
static int judged(const char *path, int guessed)
{
	struct dirs_cache at;

	return dirs_use_cache(&at, path, guessed, &fault) < 0 ? -1 : at.writable;
}

Test(dirs, unusable_cache_directories)
{
	static const struct {
		const char *dir, *how;
		int code;
	} table[] = {
		{"file", "touch '%s/file'", ENOTDIR},
		{"file2/below", "touch '%s/file2'", ENOTDIR},
		{"world", "mkdir -m 777 '%s/world'", EACCES},
		{"sticky", "mkdir -m 1777 '%s/sticky'", EACCES},
		{"dangling", "ln -s nowhere/at/all '%s/dangling'", 0},
		{"loop", "ln -s loop '%s/loop'", ELOOP},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		shell(table[i].how, root);
		snprintf(cache, sizeof cache, "%s/%s", root, table[i].dir);
		cr_expect_eq(judged(cache, 0), -1, "%s", table[i].dir);
		cr_expect_not_null(strstr(fault.text, cache), "%s: %s", table[i].dir, fault.text);
		if (table[i].code)
			cr_expect_eq(fault.code, table[i].code, "%s: %s", table[i].dir, fault.text);
		/* Then the next directory serves, with the reason. */
		open_store(&store, NULL);
		cr_assert_not_null(store.dir);
		cr_expect_str_eq(store.dir, last_resort());
		cr_expect(store.passed && strstr(store.passed, cache), "%s", store.passed);
		cr_expect_not_null(store.runtime_dir);
	}
}

/* If any user may have made it, a directory must be ours and closed to others. */
Test(dirs, guessed_cache_directories)
{
	shell("mkdir -m 700 '%s/mine'", root);
	cr_expect_eq(judged(in_root("mine"), 1), 1);
	shell("ln -s mine '%s/link'", root);
	cr_expect_eq(judged(in_root("link"), 1), -1);
	cr_expect_eq(judged(in_root("link"), 0), 1);
	shell("mkdir -m 770 '%s/group'", root);
	cr_expect_eq(judged(in_root("group"), 1), -1);
	cr_expect_eq(judged(in_root("group"), 0), 1);
	cr_expect_eq(judged(in_root("new"), 1), 1);
}

static void replace_by_file(const char *path)
{
	shell("rm -r '%s'", path);
	shell("touch '%s'", path);
}

Test(dirs, a_list_from_the_first_that_can_be_written)
{
	char xdg[128], home[128], tmp[128], user[128], want[256];
	char *env[] = {"REPRISE_CACHE_DIR=/proc/none", xdg, home, tmp, user, NULL};

	snprintf(xdg, sizeof xdg, "XDG_CACHE_HOME=%s/xdg", root);
	snprintf(home, sizeof home, "HOME=%s/home", root);
	snprintf(tmp, sizeof tmp, "TMPDIR=%s", root);
	snprintf(user, sizeof user, "USER=%s", strrchr(root, '/') + 1);
	snprintf(want, sizeof want, "%s/xdg/reprise", root);
	open_env(&store, env);
	cr_expect_str_eq(store.dir, want);
	cr_expect_str_eq(store.passed, "cache directory /proc/none: No such file or directory");
	replace_by_file(in_root("xdg"));
	open_env(&store, env);
	snprintf(want, sizeof want, "%s/home/.cache/reprise", root);
	cr_expect_str_eq(store.dir, want);
	replace_by_file(in_root("home"));
	open_env(&store, env);
	snprintf(want, sizeof want, "%s/reprise_%s", root, strrchr(root, '/') + 1);
	cr_expect_str_eq(store.dir, want);
	replace_by_file(want);
	open_env(&store, env);
	cr_expect_str_eq(store.dir, last_resort());
	replace_by_file(last_resort());
	open_env(&store, env);
	cr_expect_null(store.dir);
	cr_expect_null(store.passed);
	cr_expect_str_eq(fault.text, "cache directory /proc/none: No such file or directory");
	/* If nothing may be added, an existing store serves. */
	env[0] = "REPRISE_READONLY=1";
	shell("rm '%s'", in_root("xdg"));
	shell("mkdir -p '%s'", in_root("xdg/reprise"));
	open_env(&store, env);
	snprintf(want, sizeof want, "%s/xdg/reprise", root);
	cr_expect_str_eq(store.dir, want);
	cr_expect_eq(store.writable, 0);
}

/* A directory has one set of counters, locks and queues, however it is spelled. */
Test(dirs, two_spellings_of_one_store)
{
	char first[256];

	strcpy(first, store.runtime_dir);
	cr_assert_eq(symlink("cache", in_root("link")), 0);
	snprintf(cache, sizeof cache, "%s/link", root);
	open_store(&store, NULL);
	cr_expect_str_eq(store.runtime_dir, first);
	/* Also after it was removed and made again. */
	shell("rm -r '%s'", in_root("cache"));
	cr_assert_eq(unlink(cache), 0);
	snprintf(cache, sizeof cache, "%s/cache", root);
	open_store(&store, NULL);
	cr_expect_str_eq(store.runtime_dir, first);
	snprintf(cache, sizeof cache, "%s/cache2", root);
	open_store(&store, NULL);
	cr_expect_str_neq(store.runtime_dir, first);
}

Test(dirs, missing_parents_are_made_a_link_is_followed)
{
	struct stat st;

	snprintf(cache, sizeof cache, "%s/a/b/c", root);
	open_store(&store, NULL);
	cr_expect_not_null(store.dir, "%s", fault.text);
	cr_assert_eq(stat(in_root("a"), &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0700);
	cr_assert_eq(symlink("a/b/c", in_root("link")), 0);
	snprintf(cache, sizeof cache, "%s/link", root);
	open_store(&store, NULL);
	cr_expect_not_null(store.dir);
	cr_expect_eq(store.writable, 1);
}

/* As a user other than root, since permissions do not stop root. Runs f in a child; returns 0 if f
 * does. */
static int as_nobody(int (*f)(void *))
{
	shell("chown 65534 '%s'", root);
	return in_child(f, NULL);
}

static int nobody_tries(void *unused)
{
	(void)unused;
	if (setgid(65534) || setuid(65534))
		return 99;
	/* Another user's directory, which we may read and not write: a seed for the next one. */
	snprintf(cache, sizeof cache, "%s/theirs", root);
	if (judged(cache, 0) != 0)
		return 1;
	open_store(&store, NULL);
	key = key_of("k");
	if (!store.dir || strcmp(store.dir, last_resort()) != 0)
		return 9;
	if (get() != ENTRY_OK || put("x") != 0)
		return 2;
	/* Not if the path was only guessed: any user may have made it first. */
	if (judged(cache, 1) != -1 || fault.code != EACCES || !strstr(fault.text, "belongs to"))
		return 8;
	/* Another user's directory that we could write to: others may be able to, too. */
	if (judged(in_root("open"), 0) != -1 || fault.code != EACCES ||
	    !strstr(fault.text, "belongs to"))
		return 3;
	/* A directory that may not be entered. */
	if (judged(in_root("locked/below"), 0) != -1 || fault.code != EACCES)
		return 4;
	/* Our own directory, without the right to write. */
	if (mkdir(in_root("mine"), 0500))
		return 5;
	if (judged(in_root("mine"), 0) != 0)
		return 6;
	if (judged(in_root("mine/below"), 0) != -1 || fault.code != EACCES)
		return 7;
	return 0;
}

Test(dirs, directories_of_other_users)
{
	if (geteuid() != 0)
		cr_skip_test("becoming another user takes root");
	key = key_of("k");
	snprintf(cache, sizeof cache, "%s/theirs", root);
	open_store(&store, NULL);
	cr_assert_eq(put("x"), 0);
	shell("chmod -R a+rX '%s'", cache);
	shell("mkdir -m 777 '%s/open'", root);
	shell("mkdir -m 700 '%s/locked'", root);
	snprintf(runtime, sizeof runtime, "%s/nobodys-run", root);
	cr_expect_eq(as_nobody(nobody_tries), 0);
}

Test(dirs, root_is_refused_a_foreign_directory)
{
	if (geteuid() != 0)
		cr_skip_test("giving a directory away takes root");
	shell("chown 65534 '%s'", cache);
	cr_expect_eq(judged(cache, 0), -1);
	cr_expect_not_null(strstr(fault.text, "belongs to user 65534"), "%s", fault.text);
	open_store(&store, NULL);
	cr_expect_str_eq(store.dir, last_resort());
}

/* --- the runtime directory --- */

static void expect_no_runtime(const char *how, const char *words)
{
	char run[128], dir[128];
	char *env[] = {run, dir, NULL};

	shell(how, root);
	snprintf(run, sizeof run, "REPRISE_RUNTIME_DIR=%s/r", root);
	snprintf(dir, sizeof dir, "REPRISE_CACHE_DIR=%s", cache);
	cr_assert_eq(open_env(&store, env), 0);
	cr_expect(store.passed_runtime && strstr(store.passed_runtime, words), "%s: %s", how,
	          store.passed_runtime);
	cr_expect_not_null(store.dir, "the store itself is well");
	/* The next directory serves, which is the user's. */
	cr_assert_not_null(store.node_dir, "%s", how);
	cr_expect_eq(strncmp(store.node_dir, root, strlen(root)) == 0, 0);
	rmdir(store.runtime_dir);
	shell("rm -rf '%s/r'", root);
}

Test(dirs, unusable_runtime_directories)
{
	expect_no_runtime("ln -s cache '%s/r'", "Not a directory");
	expect_no_runtime("touch '%s/r'", "Not a directory");
	expect_no_runtime("mkdir -m 770 '%s/r'", "written by others");
	expect_no_runtime("mkdir -m 1777 '%s/r'", "written by others");
	if (geteuid() == 0)
		expect_no_runtime("install -d -m 700 -o 65534 '%s/r'", "belongs to user 65534");
}

Test(dirs, order_of_runtime_directories)
{
	char xdg[128], want[128], dir[128];
	char *env[] = {xdg, dir, NULL};

	snprintf(dir, sizeof dir, "REPRISE_CACHE_DIR=%s", cache);
	snprintf(xdg, sizeof xdg, "XDG_RUNTIME_DIR=%s", root);
	snprintf(want, sizeof want, "%s/reprise", root);
	cr_assert_eq(open_env(&store, env), 0);
	cr_assert_not_null(store.node_dir);
	cr_expect_str_eq(store.node_dir, want);
	cr_assert_not_null(store.runtime_dir);
	cr_expect_eq(strncmp(store.runtime_dir, want, strlen(want)), 0);
	cr_expect_eq(strlen(store.runtime_dir), strlen(want) + 1 + 16);

	/* Each store has its own directory below it. */
	char first[256];
	strcpy(first, store.runtime_dir);
	snprintf(dir, sizeof dir, "REPRISE_CACHE_DIR=%s2", cache);
	cr_assert_eq(open_env(&store, env), 0);
	cr_expect_str_neq(store.runtime_dir, first);
	cr_expect_str_eq(store.node_dir, want);

	/* The system makes XDG's directory: if it is missing, the next place is taken. */
	snprintf(xdg, sizeof xdg, "XDG_RUNTIME_DIR=%s/none", root);
	cr_assert_eq(open_env(&store, env), 0);
	cr_expect_not(exists(in_root("none")));
	if (store.node_dir)
		cr_expect_neq(strncmp(store.node_dir, root, strlen(root)), 0);
	if (store.runtime_dir)
		rmdir(store.runtime_dir); /* outside our directory */
}

Test(dirs, default_runtime_agrees_with_the_one_used)
{
	char xdg[128];
	char *env[] = {xdg, "HOME=/h", NULL};
	struct settings set;

	settings_defaults(&set);
	for (int i = 0; i < 2; i++) {
		snprintf(xdg, sizeof xdg, "XDG_RUNTIME_DIR=%s%s", root, i ? "/none" : "");
		const char *said = dirs_default_runtime(&set, env, &arena);
		cr_assert_eq(open_env(&store, env), 0);
		cr_assert_not_null(said);
		if (store.node_dir)
			cr_expect_str_eq(said, store.node_dir);
		if (store.runtime_dir)
			rmdir(store.runtime_dir);
	}
}

Test(dirs, ours_are_private_whatever_the_umask_others_follow_it)
{
	static const struct { mode_t mask, plain; } rows[] = {{022, 0755}, {077, 0700}, {0, 0777}};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char name[32], path[256];
		struct stat st;

		umask(rows[i].mask);
		for (int plain = 0; plain < 2; plain++) {
			snprintf(name, sizeof name, "%zu.%d", i, plain);
			snprintf(path, sizeof path, "%s/a/b", in_root(name));
			cr_assert_eq(plain ? dirs_make_plain(path) : dirs_make(path), 0);
			cr_assert_eq(plain ? dirs_make_plain(path) : dirs_make(path), 0, "again");
			for (int level = 0; level < 3; level++) {
				cr_assert_eq(stat(path, &st), 0);
				cr_expect_eq(st.st_mode & 07777, plain ? rows[i].plain : 0700,
				             "row %zu: %s", i, path);
				*strrchr(path, '/') = '\0';
			}
		}
	}
	umask(022);
}
