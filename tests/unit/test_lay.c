/* Units are laid where the framework looks: in each form, over existing files, and copied from a
 * sibling. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "lay_fixture.h"

TestSuite(lay, .init = lay_setup, .fini = lay_teardown);

Test(lay, a_kernel_with_its_parents)
{
	const char *unit = scratch("triton/0/KEY");
	int before = descriptors();

	cr_assert_eq(lay(&kernel, UNIT_WHOLE, unit), LAY_LAID, "%s", fault.text);
	expect_kernel(unit);
	cr_expect_str_eq(names_in(scratch("triton/0")), "KEY");
	cr_expect_eq(descriptors(), before);
}

Test(lay, over_an_empty_directory_only)
{
	mkdir(scratch("KEY"), 0700);
	cr_assert_eq(lay(&kernel, UNIT_WHOLE, scratch("KEY")), LAY_LAID, "%s", fault.text);
	expect_kernel(scratch("KEY"));
	cr_expect_eq(lay(&kernel, UNIT_WHOLE, scratch("KEY")), LAY_THERE);

	mkdir(scratch("busy"), 0755);
	scratch_write("busy/x", "theirs");
	cr_expect_eq(lay(&kernel, UNIT_WHOLE, scratch("busy")), LAY_THERE);
	cr_expect_str_eq(names_in(scratch("busy")), "x");
	scratch_write("file", "theirs");
	cr_expect_eq(lay(&kernel, UNIT_WHOLE, scratch("file")), LAY_THERE);
	cr_expect_str_eq(text_of(scratch("file")), "theirs");
	cr_expect_str_eq(names_in(scratch_dir), "KEY busy file");
}

Test(lay, a_link_in_the_units_place_is_not_followed)
{
	struct parcel one = single("m", "ours", 0644, 0);

	mkdir(scratch("target"), 0755);
	symlink(scratch("target"), scratch("link"));
	symlink(scratch("nowhere"), scratch("dangling"));
	cr_expect_eq(lay(&kernel, UNIT_WHOLE, scratch("link")), LAY_THERE);
	cr_expect_eq(lay(&kernel, UNIT_WHOLE, scratch("dangling")), LAY_THERE);
	cr_expect_eq(lay(&one, UNIT_SET, scratch("link")), LAY_THERE);
	cr_expect_eq(lay(&one, UNIT_SET, scratch("dangling")), LAY_THERE);
	cr_expect_eq(lay(&one, UNIT_FILE, scratch("link")), LAY_THERE);
	cr_expect_eq(lay(&one, UNIT_FILE, scratch("dangling")), LAY_THERE);
	cr_expect_str_eq(names_in(scratch("target")), "");
	cr_expect_str_eq(names_in(scratch_dir), "dangling link target");
}

Test(lay, links_above_the_unit_are_the_users)
{
	mkdir(scratch("disk"), 0755);
	symlink(scratch("disk"), scratch("cache"));
	cr_assert_eq(lay(&kernel, UNIT_WHOLE, scratch("cache/0/KEY")), LAY_LAID, "%s", fault.text);
	expect_kernel(scratch("cache/0/KEY"));
	cr_expect_str_eq(names_in(scratch("disk")), "0");
}

Test(lay, a_file_never_replaces)
{
	struct parcel ours = single("anything", "ours", 0644, 0);

	cr_assert_eq(lay(&ours, UNIT_FILE, scratch("xy/x.best_config")), LAY_LAID, "%s",
	             fault.text);
	cr_expect_str_eq(text_of(scratch("xy/x.best_config")), "ours");
	scratch_write("xy/y", "theirs");
	cr_expect_eq(lay(&ours, UNIT_MERGED, scratch("xy/y")), LAY_THERE);
	cr_expect_str_eq(text_of(scratch("xy/y")), "theirs");
	mkdir(scratch("xy/z"), 0755);
	cr_expect_eq(lay(&ours, UNIT_FILE, scratch("xy/z")), LAY_THERE);
	cr_expect_str_eq(names_in(scratch("xy")), "x.best_config y z");
}

Test(lay, a_set_grows_and_keeps_what_it_has)
{
	struct parcel a = single("a", "one", 0644, 0), b = single("b", "two", 0644, 0);
	struct parcel a2 = single("a", "other", 0644, 0);
	const char *set = scratch("fxgraph/ab/fkey");

	cr_assert_eq(lay(&a, UNIT_SET, set), LAY_LAID, "%s", fault.text);
	cr_expect_eq(lay(&b, UNIT_SET, set), LAY_LAID, "%s", fault.text);
	cr_expect_eq(lay(&a2, UNIT_SET, set), LAY_THERE);
	cr_expect_str_eq(names_in(set), "a b");
	cr_expect_str_eq(text_of(scratch("fxgraph/ab/fkey/a")), "one");
	cr_expect_str_eq(names_in(scratch("fxgraph/ab")), "fkey");
	mkdir(scratch("fxgraph/ab/fempty"), 0700);
	cr_expect_eq(lay(&a, UNIT_SET, scratch("fxgraph/ab/fempty")), LAY_LAID);
	cr_expect_eq(mode_of(scratch("fxgraph/ab/fempty")), 0700, "it was there");
	scratch_write("fxgraph/ab/ffile", "");
	cr_expect_eq(lay(&a, UNIT_SET, scratch("fxgraph/ab/ffile")), LAY_THERE);
}

/* The modes are those of Triton 3.9 and torch 2.13: 0666 and 0777 less the umask, whatever umask
 * the publisher had. */
