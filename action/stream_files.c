/* action/stream_files.c - the files behind stdout and stderr. */
#include "action/stream_files.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "judge/stream_files.h"
#include "shim/fdpath.h"
#include "shim/path.h"
#include "shim/sys.h"
#include "tools/driver.h"
#include "tools/written.h"

#include "shim/banned.h"

#define KCMP_FILE_TYPE 0 /* KCMP_FILE of linux/kcmp.h */
/* Further than any file reaches. */
#define FAR_OFF (1ll << 62)

enum relation { APART, ONE, OVERWRITING };

/* Of one regular file. Where a seccomp profile refuses kcmp (Docker's does) locks tell: they
 * belong to descriptions. Each process takes a byte of its own, since others may ask at once. */
static int same_description_by_lock(int x, int y)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	struct flock other;
	int same;

	lock.l_start = (off_t)(FAR_OFF + sys_getpid());
	other = lock;
	if (sys_fcntl(x, F_OFD_SETLK, (long)&lock) < 0)
		return 0;
	same = sys_fcntl(y, F_OFD_GETLK, (long)&other) == 0 && other.l_type == F_UNLCK;
	lock.l_type = F_UNLCK;
	sys_fcntl(x, F_OFD_SETLK, (long)&lock);
	return same;
}

static int appends(int fd)
{
	int flags = sys_fcntl(fd, F_GETFL, 0);

	return flags >= 0 && flags & O_APPEND;
}

/* /dev/tty is a name for another device. */
static int same_terminal(int x, int y)
{
	unsigned dx, dy;

	return sys_ioctl(x, TIOCGDEV, &dx) == 0 && sys_ioctl(y, TIOCGDEV, &dy) == 0 && dx == dy;
}

static enum relation relation(const struct start *a, const struct statx *x, const struct statx *y)
{
	pid_t pid = sys_getpid();
	long rc;

	if (a->stream[1] != a->stream[2] || a->stream[1] == STREAM_CLOSED)
		return APART;
	if (a->stream[1] == STREAM_TERMINAL)
		return same_terminal(1, 2) ? ONE : APART;
	/* /dev/null has no order. */
	if (!sys_same_file(x, y) || S_ISCHR(x->stx_mode))
		return APART;
	/* A pipe or socket keeps the order of what is written, whoever opened it. */
	if (!S_ISREG(x->stx_mode) || (appends(1) && appends(2)))
		return ONE;
	rc = SYS5(SYS_kcmp, pid, pid, KCMP_FILE_TYPE, 1, 2);
	return rc == 0 || (rc < 0 && same_description_by_lock(1, 2)) ? ONE : OVERWRITING;
}

static struct stream_file file_of(const struct statx *st)
{
	return (struct stream_file){st->stx_ino, st->stx_dev_major, st->stx_dev_minor};
}

/* The path of an output, or NULL. */
static const char *output_of(const struct cmdline_arg *arg)
{
	if (arg->role != ARG_OUTPUT && arg->role != ARG_OUTPUT_JOINED)
		return NULL;
	return arg->text + (arg->role == ARG_OUTPUT ? 0 : arg->at);
}

/* What the command line names. */
static int named(struct start *a)
{
	for (size_t i = 0; i < a->primary_count; i++)
		if (stream_files_meet(a, &a->primary[i].st, a->primary[i].path))
			return 1;
	for (int i = 1; i < a->cmd.count; i++) {
		const char *out = output_of(&a->cmd.v[i]);

		if (out && stream_files_at(a, out))
			return 1;
	}
	return a->source.kind == STDIN_FILE && stream_files_meet(a, &a->source.st, "on standard input");
}

/* Two names with the same letters up to the first dot. */
static int same_stem(const char *x, const char *y)
{
	size_t n = strcspn(x, ".");

	return n == strcspn(y, ".") && memcmp(x, y, n) == 0;
}

/* What compilers write beside the output that is named, or where none is. That is known for certain
 * only once they ran, and by then it has been mixed with what they said. */
static int may_become_output(struct start *a, int fd)
{
	char path[PATH_SIZE];
	const char *base, *out, *unnamed = driver_default_output(a->row, &a->cmd);
	int named_so;

	if (!a->stream_file[fd].ino || a->row->flags & TOOL_UNKNOWN ||
	    a->cmd.flags & CMD_PREPROCESS || fdpath(path, sizeof path, fd) <= 0)
		return 0;
	base = path_base(path);
	named_so = a->cmd.flags & CMD_LINK && unnamed && strcmp(base, unnamed) == 0;
	for (size_t i = 0; i < a->primary_count; i++)
		named_so |= written_is_kind(base) &&
		            same_stem(base, path_base(a->primary[i].path));
	for (int i = 1; i < a->cmd.count; i++) {
		out = output_of(&a->cmd.v[i]);
		if (out && strcmp(out, "-") == 0) /* it is meant to be the stream */
			return 0;
		named_so |= out && written_is_kind(base) && same_stem(base, path_base(out));
	}
	if (named_so)
		start_detail(a, "standard %s is %s, which the tool may write", stream_file_name(fd),
		              path);
	return named_so;
}

enum reason stream_files(struct start *a)
{
	struct statx st[3];
	enum relation rel;

	memset(st, 0, sizeof st);
	for (int fd = 1; fd <= 2; fd++)
		if (a->stream[fd] == STREAM_OTHER &&
		    sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st[fd]) == 0 &&
		    S_ISREG(st[fd].stx_mode))
			a->stream_file[fd] = file_of(&st[fd]);
	rel = relation(a, &st[1], &st[2]);
	a->one_stream = rel == ONE;
	if (rel == OVERWRITING) {
		start_detail(a, "standard output and error are one file that was opened twice");
		return REASON_BYPASS_STDIO;
	}
	if (stream_files_any(a) && (named(a) || may_become_output(a, 1) || may_become_output(a, 2)))
		return REASON_BYPASS_STDIO;
	return REASON_NONE;
}

