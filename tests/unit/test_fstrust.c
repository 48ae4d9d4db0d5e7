/* tests/unit/test_fstrust.c - verdicts on file systems: by the kernel's answers, and on real
 * mounts. */
#include "keying/fstrust.h"

#include <sched.h>
#include <sys/mount.h>

#include "memo_fixture.h"

static const char mountinfo[] =
	"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	"27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,discard\n"
	"28 27 254:0 /usr /ro ro,relatime - ext4 /dev/vda rw,discard\n"
	"29 27 254:1 / /image ro,relatime - ext4 /dev/vdb ro\n"
	"30 27 0:50 / /c rw - overlay overlay rw,lowerdir=/a:/b\\:c:rel:/d,upperdir=/u,workdir=/w\n"
	"31 27 0:51 / /cut rw - overl";

Test(fstrust, finds_a_mount_by_its_id)
{
	struct mount_line line;
	size_t n = sizeof mountinfo - 1;

	cr_assert_eq(fstrust_find_mount(mountinfo, n, 27, &line), 0);
	cr_assert_eq(line.fstype_len, 4);
	cr_assert_arr_eq(line.fstype, "ext4", 4);
	cr_assert_arr_eq(line.source, "/dev/vda", 8);
	cr_assert_arr_eq(line.options, "rw,discard", line.options_len);
	cr_assert_eq(fstrust_find_mount(mountinfo, n, 1, &line), -1);
	cr_assert_eq(fstrust_find_mount(mountinfo, n, 2, &line), -1);
	cr_assert_eq(fstrust_find_mount(mountinfo, n, 0, &line), -1);
	cr_assert_eq(fstrust_find_mount(mountinfo, n, 31, &line), -1, "a line that was cut");
}

Test(fstrust, verdicts)
{
	struct mount_line line;
	size_t n = sizeof mountinfo - 1;

	cr_assert_eq(fstrust_verdict(0xEF53, 0, 254, NULL), FSTRUST_YES);
	cr_assert_eq(fstrust_verdict(0x58465342, 0, 8, NULL), FSTRUST_YES);
	cr_assert_eq(fstrust_verdict(0x01021994, 0, 0, NULL), FSTRUST_MAPPED);
	cr_assert_eq(fstrust_verdict(0x9123683E, 0, 0, NULL), FSTRUST_BORN);
	cr_assert_eq(fstrust_verdict(0xEF53, 0, 7, NULL), FSTRUST_NO, "loop");
	cr_assert_eq(fstrust_verdict(0x73717368, 0, 0, NULL), FSTRUST_MOUNT, "squashfs");
	cr_assert_eq(fstrust_verdict(0xE0F5E1E2, 0, 0, NULL), FSTRUST_MOUNT, "erofs");
	cr_assert_eq(fstrust_verdict(0x6969, 0, 0, NULL), FSTRUST_NO, "nfs");
	cr_assert_eq(fstrust_verdict(0x01021997, 0, 0, NULL), FSTRUST_NO, "9p");
	cr_assert_eq(fstrust_verdict(0xEF53, 1, 254, NULL), FSTRUST_NO);
	cr_assert_eq(fstrust_verdict(0x794c7630, 0, 0, NULL), FSTRUST_NO);
	fstrust_find_mount(mountinfo, n, 28, &line);
	cr_assert_eq(fstrust_verdict(0xEF53, 1, 254, &line), FSTRUST_YES, "read-only view");
	fstrust_find_mount(mountinfo, n, 29, &line);
	cr_assert_eq(fstrust_verdict(0xEF53, 1, 254, &line), FSTRUST_NO, "read-only image");
	fstrust_find_mount(mountinfo, n, 30, &line);
	cr_assert_eq(fstrust_verdict(0x794c7630, 0, 0, &line), FSTRUST_BORN);
}

Test(fstrust, lower_directories)
{
	static const char options[] = "rw,xlowerdir=/no,lowerdir=/a:/b\\:c:rel:/d,upperdir=/u,"
				      "lowerdir+=/e,redirect_dir=on,datadir+=/f";
	static const char *const want[] = {"/a", "/d", "/e", "/f"};
	char dir[16];
	size_t at = 0, i = 0;

	while (fstrust_next_lower(options, sizeof options - 1, &at, dir, sizeof dir)) {
		cr_assert_lt(i, 4, "%s", dir);
		cr_assert_str_eq(dir, want[i++]);
	}
	cr_assert_eq(i, 4);
}

/* --- real mounts ------------------------------------------------------------------------------ */

TestSuite(mounts, .init = memo_setup, .fini = memo_teardown);

