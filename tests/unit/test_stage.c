/* The stage beside a unit: what stops it, files planted in its way, and files of a killed
 * process. */
#include <sched.h>
#include <sys/mount.h>

#include "lay_fixture.h"
#include "shim/kernel/sys.h"
#include "units/find/stage.h"

TestSuite(stage, .init = lay_setup, .fini = lay_teardown);

static const char *box_name(void)
{
	static char name[STAGE_BOX_SIZE];

	snprintf(name, sizeof name, ".reprise-%u", (unsigned)geteuid());
	return name;
}

static void expect_fault(const char *path, int code)
{
	struct parcel one = single("m", "x", 0644, 0);
	static const enum unit_form forms[] = {UNIT_WHOLE, UNIT_SET, UNIT_FILE, UNIT_MERGED};

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		fault.code = 0;
		cr_expect_eq(lay(&one, forms[i], path), LAY_FAULT, "form %zu", i);
		cr_expect_eq(fault.code, code, "form %zu: %s", i, fault.text);
	}
}

Test(stage, paths_that_lead_nowhere)
{
	char name[300];
	int before = descriptors();

	scratch_write("file", "");
	expect_fault(scratch("file/KEY"), ENOTDIR);
	expect_fault(scratch("file/up/KEY"), ENOTDIR);
	symlink("loop", scratch("loop"));
	expect_fault(scratch("loop/KEY"), ELOOP);
	symlink("nothing", scratch("dangling"));
	expect_fault(scratch("dangling/KEY"), ENOENT);
	memset(name, 'n', sizeof name);
	name[299] = '\0';
	expect_fault(scratch(name), ENAMETOOLONG);
	cr_expect_str_eq(names_in(scratch_dir), "dangling file loop");
	cr_expect_eq(descriptors(), before);
}

static int lay_unwritable(void)
{
	struct parcel one = single("m", "x", 0644, 0);
	enum lay_status st = lay(&kernel, UNIT_WHOLE, scratch("KEY"));

	if (st != LAY_FAULT || fault.code != EACCES)
		return 1;
	st = lay(&one, UNIT_FILE, scratch("up/KEY"));
	return st != LAY_FAULT || fault.code != EACCES ||
	       lay(&one, UNIT_SET, scratch("set")) != LAY_FAULT;
}

Test(stage, a_directory_of_another_user)
{
	cr_expect_eq(scratch_as_nobody(lay_unwritable), 0);
	cr_expect_str_eq(names_in(scratch_dir), "");
}

static void own_mount(const char *options, unsigned long flags)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		cr_skip_test("needs root and mount namespaces");
	mkdir(scratch("disk"), 0755);
	if (mount("none", scratch("disk"), "tmpfs", flags, options))
		cr_skip_test("no tmpfs here");
}

Test(stage, a_full_disk)
{
	int before = descriptors();

	own_mount("size=128k", 0);
	cr_expect_eq(lay(&kernel, UNIT_WHOLE, scratch("disk/KEY")), LAY_FAULT);
	cr_expect_eq(fault.code, ENOSPC, "%s", fault.text);
	struct parcel large = {.class = UNIT_FXGRAPH, .note = "", .file = kernel_file, .files = 1};
	cr_expect_eq(lay(&large, UNIT_SET, scratch("disk/set")), LAY_FAULT);
	cr_expect_eq(fault.code, ENOSPC);
	cr_expect_eq(lay(&large, UNIT_FILE, scratch("disk/file")), LAY_FAULT);
	cr_expect_eq(fault.code, ENOSPC);
	cr_expect_str_eq(names_in(scratch("disk")), "");
	mkdir(scratch("disk/set"), 0755);
	cr_expect_eq(lay(&large, UNIT_SET, scratch("disk/set")), LAY_FAULT);
	cr_expect_str_eq(names_in(scratch("disk/set")), "");
	cr_expect_eq(descriptors(), before);
	umount2(scratch("disk"), MNT_DETACH);
}