Test(lay, modes_follow_the_umask_of_this_process)
{
	static const struct { mode_t mask; unsigned dir, file, program; } rows[] = {
		{022, 0755, 0644, 0755}, {027, 0750, 0640, 0750},
		{0, 0777, 0666, 0777}, {077, 0700, 0600, 0700},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct parcel exact = single("m", "x", 0600, 1), plain = single("n", "x", 0400, 0);
		char dir[32];

		umask(rows[i].mask);
		snprintf(dir, sizeof dir, "%zu/up/KEY", i);
		cr_assert_eq(lay(&kernel, UNIT_WHOLE, scratch(dir)), LAY_LAID, "%s", fault.text);
		cr_expect_eq(mode_of(scratch(dir)), rows[i].dir, "row %zu", i);
		snprintf(dir, sizeof dir, "%zu/up", i);
		cr_expect_eq(mode_of(scratch(dir)), rows[i].dir, "row %zu", i);
		snprintf(dir, sizeof dir, "%zu/up/KEY/k.ptx", i);
		cr_expect_eq(mode_of(scratch(dir)), rows[i].file, "row %zu", i);
		snprintf(dir, sizeof dir, "%zu/up/KEY/k.json", i);
		cr_expect_eq(mode_of(scratch(dir)), rows[i].program, "row %zu", i);
		snprintf(dir, sizeof dir, "%zu/set", i);
		cr_expect_eq(lay(&exact, UNIT_SET, scratch(dir)), LAY_LAID);
		cr_expect_eq(lay(&plain, UNIT_SET, scratch(dir)), LAY_LAID);
		cr_expect_eq(mode_of(scratch(dir)), rows[i].dir, "row %zu", i);
		snprintf(dir, sizeof dir, "%zu/set/m", i);
		cr_expect_eq(mode_of(scratch(dir)), 0600, "row %zu", i);
		snprintf(dir, sizeof dir, "%zu/set/n", i);
		cr_expect_eq(mode_of(scratch(dir)), rows[i].file, "row %zu", i);
	}
	umask(022);
}

Test(lay, a_group_is_inherited_as_by_mkdir)
{
	struct stat st;

	if (geteuid() != 0)
		cr_skip_test("needs root to give a directory to another group");
	mkdir(scratch("shared"), 0755);
	cr_assert_eq(chown(scratch("shared"), -1, 12345), 0);
	cr_assert_eq(chmod(scratch("shared"), 02775), 0);
	cr_assert_eq(lay(&kernel, UNIT_WHOLE, scratch("shared/KEY")), LAY_LAID);
	cr_assert_eq(stat(scratch("shared/KEY/k.ptx"), &st), 0);
	cr_expect_eq(st.st_gid, 12345u);
	cr_expect_eq(mode_of(scratch("shared/KEY")), 02755);
}

