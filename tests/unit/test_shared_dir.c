/* A directory as a remote store: objects and lists, what readers meet that others changed. Whose
 * files are served: test_shared_root.c. */
#include "shared_dir_fixture.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

TestSuite(shared_dir, .init = dir_start, .fini = dir_stop);

static size_t accepted, seen;

static uint64_t accept_length(void *ctx, const void *first, size_t n)
{
	seen = n;
	return accepted;
}

/* Gets an object of that length, 0: only its first bytes. */
static enum backend_status get(size_t length, struct backend_bytes *out)
{
	const struct backend_limit limit = {.accept = accept_length, .most = 64u << 20};

	accepted = length;
	seen = 0;
	return OPS->get(&backend, &name, &limit, out, soon(), &fault);
}

/* Number of names in the name's folder. */
static int names_in_folder(void)
{
	DIR *dir = opendir(folder_of(&name));
	int n = 0;

	for (struct dirent *e; dir && (e = readdir(dir));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	if (dir)
		closedir(dir);
	return n;
}

static void list_is(const char *expected)
{
	struct backend_list list;
	char all[256] = "";

	cr_assert_eq(OPS->candidates(&backend, &name, 0, BACKEND_LIST, &list, soon(), &fault),
	             BACKEND_OK, "%s", fault.text);
	for (unsigned i = 0; i < list.count; i++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.*s", i ? " " : "",
		         (int)list.v[i].len, (const char *)list.v[i].data);
	cr_expect_str_eq(all, expected);
}

static enum backend_status add(const char *blob, int drop)
{
	return OPS->add_candidate(&backend, &name, text(blob), drop, 0, soon(), &fault);
}

Test(shared_dir, an_object)
{
	struct backend_bytes out;

	cr_expect_eq(get(9, &out), BACKEND_ABSENT);
	cr_assert_eq(put("head", "bytes"), BACKEND_OK, "%s", fault.text);
	cr_assert_eq(get(9, &out), BACKEND_OK, "%s", fault.text);
	cr_expect_eq(seen, 9);
	cr_expect_eq(out.len, 9);
	cr_expect_arr_eq(out.data, "headbytes", 9);
	cr_expect_eq(names_in_folder(), 1);
	cr_assert_eq(put("", "other"), BACKEND_OK);
	cr_assert_eq(get(5, &out), BACKEND_OK);
	cr_expect_arr_eq(out.data, "other", 5);
	cr_expect_eq(backend.bytes_out, 14);
	cr_expect_eq(backend.bytes_in, 14);
}

Test(shared_dir, a_large_object)
{
	size_t n = put_blob(5u << 20);
	struct backend_bytes out;

	cr_assert_eq(get(n, &out), BACKEND_OK, "%s", fault.text);
	cr_expect_lt(seen, n);
	cr_expect_geq(seen, BLOB_HEAD);
	cr_expect_eq(out.len, n);
	cr_assert_eq(get(0, &out), BACKEND_OK);
	cr_expect_eq(out.len, seen);
	cr_expect_lt(seen, n);
}

Test(shared_dir, an_object_of_another_length)
{
	struct backend_limit small = {.accept = accept_length, .most = 8};
	struct backend_bytes out;

	put("head", "bytes");
	cr_expect_eq(get(10, &out), BACKEND_FOREIGN);
	cr_expect(strstr(fault.text, "9 bytes"), "%s", fault.text);
	accepted = 9;
	cr_expect_eq(OPS->get(&backend, &name, &small, &out, soon(), &fault), BACKEND_GARBAGE);
	truncate(path_of(&name), 0);
	cr_expect_eq(get(0, &out), BACKEND_OK);
	cr_expect_eq(out.len, 0);
}

Test(shared_dir, a_list)
{
	struct backend_list list;

	cr_expect_eq(OPS->candidates(&backend, &name, 0, 4, &list, soon(), &fault), BACKEND_ABSENT);
	cr_assert_eq(add("a", -1), BACKEND_OK, "%s", fault.text);
	add("b", -1);
	add("c", -1);
	list_is("c b a");
	add("d", 2);
	list_is("d c b");
	cr_assert_eq(OPS->candidates(&backend, &name, 1, 1, &list, soon(), &fault), BACKEND_OK);
	cr_expect_eq(list.count, 1);
	cr_expect_eq(*list.v[0].data, 'c');
	cr_expect_eq(list.length, 3);
	cr_expect_eq(names_in_folder(), 1);
}

Test(shared_dir, a_damaged_list_is_replaced)
{
	struct backend_list list;

	add("a", -1);
	truncate(path_of(&name), 14);
	cr_expect_eq(OPS->candidates(&backend, &name, 0, 4, &list, soon(), &fault),
	             BACKEND_FOREIGN);
	cr_expect_eq(list.count, 0);
	cr_assert_eq(add("b", -1), BACKEND_OK);
	list_is("b");
	truncate(path_of(&name), BUNDLE_MOST + 1);
	cr_expect_eq(OPS->candidates(&backend, &name, 0, 4, &list, soon(), &fault),
	             BACKEND_FOREIGN);
}

Test(shared_dir, has_looks_at_the_length)
{
	cr_expect_eq(OPS->has(&backend, &name, soon(), &fault), 0);
	size_t n = put_blob(3u << 20);
	cr_expect_eq(OPS->has(&backend, &name, soon(), &fault), 1);
	truncate(path_of(&name), (off_t)n - 1);
	cr_expect_eq(OPS->has(&backend, &name, soon(), &fault), 0);
	truncate(path_of(&name), 0);
	cr_expect_eq(OPS->has(&backend, &name, soon(), &fault), 0);
	put_blob(10);
	cr_expect_eq(OPS->has(&backend, &name, soon(), &fault), 1);
	/* the same bytes under another name */
	struct backend_name other = {'r', {{1}}};
	mkdir(folder_of(&other), 0700);
	char to[512];
	strcpy(to, path_of(&other));
	cr_assert_eq(link(path_of(&name), to), 0);
	cr_expect_eq(OPS->has(&backend, &other, soon(), &fault), 0);
}

Test(shared_dir, what_is_used_becomes_younger)
{
	struct backend_bytes out;
	size_t n = put_blob(10);

	age_file(path_of(&name), 3000);
	OPS->has(&backend, &name, soon(), &fault);
	cr_expect_gt(age_of(path_of(&name)), 2000);
	age_file(path_of(&name), 4000);
	cr_assert_eq(get(n, &out), BACKEND_OK);
	cr_expect_gt(age_of(path_of(&name)), 2000);
	OPS->has(&backend, &name, soon(), &fault);
	cr_expect_lt(age_of(path_of(&name)), 60);
	age_file(path_of(&name), 100000);
	get(n, &out);
	cr_expect_lt(age_of(path_of(&name)), 60);
}

Test(shared_dir, remove)
{
	struct backend_bytes out;

	put("head", "bytes");
	cr_expect_eq(OPS->remove(&backend, &name, soon(), &fault), BACKEND_OK);
	cr_expect_eq(get(9, &out), BACKEND_ABSENT);
	cr_expect_eq(OPS->remove(&backend, &name, soon(), &fault), BACKEND_OK);
}

Test(shared_dir, the_directory_is_removed_while_it_is_in_use)
{
	struct backend_bytes out;

	put("head", "bytes");
	nftw(root_path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	cr_expect_eq(get(9, &out), BACKEND_ABSENT);
	cr_assert_eq(put("head", "bytes"), BACKEND_OK, "%s", fault.text);
	cr_expect_eq(get(9, &out), BACKEND_OK);
	/* The folder alone. */
	nftw(folder_of(&name), scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	cr_assert_eq(put("head", "bytes"), BACKEND_OK, "%s", fault.text);
}

Test(shared_dir, a_file_system_that_is_not_mounted)
{
	struct backend_bytes out;

	snprintf(root_path, sizeof root_path, "%s/lustre/remote", scratch_dir);
	reopen(NULL);
	cr_expect_eq(put("head", "bytes"), BACKEND_REFUSED);
	cr_expect(strstr(fault.text, "mounted"), "%s", fault.text);
	cr_expect_eq(get(9, &out), BACKEND_REFUSED);
	cr_expect_eq(OPS->ping(&backend, soon(), &fault), BACKEND_REFUSED);
	cr_expect_neq(access(scratch("lustre"), F_OK), 0);
}

Test(shared_dir, ping)
{
	cr_expect_eq(OPS->ping(&backend, soon(), &fault), BACKEND_OK);
	cr_expect_neq(access(root_path, F_OK), 0, "a look-up makes nothing");
	put("head", "bytes");
	cr_expect_eq(OPS->ping(&backend, soon(), &fault), BACKEND_OK);
	nftw(root_path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	scratch_write("remote", "a file");
	cr_expect_eq(OPS->ping(&backend, soon(), &fault), BACKEND_REFUSED);
}

Test(shared_dir, links_below_the_root_are_not_followed)
{
	struct backend_bytes out;
	char to[512];

	put("head", "bytes");
	strcpy(to, path_of(&name));
	rename(to, scratch("file"));
	cr_assert_eq(symlink(scratch("file"), to), 0);
	cr_expect_eq(get(9, &out), BACKEND_FOREIGN);
	/* A writer replaces the link, and not the file behind it. */
	cr_assert_eq(put("new", ""), BACKEND_OK, "%s", fault.text);
	cr_expect_eq(stat_of(scratch("file")).st_size, 9);
	cr_expect_eq(get(3, &out), BACKEND_OK);
	strcpy(to, folder_of(&name));
	rename(to, scratch("folder"));
	cr_assert_eq(symlink(scratch("folder"), to), 0);
	cr_expect_eq(get(3, &out), BACKEND_FOREIGN);
	cr_expect_eq(put("new", "er"), BACKEND_FOREIGN);
	/* The root itself may be a link. */
	rename(root_path, scratch("elsewhere"));
	cr_assert_eq(symlink("elsewhere", root_path), 0);
	unlink(to);
	reopen(NULL);
	cr_expect_eq(put("new", "er"), BACKEND_OK, "%s", fault.text);
	cr_expect_eq(get(5, &out), BACKEND_OK);
}

Test(shared_dir, what_is_no_file)
{
	struct backend_bytes out;

	put("head", "bytes");
	unlink(path_of(&name));
	cr_assert_eq(mkfifo(path_of(&name), 0600), 0);
	cr_expect_eq(get(9, &out), BACKEND_FOREIGN);
	cr_expect_eq(OPS->has(&backend, &name, soon(), &fault), 0);
	unlink(path_of(&name));
	cr_assert_eq(mkdir(path_of(&name), 0700), 0);
	cr_expect_eq(get(9, &out), BACKEND_FOREIGN);
	cr_expect_eq(put("head", "bytes"), BACKEND_FOREIGN);
	cr_expect_eq(names_in_folder(), 1, "the temporary file is removed");
}

Test(shared_dir, a_write_that_fails_leaves_no_file)
{
	struct rlimit small = {1000, 1000};
	struct backend_bytes out;
	char large[5000];

	put("head", "bytes");
	memset(large, 'x', sizeof large - 1);
	large[sizeof large - 1] = '\0';
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	cr_expect_eq(put("head", large), BACKEND_SERVER);
	cr_expect_eq(names_in_folder(), 1);
	cr_expect_eq(get(9, &out), BACKEND_OK, "the older object stays");
}

Test(shared_dir, a_transfer_ends_by_its_deadline)
{
	size_t n = put_blob(5u << 20);
	const struct backend_limit limit = {.accept = accept_length, .most = 64u << 20};
	struct backend_bytes out;

	accepted = n;
	cr_expect_eq(OPS->get(&backend, &name, &limit, &out, 1, &fault), BACKEND_TIMEOUT);
	char *large = malloc(3u << 20);
	memset(large, 'x', 3u << 20);
	cr_expect_eq(OPS->put(&backend, &name, text("head"),
	                      &(struct source){.data = (unsigned char *)large, .len = 3u << 20},
	                      0, 1, &fault),
	             BACKEND_TIMEOUT);
	free(large);
	cr_expect_eq(names_in_folder(), 1);
}

/* Readers see one writer's object or another's, never a mixture. */
Test(shared_dir, writers_and_readers_at_once)
{
	enum { WRITERS = 4, ROUNDS = 200, SIZE = 60000 };
	static char large[SIZE + 1];
	struct backend_bytes out;
	pid_t child[WRITERS];

	memset(large, 'z', SIZE);
	put("", large);
	for (int w = 0; w < WRITERS; w++) {
		child[w] = fork();
		if (child[w])
			continue;
		reopen(NULL);
		memset(large, 'a' + w, SIZE);
		for (int i = 0; i < ROUNDS; i++)
			if (put("", large) != BACKEND_OK)
				_exit(1);
		_exit(0);
	}
	for (int i = 0; i < ROUNDS; i++) {
		cr_assert_eq(get(SIZE, &out), BACKEND_OK, "%s", fault.text);
		for (size_t k = 1; k < out.len; k++)
			cr_assert_eq(out.data[k], out.data[0]);
		reopen(NULL);
	}
	for (int w = 0; w < WRITERS; w++) {
		int status;

		waitpid(child[w], &status, 0);
		cr_expect_eq(status, 0);
	}
	cr_expect_eq(names_in_folder(), 1);
}

/* Of candidates that are added at once some may be lost; the list stays a list. */
Test(shared_dir, lists_that_grow_at_once)
{
	struct backend_list list;
	pid_t child[3];

	for (int w = 0; w < 3; w++) {
		child[w] = fork();
		if (child[w])
			continue;
		char blob[16];
		reopen(NULL);
		for (int i = 0; i < 50; i++) {
			snprintf(blob, sizeof blob, "%d-%d", w, i);
			if (add(blob, -1) != BACKEND_OK)
				_exit(1);
		}
		_exit(0);
	}
	for (int w = 0; w < 3; w++) {
		int status;

		waitpid(child[w], &status, 0);
		cr_expect_eq(status, 0);
	}
	cr_assert_eq(OPS->candidates(&backend, &name, 0, BACKEND_LIST, &list, soon(), &fault),
	             BACKEND_OK);
	cr_expect_gt(list.count, 0);
	for (unsigned i = 0; i < list.count; i++)
		cr_expect_eq(list.v[i].data[1], '-');
}

Test(shared_dir, places_that_name_no_directory)
{
	static const struct remote_place wrong[] = {
		{.host = "server", .path = "/x"}, {.host = "", .path = ""},
		{.host = "", .path = "/"}, {.host = "", .path = "x/y"}};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct backend b = {.arena = &arena};

		cr_expect_lt((shared_dir_ops.open)(&b, &wrong[i], &arena, &fault), 0, "%zu", i);
	}
}