static int sh(const char *script)
{
	char command[2000];

	snprintf(command, sizeof command, "cd '%s' && { %s; } >/dev/null 2>&1", scratch_dir,
	         script);
	return system(command);
}

static void own_mounts(void)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		cr_skip_test("needs root and mount namespaces");
}

/* Whatever its age. */
static int trusted(const char *path)
{
	struct statx st = stat_of(path);

	st.stx_ctime.tv_sec -= 10;
	st.stx_mtime.tv_sec -= 10;
	return keeps(path, &st);
}

/* 1: the kernel numbers mounts for good, and the file of the loop device is in sight: it is not in
 * another root, nor is /sys in every root. */
static int is_numbered_and_seen(const struct statx *st)
{
	char name[64], file[4096] = "";
	FILE *f;

	snprintf(name, sizeof name, "/sys/dev/block/7:%u/loop/backing_file", st->stx_dev_minor);
	f = fopen(name, "r");
	if (f && !fgets(file, sizeof file, f))
		file[0] = '\0';
	if (f)
		fclose(f);
	file[strcspn(file, "\n")] = '\0';
	return sys_statx_mount(st) && access(file, F_OK) == 0;
}

Test(mounts, images_with_equal_stamps_are_not_confused)
{
	struct statx one, two;

	own_mounts();
	cr_assert_eq(sh("mkdir m s n && echo one >s/f && touch -d @1000000000 s/f s &&"
	                "mksquashfs s 1.img -all-time 1000000000 -mkfs-time 1000000000 -noappend &&"
	                "echo two >s/f && touch -d @1000000000 s/f s &&"
	                "mksquashfs s 2.img -all-time 1000000000 -mkfs-time 1000000000 -noappend"),
	             0);
	if (sh("mount -o loop 1.img m"))
		cr_skip_test("needs loop devices and squashfs");
	one = stat_of(scratch("m/f"));
	remember(scratch("m/f"), "one\n");
	cr_assert_eq(known(scratch("m/f"), "one\n"), is_numbered_and_seen(&one));
	cr_assert(!memo_clock_local(&memo, -1, scratch("m/f"), &one));
	cr_assert_eq(sh("umount m && mount -o loop 2.img m"), 0);
	two = stat_of(scratch("m/f"));
	cr_assert_eq(one.stx_ino, two.stx_ino);
	cr_assert_eq(one.stx_ctime.tv_sec, two.stx_ctime.tv_sec);
	cr_assert(!known(scratch("m/f"), "one\n"));
	remember(scratch("m/f"), "two\n");
	/* The image is built anew in its file. */
	cr_assert_eq(known(scratch("m/f"), "two\n"), is_numbered_and_seen(&two));
	cr_assert_eq(sh("cp 1.img 2.img"), 0);
	memo.fs_count = 0; /* another process asks */
	cr_assert(!known(scratch("m/f"), "two\n"));
	remember(scratch("m/f"), "two\n");
	/* A second mount of the same image is another mount. */
	cr_assert_eq(sh("mount --bind m n"), 0);
	cr_assert(!known(scratch("n/f"), "two\n"));
	cr_assert_eq(sh("umount n m"), 0);
}

Test(mounts, an_image_without_access_times_is_trusted)
{
	struct statx st;

	own_mounts();
	cr_assert_eq(sh("mkdir m s && echo one >s/f && touch -d @1000000000 s/f &&"
	                "mksquashfs s 1.img -noappend"), 0);
	if (sh("mount -o loop 1.img m"))
		cr_skip_test("needs loop devices and squashfs");
	st = stat_of(scratch("m/f"));
	st.stx_mask &= ~STATX_ATIME; /* as an erofs answers */
	cr_assert_eq(keeps(scratch("m/f"), &st), is_numbered_and_seen(&st));
	st.stx_mask &= ~SYS_STATX_MOUNT; /* as Linux before 6.8 answers */
	cr_assert(!keeps(scratch("m/f"), &st));
	st.stx_mask |= SYS_STATX_MOUNT;
	/* The file of the loop device cannot be found. */
	cr_assert_eq(sh("rm 1.img"), 0);
	memo.fs_count = 0;
	cr_assert(!keeps(scratch("m/f"), &st));
	cr_assert_eq(sh("umount m"), 0);
}