Test(lay, a_parcel_that_does_not_fit_or_is_damaged)
{
	struct parcel_file bad = {.name = "m", .len = 100, .packed = (unsigned char *)"no frame",
	                          .packed_len = 8};
	struct parcel p = {.class = UNIT_FXGRAPH, .note = "", .file = &bad, .files = 1};

	cr_expect_eq(lay(&kernel, UNIT_SET, scratch("set")), LAY_FAULT);
	cr_expect_eq(fault.code, 0);
	fault.code = 1;
	cr_expect_eq(lay(&p, UNIT_SET, scratch("set")), LAY_FAULT);
	cr_expect_eq(fault.code, 0);
	cr_expect_neq(fault.text[0], '\0');
	cr_expect_eq(lay(&p, UNIT_WHOLE, scratch("set")), LAY_FAULT);
	cr_expect_eq(lay(&p, UNIT_FILE, scratch("set")), LAY_FAULT);
	cr_expect_str_eq(names_in(scratch_dir), "");
	cr_expect_eq(lay(&kernel, UNIT_WHOLE, "relative/KEY"), LAY_FAULT);
	cr_expect_eq(fault.code, EINVAL);
}

/* As on vfat or some FUSE: no hard links; with two, renameat2 knows no flags either. */
static void forbid(int what)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_linkat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[4])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
		BPF_STMT(BPF_RET | BPF_K,
		         what == 2 ? SECCOMP_RET_ERRNO | EINVAL : SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof f / sizeof f[0], f};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		_exit(77);
}