Test(stage, no_inode_left)
{
	/* Inodes for box and stage, but not for the third file; then for fewer, down to none. */
	for (int most = 5; most > 0; most--) {
		char options[32];

		snprintf(options, sizeof options, "nr_inodes=%d", most);
		own_mount(options, 0);
		cr_expect_eq(lay(&kernel, UNIT_WHOLE, scratch("disk/KEY")), LAY_FAULT, "%d inodes",
		             most);
		cr_expect_eq(fault.code, ENOSPC);
		cr_expect_str_eq(names_in(scratch("disk")), "");
		umount2(scratch("disk"), MNT_DETACH);
	}
}

Test(stage, a_read_only_disk)
{
	own_mount("", MS_RDONLY);
	expect_fault(scratch("disk/KEY"), EROFS);
	expect_fault(scratch("disk/up/KEY"), EROFS);
	umount2(scratch("disk"), MNT_DETACH);
}

Test(stage, a_mount_point_stays)
{
	own_mount("", 0);
	cr_expect_eq(lay(&kernel, UNIT_WHOLE, scratch("disk")), LAY_FAULT);
	cr_expect_str_eq(names_in(scratch("disk")), "");
	umount2(scratch("disk"), MNT_DETACH);
	cr_expect_str_eq(names_in(scratch_dir), "disk");
}

/* --- in the way ------------------------------------------------------------------------------- */

Test(stage, a_link_planted_for_the_box_is_not_followed)
{
	mkdir(scratch("target"), 0755);
	symlink("target", scratch(box_name()));
	expect_fault(scratch("KEY"), ENOTDIR);
	cr_expect_str_eq(names_in(scratch("target")), "");
	unlink(scratch(box_name()));
	scratch_write(box_name(), "a file");
	expect_fault(scratch("KEY"), ENOTDIR);
	cr_expect_str_eq(text_of(scratch(box_name())), "a file");
}

Test(stage, a_box_of_another_user_or_open_to_others_is_not_used)
{
	char in_box[160];

	snprintf(in_box, sizeof in_box, "%s/x", box_name());
	mkdir(scratch(box_name()), 0700);
	scratch_write(in_box, "");
	chmod(scratch(box_name()), 0777);
	expect_fault(scratch("KEY"), EACCES);
	cr_expect_str_eq(names_in(scratch(box_name())), "x");
	chmod(scratch(box_name()), 0700);
	if (geteuid() != 0)
		cr_skip_test("needs root to give a directory away");
	cr_assert_eq(chown(scratch(box_name()), 4711, 4711), 0);
	expect_fault(scratch("KEY"), EACCES);
	cr_expect_str_eq(names_in(scratch(box_name())), "x");
	cr_expect_str_eq(names_in(scratch_dir), box_name());
}

/* Only our own process could have put this name into a stage. Names in a parcel are checked when it
 * is decoded. */
Test(stage, a_name_that_is_taken_in_the_stage)
{
	struct stage s;

	cr_assert_eq(stage_begin(&s, scratch("KEY"), &arena), 0);
	cr_assert_eq(stage_open(&s), 0);
	cr_expect_eq(stage_write(&s, "a", "1", 1, 0666, 0), 0);
	cr_expect_eq(stage_write(&s, "a", "2", 1, 0666, 0), -EEXIST);
	stage_end(&s);
	cr_expect_str_eq(names_in(scratch_dir), "");
}

static int without_streams(void)
{
	struct stage s;
	int rc;

	for (int fd = 0; fd < 3; fd++)
		close(fd);
	if (stage_begin(&s, scratch("KEY"), &arena) || stage_open(&s))
		return 1;
	rc = s.parent < 3 || s.box < 3 || s.dir < 3;
	rc |= stage_write(&s, "a", "x", 1, 0666, 0) != 0 || stage_place_dir(&s) != 0;
	stage_end(&s);
	return rc || lay_copy(scratch("KEY"), scratch("other"), "a", &arena, &fault) != LAY_FAULT ||
	       fcntl(0, F_GETFD) != -1 || fcntl(1, F_GETFD) != -1 || fcntl(2, F_GETFD) != -1;
}

