/* shim/kernel/read_only.c - the system call filter of a process that can change no file. */
#include "shim/kernel/read_only.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif
/* Calls of x32 have this bit. No call of the others is that large. */
#define FOREIGN 0x40000000
#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
/* Same numbers on all architectures; older headers lack them. */
#define NR_io_uring_setup 425
#define NR_move_mount 429
#define NR_openat2 437
#define NR_fchmodat2 452
#define NR_setxattrat 463
#define NR_removexattrat 466

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(k) BPF_STMT(BPF_RET | BPF_K, k)
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | EROFS)
#define UNLESS(how, k) BPF_JUMP(BPF_JMP | (how) | BPF_K, k, 0, 1)
/* The call is refused; the number is loaded. */
#define CALL(number) UNLESS(BPF_JEQ, number), REFUSE
/* Refused if argument i has a flag that writes. Flags are 32 bits, and the low half comes first. */
#define OPENS(number, i)                                                     \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4), LOAD(args[i]),    \
		UNLESS(BPF_JSET, WRITES), REFUSE, ANSWER(SECCOMP_RET_ALLOW)

/* Numbers as __NR_: none of these calls is made here. */
static struct sock_filter filter[] = {
	/* Numbers of another architecture mean other calls. */
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
	ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
	LOAD(nr),
	UNLESS(BPF_JGE, FOREIGN),
	ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
	OPENS(__NR_openat, 2),
#ifdef __NR_open
	OPENS(__NR_open, 1),
	CALL(__NR_creat),
	CALL(__NR_unlink),
	CALL(__NR_rename),
	CALL(__NR_link),
	CALL(__NR_symlink),
	CALL(__NR_mkdir),
	CALL(__NR_rmdir),
	CALL(__NR_mknod),
	CALL(__NR_chmod),
	CALL(__NR_chown),
	CALL(__NR_lchown),
	CALL(__NR_utime),
	CALL(__NR_utimes),
	CALL(__NR_futimesat),
#endif
#ifdef __NR_renameat
	CALL(__NR_renameat),
#endif
	CALL(NR_openat2),
	CALL(__NR_open_by_handle_at),
	CALL(NR_io_uring_setup), /* it would open files by itself */
	CALL(__NR_truncate),
	CALL(__NR_unlinkat),
	CALL(__NR_renameat2),
	CALL(__NR_linkat),
	CALL(__NR_symlinkat),
	CALL(__NR_mkdirat),
	CALL(__NR_mknodat),
	CALL(__NR_fchmodat),
	CALL(NR_fchmodat2),
	CALL(__NR_fchmod),
	CALL(__NR_fchownat),
	CALL(__NR_fchown),
	CALL(__NR_utimensat),
	CALL(__NR_setxattr),
	CALL(__NR_lsetxattr),
	CALL(__NR_fsetxattr),
	CALL(NR_setxattrat),
	CALL(__NR_removexattr),
	CALL(__NR_lremovexattr),
	CALL(__NR_fremovexattr),
	CALL(NR_removexattrat),
	CALL(__NR_mount),
	CALL(NR_move_mount),
	CALL(__NR_umount2),
	CALL(__NR_connect), /* to whoever would write for it */
	CALL(__NR_ptrace),
	ANSWER(SECCOMP_RET_ALLOW),
};

int read_only_enter(void)
{
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	long rc = SYS5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

	if (rc == 0)
		rc = SYS5(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
	return (int)rc;
}
