/* Whose files a directory's readers are served, and with which modes files are made. */
#include "shared_dir_fixture.h"

#include <grp.h>

#include "remote/dir/shared_root.h"

TestSuite(shared_root, .init = dir_start, .fini = dir_stop);

#define OTHER 4321
#define TEAM 4322

static uint64_t accept_all(void *ctx, const void *first, size_t n)
{
	return n;
}

static enum backend_status get(void)
{
	const struct backend_limit limit = {.accept = accept_all, .most = 1000};
	struct backend_bytes out;

	return OPS->get(&backend, &name, &limit, &out, soon(), &fault);
}

static void need_root(void)
{
	if (geteuid() != 0)
		cr_skip_test("needs root to give files to others");
}

/* Sets the root's mode and group, and the file's owner, group and mode; then asks for the file. */
static enum backend_status asked(mode_t root, gid_t group, uid_t owner, gid_t file_group,
                                 mode_t mode)
{
	cr_assert_eq(put("head", "bytes"), BACKEND_OK, "%s", fault.text);
	cr_assert_eq(chown(root_path, (uid_t)-1, group), 0);
	cr_assert_eq(chmod(root_path, root), 0);
	cr_assert_eq(chown(path_of(&name), owner, file_group), 0);
	cr_assert_eq(chmod(path_of(&name), mode), 0);
	reopen(NULL);
	return get();
}