static int in_child_without(int what, int (*f)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		forbid(what);
		_exit(f());
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		cr_skip_test("no seccomp here");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int lay_three(void)
{
	struct parcel a = single("a", "one", 0644, 0), b = single("b", "two", 0644, 0);

	return lay(&a, UNIT_SET, scratch("set")) | lay(&b, UNIT_SET, scratch("set")) << 2 |
	       lay(&a, UNIT_FILE, scratch("file")) << 4;
}

Test(lay, without_hard_links)
{
	cr_expect_eq(in_child_without(1, lay_three), 0);
	cr_expect_str_eq(names_in(scratch("set")), "a b");
	cr_expect_str_eq(text_of(scratch("file")), "one");
	cr_expect_eq(in_child_without(1, lay_three), LAY_THERE | LAY_THERE << 2 | LAY_THERE << 4);
	cr_expect_str_eq(names_in(scratch_dir), "file set");
}

/* If no call can tell that a name is taken, nothing is laid beside other files. */
Test(lay, without_links_and_without_rename_flags)
{
	cr_expect_eq(in_child_without(2, lay_three), LAY_LAID | LAY_FAULT << 2 | LAY_FAULT << 4);
	cr_expect_str_eq(names_in(scratch("set")), "a",
	                 "the first member comes with its directory");
	cr_expect_str_eq(names_in(scratch_dir), "set");
}

/* --- siblings --------------------------------------------------------------------------------- */

static void make_sibling(void)
{
	cr_assert_eq(lay(&kernel, UNIT_WHOLE, scratch("0/KEY")), LAY_LAID);
	scratch_write("0/KEY/launcher.so", "of this machine");
}

static enum lay_status copy(void)
{
	return lay_copy(scratch("0/KEY"), scratch("1/KEY"), "__grp__k.json", &arena, &fault);
}

Test(lay, a_sibling_is_what_its_index_names)
{
	int before = descriptors();

	make_sibling();
	umask(027);
	cr_assert_eq(copy(), LAY_LAID, "%s", fault.text);
	umask(022);
	expect_kernel(scratch("1/KEY"));
	cr_expect_eq(mode_of(scratch("1/KEY/k.ptx")), 0640);
	cr_expect_eq(mode_of(scratch("1/KEY/k.json")), 0750);
	cr_expect_eq(copy(), LAY_THERE);
	cr_expect_str_eq(names_in(scratch("1")), "KEY");
	cr_expect_eq(descriptors(), before);
}

Test(lay, a_sibling_on_another_file_system)
{
	char to[] = "/dev/shm/reprise-unit-XXXXXX", unit[64], command[64];

	if (!mkdtemp(to))
		cr_skip_test("no /dev/shm");
	make_sibling();
	snprintf(unit, sizeof unit, "%s/KEY", to);
	cr_expect_eq(lay_copy(scratch("0/KEY"), unit, "__grp__k.json", &arena, &fault), LAY_LAID,
	             "%s", fault.text);
	expect_kernel(unit);
	snprintf(command, sizeof command, "rm -r %s", to);
	cr_expect_eq(system(command), 0);
}

static void expect_incomplete(const char *what)
{
	fault.code = 1;
	cr_expect_eq(copy(), LAY_FAULT, "%s", what);
	cr_expect_eq(fault.code, 0, "%s: %s", what, fault.text);
	cr_expect(nothing_in(scratch("1")), "%s", what);
}

Test(lay, a_sibling_of_another_user_is_not_copied)
{
	if (geteuid() != 0)
		cr_skip_test("needs root to give files to another user");
	make_sibling();
	cr_assert_eq(chown(scratch("0/KEY"), 12345, -1), 0);
	expect_incomplete("the directory is somebody else's");
	cr_assert_eq(chown(scratch("0/KEY"), 0, -1), 0);
	cr_assert_eq(chown(scratch("0/KEY/k.ptx"), 12345, -1), 0);
	expect_incomplete("a child is");
	cr_assert_eq(chown(scratch("0/KEY/k.ptx"), 0, -1), 0);
	cr_assert_eq(chown(scratch("0/KEY/__grp__k.json"), 12345, -1), 0);
	expect_incomplete("the index is");
	cr_assert_eq(chown(scratch("0/KEY/__grp__k.json"), 0, -1), 0);
	cr_expect_eq(copy(), LAY_LAID, "%s", fault.text);
}

Test(lay, a_sibling_made_by_ir_override_is_not_copied)
{
	make_sibling();
	scratch_write("0/KEY/k.json", "{\"num_warps\": 4, \"ir_override\": \"/x/k.ttgir\"}");
	expect_incomplete("by hand");
	scratch_write("0/KEY/k.json", "{\"num_warps\": 4, \"ir_override\": null}");
	cr_expect_eq(copy(), LAY_LAID, "%s", fault.text);
}

Test(lay, a_sibling_of_the_npu_backend_is_not_copied)
{
	make_sibling();
	scratch_write("0/KEY/k.npubin", "machine code");
	scratch_write("0/KEY/__grp__k.json", "{\"child_paths\": {\"k.json\": \"/d/k.json\", "
	              "\"k.npubin\": \"/d/k.npubin\"}}");
	expect_incomplete("its compiler is in no key");
	scratch_write("0/KEY/__grp__k.json", INDEX_OF("/d"));
	cr_expect_eq(copy(), LAY_LAID, "%s", fault.text);
}

Test(lay, a_sibling_that_is_no_complete_kernel)
{
	expect_incomplete("nothing there");
	make_sibling();
	unlink(scratch("0/KEY/k.ptx"));
	expect_incomplete("a child is missing");
	symlink(scratch("0/KEY/k.json"), scratch("0/KEY/k.ptx"));
	expect_incomplete("a child is a link");
	unlink(scratch("0/KEY/k.ptx"));
	mkfifo(scratch("0/KEY/k.ptx"), 0644);
	expect_incomplete("a child is a pipe");
	unlink(scratch("0/KEY/k.ptx"));
	mkdir(scratch("0/KEY/k.ptx"), 0755);
	expect_incomplete("a child is a directory");
	rmdir(scratch("0/KEY/k.ptx"));
	scratch_write("0/KEY/k.ptx", "");
	expect_incomplete("a child is empty");
	scratch_write("0/KEY/k.ptx", "cut");
	expect_incomplete("a child is cut");
	scratch_write("0/KEY/k.ptx", WHOLE_PTX);
	scratch_write("0/KEY/k.json", "{");
	expect_incomplete("the description is cut");
	scratch_write("0/KEY/k.json", "{}");
	scratch_write("0/KEY/__grp__k.json", INDEX_BARE);
	expect_incomplete("an index without paths");
	scratch_write("0/KEY/__grp__k.json",
	              "{\"child_paths\": {\"__grp__k.json\": \"/d/__grp__k.json\"}}");
	expect_incomplete("an index that names itself");
	scratch_write("0/KEY/__grp__k.json", INDEX_OF("/elsewhere"));
	cr_expect_eq(copy(), LAY_LAID, "moved by hand, and whole: %s", fault.text);
}
