/* Old files of a shared directory: by age, by size; what is left alone. */
#include "remote/dir/expire.h"

#include "shared_dir_fixture.h"

TestSuite(expire, .init = dir_start, .fini = dir_stop);

#define DAY 86400

static struct expired done;

static void expire(uint64_t age_s, uint64_t bytes)
{
	const struct expire_limits limits = {age_s, bytes};

	done = (struct expired){0};
	cr_assert_eq(expire_run(&place, &limits, &done, NULL, NULL, &arena, &fault), 0, "%s",
	             fault.text);
}

/* Puts an object of n bytes that is so old. */
static void object(unsigned char key, size_t n, time_t age_s)
{
	char *bytes = arena_alloc(&arena, n + 1);

	memset(bytes, 'x', n);
	name.key.b[0] = key;
	cr_assert_eq(put("", bytes), BACKEND_OK, "%s", fault.text);
	age_file(path_of(&name), age_s);
}

static int is_there(unsigned char key)
{
	name.key.b[0] = key;
	return access(path_of(&name), F_OK) == 0;
}

Test(expire, by_age)
{
	object(0, 100, 31 * DAY);
	object(1, 100, 29 * DAY);
	object(0xff, 100, 4000 * DAY);
	name.kind = 'm';
	object(1, 100, 31 * DAY);
	expire(30 * DAY, 0);
	cr_expect_eq(done.removed, 3);
	cr_expect_eq(done.removed_bytes, 300);
	cr_expect_eq(done.entries, 1);
	cr_expect_eq(done.bytes, 100);
	cr_expect_not(is_there(1));
	name.kind = 'r';
	cr_expect(is_there(1));
	expire(30 * DAY, 0);
	cr_expect_eq(done.removed, 0);
}

Test(expire, by_size_the_oldest_first)
{
	object(1, 1000, 5 * DAY);
	object(2, 1000, 4 * DAY);
	object(3, 1000, 3 * DAY);
	object(4, 1000, 30);
	object(5, 5000, 60 * DAY);
	expire(0, 3500);
	cr_expect(!is_there(5) && !is_there(1) && is_there(2) && is_there(3) && is_there(4));
	cr_expect_eq(done.bytes, 3000);
	expire(0, 3000);
	cr_expect_eq(done.removed, 0);
	expire(3 * DAY + DAY / 2, 1000);
	cr_expect(!is_there(2) && !is_there(3) && is_there(4));
}

/* Files of one age go one by one: a limit does not empty a young store. */
Test(expire, by_size_within_an_hour)
{
	for (unsigned char i = 0; i < 20; i++)
		object(i, 1000, 10);
	expire(0, 15500);
	cr_expect_eq(done.removed, 5);
	cr_expect_eq(done.entries, 15);
}

Test(expire, files_from_the_future)
{
	object(1, 100, -100 * DAY);
	object(2, 100, 0);
	expire(30 * DAY, 200);
	cr_expect_eq(done.removed, 0);
}

Test(expire, temporary_files_of_killed_writers)
{
	char old[600], fresh[600], in_root[600];

	object(1, 100, 0);
	snprintf(old, sizeof old, "%s/.tmp-0123456789abcdef", folder_of(&name));
	snprintf(fresh, sizeof fresh, "%s/.tmp-fedcba9876543210", folder_of(&name));
	close(open(old, O_CREAT | O_WRONLY, 0600));
	close(open(fresh, O_CREAT | O_WRONLY, 0600));
	snprintf(in_root, sizeof in_root, "%s/.tmp-0123456789abcdef", root_path);
	close(open(in_root, O_CREAT | O_WRONLY, 0600));
	age_file(in_root, 2 * DAY);
	age_file(old, 2 * DAY);
	age_file(fresh, DAY / 2);
	expire(30 * DAY, 0);
	cr_expect_eq(done.temporary, 2);
	cr_expect_neq(access(in_root, F_OK), 0);
	cr_expect_neq(access(old, F_OK), 0);
	cr_expect_eq(access(fresh, F_OK), 0);
	cr_expect_eq(done.entries, 1);
}

Test(expire, what_is_not_ours_is_left_alone)
{
	static const char *const names[] = {"remote/notes", "remote/00/notes", "remote/00/r-12",
	                                    "remote/000",
	                                    "remote/r-0123456789abcdef0123456789abcdef"
	                                    "0123456789abcdef0123456789abcd", "elsewhere/00/file"};
	char link_path[600], to[600];

	object(0, 100, 60 * DAY);
	mkdir(scratch("elsewhere"), 0700);
	mkdir(scratch("elsewhere/00"), 0700);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		scratch_write(names[i], "x");
		age_file(scratch(names[i]), 60 * DAY);
	}
	/* A folder and a file that are links. */
	strcpy(to, path_of(&name));
	snprintf(link_path, sizeof link_path, "%s/01", root_path);
	cr_assert_eq(rename(folder_of(&name), scratch("elsewhere/aa")), 0);
	cr_assert_eq(symlink("../elsewhere/aa", link_path), 0);
	expire(30 * DAY, 1);
	cr_expect_eq(done.removed, 0);
	cr_expect_eq(access(scratch("elsewhere/aa"), F_OK), 0);
	cr_expect_eq(access(strcat(link_path, strrchr(to, '/')), F_OK), 0);
}

Test(expire, a_directory_that_is_missing)
{
	expire(1, 1);
	cr_expect_eq(done.entries, 0);
	cr_expect_neq(access(root_path, F_OK), 0);
}

/* The file server's clock counts: nothing is left of what asks for it. */
Test(expire, leaves_no_file_of_its_own)
{
	cr_assert_eq(put("", "x"), BACKEND_OK);
	expire(1000, 0);
	cr_assert_eq(OPS->remove(&backend, &name, soon(), &fault), BACKEND_OK);
	cr_expect_eq(rmdir(folder_of(&name)), 0);
	cr_expect_eq(rmdir(root_path), 0);
}