Test(shared_root, modes)
{
	mode_t mask = umask(0777);

	cr_assert_eq(put("head", "bytes"), BACKEND_OK, "%s", fault.text);
	cr_expect_eq(mode_of(root_path), 0700);
	cr_expect_eq(mode_of(folder_of(&name)), 0700);
	cr_expect_eq(mode_of(path_of(&name)), 0600);
	umask(mask);
	nftw(root_path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	chmod(scratch_dir, 02755);
	cr_assert_eq(put("head", "bytes"), BACKEND_OK, "%s", fault.text);
	cr_expect_eq(mode_of(root_path), 02770);
	cr_expect_eq(mode_of(folder_of(&name)), 02770);
	cr_expect_eq(mode_of(path_of(&name)), 0640);
	nftw(root_path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	mkdir(root_path, 0755);
	chmod(root_path, 0755);
	reopen(NULL);
	cr_assert_eq(put("head", "bytes"), BACKEND_OK, "%s", fault.text);
	cr_expect_eq(mode_of(folder_of(&name)), 0755);
	cr_expect_eq(mode_of(path_of(&name)), 0644);
}

Test(shared_root, all_may_write)
{
	put("head", "bytes");
	chmod(root_path, 0777);
	reopen(NULL);
	cr_expect_eq(get(), BACKEND_DENIED);
	cr_expect(strstr(fault.text, "chmod o-w"), "%s", fault.text);
	cr_expect_eq(put("head", "bytes"), BACKEND_DENIED);
	cr_expect_eq(OPS->ping(&backend, soon(), &fault), BACKEND_DENIED);
	reopen("REPRISE_TRUST=some key");
	cr_expect_eq(get(), BACKEND_OK);
	chmod(root_path, 01777);
	reopen(NULL);
	cr_expect_eq(get(), BACKEND_OK);
}

Test(shared_root, own_files)
{
	gid_t own = getegid();

	cr_expect_eq(asked(0755, own, (uid_t)-1, own, 0644), BACKEND_OK);
	cr_expect_eq(asked(0755, own, (uid_t)-1, own, 0666), BACKEND_FOREIGN);
	cr_expect_eq(asked(0755, own, (uid_t)-1, own, 0660), BACKEND_FOREIGN);
	cr_expect_eq(asked(0775, own, (uid_t)-1, own, 0660), BACKEND_OK);
	cr_expect_eq(asked(0775, own, (uid_t)-1, own, 0602), BACKEND_FOREIGN);
}

Test(shared_root, files_of_others)
{
	struct backend_list list;

	need_root();
	cr_expect_eq(asked(0755, 0, OTHER, 0, 0644), BACKEND_FOREIGN);
	cr_expect(strstr(fault.text, "another user"), "%s", fault.text);
	cr_expect_eq(OPS->has(&backend, &name, soon(), &fault), 0);
	/* The writer's own file replaces it. */
	cr_expect_eq(put("head", "bytes"), BACKEND_OK);
	cr_expect_eq(get(), BACKEND_OK);
	/* sticky, writable for all: nobody's group */
	cr_expect_eq(asked(01777, 0, OTHER, 0, 0644), BACKEND_FOREIGN);
	reopen("REPRISE_TRUST=some key");
	cr_expect_eq(get(), BACKEND_OK, "the blob's signature decides");
	/* What others wrote never comes into a file of our own. */
	name.kind = 'm';
	chmod(root_path, 0755);
	reopen(NULL);
	OPS->add_candidate(&backend, &name, text("theirs"), -1, 0, soon(), &fault);
	cr_assert_eq(chown(path_of(&name), OTHER, 0), 0);
	reopen("REPRISE_TRUST=some key");
	cr_assert_eq(OPS->candidates(&backend, &name, 0, 4, &list, soon(), &fault), BACKEND_OK);
	cr_assert_eq(OPS->add_candidate(&backend, &name, text("ours"), -1, 0, soon(), &fault),
	             BACKEND_OK);
	reopen(NULL);
	cr_assert_eq(OPS->candidates(&backend, &name, 0, 4, &list, soon(), &fault), BACKEND_OK);
	cr_expect_eq(list.count, 1);
	cr_expect_arr_eq(list.v[0].data, "ours", 4);
}

Test(shared_root, files_of_a_group)
{
	const gid_t team[] = {TEAM};

	need_root();
	cr_expect_eq(asked(02770, TEAM, OTHER, TEAM, 0640), BACKEND_FOREIGN, "not in the group");
	setgroups(1, team);
	cr_expect_eq(asked(02770, TEAM, OTHER, TEAM, 0640), BACKEND_OK, "%s", fault.text);
	cr_expect_eq(asked(0770, TEAM, OTHER, TEAM, 0640), BACKEND_OK);
	cr_expect_eq(asked(0770, TEAM, OTHER, OTHER, 0640), BACKEND_FOREIGN, "another group");
	cr_expect_eq(asked(0750, TEAM, OTHER, TEAM, 0640), BACKEND_FOREIGN, "not writable");
	cr_expect_eq(asked(0770, TEAM, OTHER, TEAM, 0642), BACKEND_FOREIGN, "all may write");
	cr_expect_eq(asked(03777, TEAM, OTHER, TEAM, 0640), BACKEND_FOREIGN, "all may make files");
	asked(02770, TEAM, OTHER, TEAM, 0640);
	chmod(folder_of(&name), 0777);
	cr_expect_eq(get(), BACKEND_FOREIGN, "all may make files in the folder");
	chmod(folder_of(&name), 02770);
	cr_expect_eq(get(), BACKEND_OK);
	/* Candidates of a group are one list. */
	struct backend_list list;
	name.kind = 'm';
	OPS->add_candidate(&backend, &name, text("a"), -1, 0, soon(), &fault);
	cr_assert_eq(chown(path_of(&name), OTHER, TEAM), 0);
	OPS->add_candidate(&backend, &name, text("b"), -1, 0, soon(), &fault);
	OPS->candidates(&backend, &name, 0, 4, &list, soon(), &fault);
	cr_expect_eq(list.count, 2);
}

/* Where all users may make directories, anybody may have made one of that group. */
Test(shared_root, a_root_that_anybody_may_have_made)
{
	const gid_t team[] = {TEAM};

	need_root();
	setgroups(1, team);
	/* The scratch directory lies in /tmp. */
	cr_assert_eq(chown(scratch_dir, OTHER, TEAM), 0);
	cr_expect_eq(asked(02770, TEAM, OTHER, TEAM, 0640), BACKEND_FOREIGN);
	cr_assert_eq(chown(scratch_dir, 0, TEAM), 0);
	cr_expect_eq(asked(02770, TEAM, OTHER, TEAM, 0640), BACKEND_OK, "%s", fault.text);
	chmod(scratch_dir, 03777);
	cr_expect_eq(asked(02770, TEAM, OTHER, TEAM, 0640), BACKEND_OK, "the root is our own");
	cr_assert_eq(chown(root_path, OTHER, TEAM), 0);
	chmod(root_path, 02770);
	reopen(NULL);
	cr_expect_eq(get(), BACKEND_FOREIGN);
	chmod(scratch_dir, 02775);
	reopen(NULL);
	cr_expect_eq(get(), BACKEND_OK);
}

/* Where the root has no setgid bit, files get its group all the same. */
Test(shared_root, files_made_for_a_group)
{
	const gid_t team[] = {TEAM};

	need_root();
	setgroups(1, team);
	mkdir(root_path, 0770);
	chown(root_path, OTHER, TEAM);
	chmod(root_path, 0770);
	reopen(NULL);
	cr_assert_eq(put("head", "bytes"), BACKEND_OK, "%s", fault.text);
	cr_expect_eq(stat_of(folder_of(&name)).st_gid, TEAM);
	cr_expect_eq(mode_of(folder_of(&name)), 0770);
	cr_expect_eq(stat_of(path_of(&name)).st_gid, TEAM);
	cr_expect_eq(mode_of(path_of(&name)), 0640);
}

/* Returns what question() returns for that user. */
static int as_user(uid_t user, int (*question)(void))
{
	pid_t child;
	int status;

	need_root();
	chmod(scratch_dir, 0755);
	child = fork();
	if (!child) {
		if (setgroups(0, NULL) || setgid(user) || setuid(user))
			_exit(99);
		reopen(NULL);
		_exit(question());
	}
	waitpid(child, &status, 0);
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Where others can write as well, files of the unknown user may be anybody's. */
static int nobody_in_a_sticky_root(void)
{
	return put("head", "bytes") == BACKEND_DENIED && strstr(fault.text, "nobody") ? 0 : 1;
}

Test(shared_root, files_of_nobody)
{
	mkdir(root_path, 01777);
	chmod(root_path, 01777);
	cr_expect_eq(as_user(65534, nobody_in_a_sticky_root), 0);
}

static int other_in_a_sticky_root(void)
{
	if (get() != BACKEND_FOREIGN || put("a", "b") != BACKEND_FOREIGN)
		return 1;
	name.key.b[31] ^= 1; /* another name in the same folder */
	return put("a", "b") == BACKEND_OK && get() == BACKEND_OK ? 0 : 2;
}

/* A name that another user holds does not end all publishing, as DENIED would. */
Test(shared_root, a_name_of_another_user)
{
	mkdir(root_path, 01777);
	chmod(root_path, 01777);
	reopen(NULL);
	cr_assert_eq(put("head", "bytes"), BACKEND_OK);
	cr_expect_eq(mode_of(folder_of(&name)), 01777);
	cr_expect_eq(as_user(OTHER, other_in_a_sticky_root), 0);
}

static int other_in_a_private_root(void)
{
	return get() == BACKEND_DENIED && put("a", "b") == BACKEND_DENIED &&
	       OPS->has(&backend, &name, soon(), &fault) == -1 ? 0 : 1;
}

Test(shared_root, a_directory_that_this_user_may_not_enter)
{
	put("head", "bytes");
	cr_expect_eq(as_user(OTHER, other_in_a_private_root), 0);
}

static int other_reads_alone(void)
{
	return get() == BACKEND_FOREIGN && put("a", "b") == BACKEND_DENIED ? 0 : 1;
}

Test(shared_root, a_directory_that_this_user_may_only_read)
{
	cr_assert_eq(put("head", "bytes"), BACKEND_OK);
	chmod(root_path, 0755);
	chmod(folder_of(&name), 0755);
	chmod(path_of(&name), 0644);
	cr_expect_eq(as_user(OTHER, other_reads_alone), 0);
}

Test(shared_root, names)
{
	struct backend_name n = {'u', {{0xab, 0xcd}}};
	char folder[FOLDER_NAME], file[FILE_NAME];

	n.key.b[31] = 0xef;
	root_names(&n, folder, file);
	cr_expect_str_eq(folder, "ab");
	cr_expect_eq(strlen(file), 64);
	cr_expect_eq(strncmp(file, "u-cd0000", 8), 0);
	cr_expect_str_eq(file + 60, "00ef");
	cr_expect(root_is_file_name(file));
	cr_expect(root_is_file_name(".tmp-0123456789abcdef"));
	cr_expect_not(root_is_file_name(".tmp-0123456789abcde"));
	cr_expect_not(root_is_file_name(".tmp-0123456789abcdef0"));
	cr_expect_not(root_is_file_name("u-cd"));
	cr_expect_not(root_is_file_name(""));
	file[0] = 'U';
	cr_expect_not(root_is_file_name(file));
	file[0] = 'u', file[5] = 'g';
	cr_expect_not(root_is_file_name(file));
}

/* A server that does not answer: tests/e2e/remote_dir_server.bats. */
Test(shared_root, the_child_that_asks_the_server_is_reaped)
{
	struct shared_root r;

	cr_assert_eq(root_init(&r, scratch_dir, 0, &arena, &fault), 0);
	cr_expect_eq(root_open(&r, 0, soon(), &fault), BACKEND_OK, "%s", fault.text);
	cr_expect_lt(waitpid(-1, NULL, WNOHANG | __WALL), 0, "no child is left");
	root_close(&r);
}