Test(mounts, overlay_over_an_image_is_not_trusted)
{
	own_mounts();
	cr_assert_eq(sh("mkdir m s o t && echo one >s/f && mksquashfs s 1.img -all-time 1000000000 "
	                "-noappend"), 0);
	if (sh("mount -o loop 1.img m && mount -t tmpfs t t && mkdir t/u t/w &&"
	       "mount -t overlay o -o lowerdir=$PWD/m,upperdir=t/u,workdir=t/w o"))
		cr_skip_test("needs loop devices, squashfs and overlay");
	cr_assert(!trusted(scratch("o/f")));
	/* If the lower directory cannot be seen, the file itself decides: it has no birth time. */
	memo.fs_count = 0;
	cr_assert_eq(sh("umount o && mount -t overlay o -o lowerdir=m,upperdir=t/u,workdir=t/w o"),
	             0);
	cr_assert(!trusted(scratch("o/f")));
	sh("umount o t; umount m");
}

Test(mounts, overlay_over_an_ext4_image)
{
	own_mounts();
	cr_assert_eq(sh("mkdir m s o t && echo one >s/f && truncate -s 8M 1.img &&"
	                "E2FSPROGS_FAKE_TIME=1000000000 mkfs.ext4 -q -I 256 -d s 1.img"),
	             0);
	if (sh("mount -o loop 1.img m && echo two >m/late && mount -t tmpfs t t && mkdir t/u t/w &&"
	       "mount -t overlay o -o lowerdir=m,upperdir=t/u,workdir=t/w o"))
		cr_skip_test("needs loop devices, ext4 and overlay");
	cr_assert(!trusted(scratch("m/f")), "loop device");
	/* The lower directory has a relative name, which other processes cannot resolve: its files
	 * decide. */
	cr_assert(stat_of(scratch("o/f")).stx_mask & STATX_BTIME);
	cr_assert_eq(stat_of(scratch("o/f")).stx_ctime.tv_nsec, 0);
	cr_assert(!trusted(scratch("o/f")), "times of whole seconds below an overlay");
	cr_assert(trusted(scratch("o/late")), "times of this kernel below an overlay");
	/* If the name can be looked up, the loop device is found. */
	cr_assert_eq(sh("umount o && mount -t overlay o -o "
	                "lowerdir=$PWD/m,upperdir=t/u,workdir=t/w o"), 0);
	memo.fs_count = 0;
	cr_assert(!trusted(scratch("o/late")), "a lower directory on a loop device");
	sh("umount o t; umount m");
}

Test(mounts, overlay_over_plain_directories_is_trusted_and_known_by_its_layers)
{
	struct statx st;
	struct digest set, d;

	own_mounts();
	cr_assert_eq(sh("mkdir a b o t top && echo one >top/f"), 0);
	if (sh("mount -t tmpfs t t && mkdir t/u t/w t/l t/l2 t/top &&"
	       "cp top/f t/top/f && mount -t overlay o -o "
	       "lowerdir=t/top:t/l,upperdir=t/u,workdir=t/w o"))
		cr_skip_test("needs overlay");
	st = stat_of(scratch("o/f"));
	if (!(st.stx_mask & STATX_BTIME))
		cr_skip_test("a kernel without birth times on tmpfs");
	cr_assert(trusted(scratch("o/f")));
	scratch_settle();
	remember(scratch("o/f"), "one\n");
	cr_assert(known(scratch("o/f"), "one\n"));
	digest_of(&set, "s", 1);
	st = stat_of(scratch("o"));
	memo_get(&memo, MEMO_ABSENT, -1, scratch("o"), &st, &set, NULL);
	memo_put(&memo, MEMO_ABSENT, -1, scratch("o"), &st, &set, &set);
	cr_assert(memo_get(&memo, MEMO_ABSENT, -1, scratch("o"), &st, &set, NULL));
	/* Another bottom layer below the same top: device number and stamps may be equal. */
	cr_assert_eq(sh("umount o && mount -t overlay o -o "
	                "lowerdir=t/top:t/l2,upperdir=t/u,workdir=t/w o"), 0);
	memo.fs_count = 0;
	st = stat_of(scratch("o"));
	cr_assert(!memo_get(&memo, MEMO_ABSENT, -1, scratch("o"), &st, &set, &d));
	sh("umount o t");
}

Test(mounts, read_only_views_and_images)
{
	own_mounts();
	if (sh("mkdir a t v && mount -t tmpfs t t && echo one >t/f && mount --bind t v &&"
	       "mount -o remount,bind,ro v"))
		cr_skip_test("needs bind mounts");
	cr_assert(trusted(scratch("v/f")), "read-only view of a writable file system");
	memo.fs_count = 0;
	cr_assert_eq(sh("umount v && mount -o remount,ro t"), 0);
	cr_assert(!trusted(scratch("t/f")), "read-only file system");
	sh("umount t");
}