Test(stage, standard_streams_that_are_closed_stay_free)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(without_streams());
	waitpid(pid, &status, 0);
	cr_expect_eq(status, 0);
	cr_expect_str_eq(names_in(scratch_dir), "KEY");
}

/* --- left behind ------------------------------------------------------------------------------ */

/* Makes a stage as a process leaves it that is killed after some files. Returns its path. */
static const char *abandon(struct stage *s, int64_t age_s)
{
	static char path[512];
	struct timespec t[2];

	cr_assert_eq(stage_begin(s, scratch("dead"), &arena), 0);
	cr_assert_eq(stage_open(s), 0);
	cr_assert_eq(stage_write(s, "a", "1", 1, 0666, 0), 0);
	cr_assert_eq(stage_write(s, "b", "2", 1, 0666, 0), 0);
	snprintf(path, sizeof path, "%s/%s", scratch(s->box_name), s->name);
	clock_gettime(CLOCK_REALTIME, &t[0]);
	t[0].tv_sec -= age_s;
	t[1] = t[0];
	cr_assert_eq(utimensat(AT_FDCWD, path, t, 0), 0);
	return path;
}

Test(stage, what_a_killed_process_left_goes_with_the_next_unit)
{
	struct stage old, young;
	char kept[512];

	abandon(&old, STAGE_STALE_S + 60);
	abandon(&old, STAGE_STALE_S + 60);
	snprintf(kept, sizeof kept, "%s", abandon(&young, STAGE_STALE_S - 60));
	cr_assert_eq(lay(&kernel, UNIT_WHOLE, scratch("KEY")), LAY_LAID, "%s", fault.text);
	cr_expect_str_eq(names_in(scratch(box_name())), young.name, "the young one may be at work");
	cr_expect_eq(stage_place_dir(&young), 0);
	stage_end(&young);
	cr_expect_str_eq(names_in(scratch_dir), "KEY dead");
	cr_expect_str_eq(names_in(scratch("dead")), "a b");
}

Test(stage, a_layer_that_slept_too_long_shows_nothing)
{
	struct stage slept;

	abandon(&slept, STAGE_STALE_S + 60);
	cr_assert_eq(lay(&kernel, UNIT_WHOLE, scratch("KEY")), LAY_LAID, "%s", fault.text);
	cr_expect_eq(stage_place_member(&slept, "a"), -ENOENT);
	cr_expect_eq(stage_place_file(&slept, "a"), -ENOENT);
	cr_expect_eq(stage_place_dir(&slept), -ENOENT);
	stage_end(&slept);
	cr_expect_str_eq(names_in(scratch_dir), "KEY");
}

/* A directory stops the cleaner after the files, as if it were killed there. */
Test(stage, a_stage_half_cleaned_is_out_of_its_layers_reach)
{
	struct stage slept;
	char path[600];

	abandon(&slept, 0);
	snprintf(path, sizeof path, "%s/%s/stop", scratch(slept.box_name), slept.name);
	cr_assert_eq(mkdir(path, 0700), 0);
	*strrchr(path, '/') = '\0';
	cr_assert_eq(utimensat(AT_FDCWD, path, (struct timespec[2]){{1, 0}, {1, 0}}, 0), 0);
	cr_assert_eq(lay(&kernel, UNIT_WHOLE, scratch("KEY")), LAY_LAID, "%s", fault.text);
	cr_expect_eq(stage_place_dir(&slept), -ENOENT);
	stage_end(&slept);
	cr_expect_eq(access(scratch("dead"), F_OK), -1);
}

Test(stage, what_is_not_ours_in_the_box_stays)
{
	char path[512];
	struct timespec old[2] = {{1, 0}, {1, 0}};

	mkdir(scratch(box_name()), 0700);
	snprintf(path, sizeof path, "%s/theirs", scratch(box_name()));
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	close(fd);
	utimensat(AT_FDCWD, path, old, 0);
	cr_assert_eq(lay(&kernel, UNIT_WHOLE, scratch("KEY")), LAY_LAID, "%s", fault.text);
	cr_expect_str_eq(names_in(scratch(box_name())), "theirs");
}
