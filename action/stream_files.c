/* action/stream_files.c - the files behind stdout and stderr. */
#include "action/action.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "judge/input/input.h"
#include "shim/kernel/realpath.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "tools/cmdline/cmdline.h"
#include "tools/cmdline/written.h"
#include "tools/driver.h"

#include "shim/banned.h"

#define KCMP_FILE_TYPE 0 /* KCMP_FILE of linux/kcmp.h */
/* An offset beyond the end of every file. */
#define FAR_OFF (1ll << 62)

enum relation { APART, ONE, OVERWRITING };

/* x and y are descriptors of one regular file. If a seccomp profile refuses kcmp, as Docker's does,
 * locks decide: they belong to descriptions. Each process locks a byte of its own, since other
 * processes may ask at the same time. */
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

/* /dev/tty names a different device. */
static int same_terminal(int x, int y)
{
	unsigned dx, dy;

	return sys_ioctl(x, TIOCGDEV, &dx) == 0 && sys_ioctl(y, TIOCGDEV, &dy) == 0 && dx == dy;
}

static enum relation relation(const struct streams *s, const struct statx *x,
                              const struct statx *y)
{
	pid_t pid = sys_getpid();
	long rc;

	if (s->kind[1] != s->kind[2] || s->kind[1] == STREAM_CLOSED)
		return APART;
	if (s->kind[1] == STREAM_TERMINAL)
		return same_terminal(1, 2) ? ONE : APART;
	/* /dev/null keeps no order. */
	if (!sys_same_file(x, y) || S_ISCHR(x->stx_mode))
		return APART;
	/* A pipe or socket keeps the order of writes from all its descriptors. */
	if (!S_ISREG(x->stx_mode) || (appends(1) && appends(2)))
		return ONE;
	rc = SYS5(SYS_kcmp, pid, pid, KCMP_FILE_TYPE, 1, 2);
	return rc == 0 || (rc < 0 && same_description_by_lock(1, 2)) ? ONE : OVERWRITING;
}

static struct stream_file file_of(const struct statx *st)
{
	return (struct stream_file){st->stx_ino, st->stx_dev_major, st->stx_dev_minor};
}

/* 1: the path with another ending is a link to the file of a stream. in_cwd: the last component
 * counts alone. */
static int leads_there(struct start *s, const char *path, int in_cwd, const char *ending)
{
	const char *from = in_cwd ? path_base(path) : path, *dot = strrchr(path_base(path), '.');
	size_t len = dot ? (size_t)(dot - from) : strlen(from);
	const char *stem = arena_memdup(&s->arena, from, len);
	const char *beside = stem ? arena_cat(&s->arena, stem, ending, NULL) : NULL;

	return beside && stream_files_at(s, beside);
}

/* 1: an output that no argument names is a link to the file of a stream. A link's default output
 * has one name, so its objects are not looked at. */
static int unnamed_leads_there(struct start *s)
{
	const char *unnamed = driver_default_output(s->row, &s->cmd);
	int main_named = 0;

	if (s->cmd.flags & CMD_PREPROCESS)
		return 0;
	CMDLINE_OUTPUTS(i, &s->cmd) {
		if (leads_there(s, cmdline_output(&s->cmd.v[i]), 0, ".d"))
			return 1;
		main_named |= driver_role(&s->cmd, i, 1) != ROLE_DEPFILE;
	}
	if (main_named)
		return 0;
	for (size_t i = 0; i < s->primaries.count && !(s->cmd.flags & CMD_LINK); i++)
		if (leads_there(s, s->primaries.v[i].path, 1, ".o") ||
		    leads_there(s, s->primaries.v[i].path, 1, ".s") ||
		    leads_there(s, s->primaries.v[i].path, 1, ".d"))
			return 1;
	return unnamed && stream_files_at(s, unnamed);
}

/* 1: the command line names the file of a stream. */
static int named(struct start *s)
{
	for (size_t i = 0; i < s->primaries.count; i++)
		if (stream_files_include(s, &s->primaries.v[i].st, s->primaries.v[i].path))
			return 1;
	CMDLINE_OUTPUTS(i, &s->cmd)
		if (stream_files_at(s, cmdline_output(&s->cmd.v[i])))
			return 1;
	return s->source.kind == STDIN_FILE &&
	       stream_files_include(s, &s->source.st, "on standard input");
}

/* 1: the names are equal up to the first dot. */
static int same_stem(const char *x, const char *y)
{
	size_t n = strcspn(x, ".");

	return n == strcspn(y, ".") && memcmp(x, y, n) == 0;
}

/* Compilers write such files beside the named output, or without a named output. Only the run shows
 * that for certain, and by then the file is mixed with messages. */
static int may_become_output(struct start *s, int fd)
{
	char path[PATH_SIZE];
	const char *base, *out, *unnamed = driver_default_output(s->row, &s->cmd);
	int named_so;

	if (!s->streams.file[fd].ino || s->row->flags & TOOL_UNKNOWN ||
	    s->cmd.flags & CMD_PREPROCESS || fdpath(path, sizeof path, fd) <= 0)
		return 0;
	base = path_base(path);
	named_so = s->cmd.flags & CMD_LINK && unnamed && strcmp(base, unnamed) == 0;
	for (size_t i = 0; i < s->primaries.count; i++)
		named_so |= written_is_kind(base) &&
		            same_stem(base, path_base(s->primaries.v[i].path));
	CMDLINE_OUTPUTS(i, &s->cmd) {
		out = cmdline_output(&s->cmd.v[i]);
		if (strcmp(out, "-") == 0) /* the stream is the output */
			return 0;
		named_so |= written_is_kind(base) && same_stem(base, path_base(out));
	}
	if (named_so)
		start_detail(s, "standard %s is %s, which the tool may write", streams_name(fd),
		             path);
	return named_so;
}

enum reason stream_files(struct start *s, const struct statx st[3])
{
	enum relation rel;

	for (int fd = 1; fd <= 2; fd++)
		if (s->streams.kind[fd] == STREAM_OTHER && S_ISREG(st[fd].stx_mode))
			s->streams.file[fd] = file_of(&st[fd]);
	rel = relation(&s->streams, &st[1], &st[2]);
	s->streams.one_stream = rel == ONE;
	if (rel == OVERWRITING) {
		start_detail(s, "standard output and error are one file that was opened twice");
		return REASON_BYPASS_STDIO;
	}
	if (streams_any_file(&s->streams) &&
	    (named(s) || unnamed_leads_there(s) || may_become_output(s, 1) ||
	     may_become_output(s, 2)))
		return REASON_BYPASS_STDIO;
	return REASON_NONE;
}

