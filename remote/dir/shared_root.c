/* remote/dir/shared_root.c - where the files of a file:// remote store are, and which are
 * served. */
#include "remote/dir/shared_root.h"

#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/ascii.h"
#include "shim/format.h"
#include "shim/kernel/hidden_child.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"

#include "shim/banned.h"

/* Stands for users whom a namespace or a file server does not know. */
#define NOBODY 65534u
#define FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)
/* A write is cut here to look at the clock. */
#define WRITE_PIECE (1u << 20)
#define COPY_PIECE (64u << 10)
#define FILE_MASK (STATX_TYPE | STATX_MODE | STATX_UID | STATX_GID | STATX_SIZE | STATX_MTIME | \
	STATX_INO)
#define PARENTS_MOST 64
/* A file server that needs longer is of no use. */
#define PATIENCE_NS 3000000000ll
/* Random names of which all are taken. */
#define NAME_TRIES 4
#define DIGITS 16
#define NONBLOCK 1 /* GRND_NONBLOCK of sys/random.h, which older systems lack */

static int stat_fd(int fd, struct statx *st)
{
	return sys_statx(fd, "", AT_EMPTY_PATH, FILE_MASK, st);
}

int root_init(struct shared_root *r, const char *path, int signatures, struct arena *a,
              struct fault *fault)
{
	int n = getgroups(0, NULL);
	gid_t *groups = arena_alloc(a, (size_t)(n > 0 ? n : 0) * sizeof *groups + sizeof *groups);

	if (!groups)
		return fault_set(fault, ENOMEM, "no memory for a list of groups");
	groups[0] = getegid();
	n = n > 0 ? getgroups(n, groups + 1) : 0;
	*r = (struct shared_root){.path = path, .fd = -1, .uid = sys_geteuid(), .groups = groups,
	                          .group_count = 1 + (n > 0 ? (unsigned)n : 0),
	                          .signatures = signatures};
	return 0;
}

void root_close(struct shared_root *r)
{
	if (r->fd >= 0)
		sys_close(r->fd);
	r->fd = -1;
}

static int in_group(const struct shared_root *r, gid_t gid)
{
	for (unsigned i = 0; i < r->group_count; i++)
		if (r->groups[i] == gid)
			return 1;
	return 0;
}

/* True if nobody else can have made the directory at fd: no parent directory is writable for all,
 * or what lies in it belongs to this user or to the superuser. */
static int made_on_purpose(const struct shared_root *r, int fd, const struct statx *st)
{
	struct statx child = *st, parent;
	int at = fd, up, ok = 1;

	for (int i = 0; i < PARENTS_MOST && ok; i++) {
		up = sys_above_streams(sys_openat(at, "..", FOLDER_FLAGS | O_NOFOLLOW, 0));
		ok = up >= 0 && stat_fd(up, &parent) == 0 &&
		     (!(parent.stx_mode & S_IWOTH) || child.stx_uid == r->uid ||
		      child.stx_uid == 0);
		if (at != fd)
			sys_close(at);
		at = up;
		if (ok && sys_same_file(&child, &parent)) /* the root of the file system */
			break;
		child = parent;
	}
	if (at >= 0 && at != fd)
		sys_close(at);
	return ok;
}

/* True if a group of this process shares the root at fd. */
static int is_shared(const struct shared_root *r, int fd, const struct statx *st)
{
	return st->stx_mode & S_IWGRP && !(st->stx_mode & S_IWOTH) && in_group(r, st->stx_gid) &&
	       made_on_purpose(r, fd, st);
}

static int open_parent(const char *path)
{
	char parent[PATH_SIZE];

	if (path_parent(parent, sizeof parent, path) < 0)
		return -ENAMETOOLONG;
	return sys_above_streams(sys_open(parent, FOLDER_FLAGS, 0));
}

/* Makes a directory with exactly that mode. Other users may look for it at once, so it is born
 * with its permissions. */
static int make_dir(int dir, const char *name, mode_t mode, gid_t gid)
{
	mode_t mask = (mode_t)SYS1(SYS_umask, 0);
	int rc = (int)SYS3(SYS_mkdirat, dir, name, mode & 01777);

	SYS1(SYS_umask, mask);
	if (rc < 0)
		return rc;
	int fd = sys_above_streams(sys_openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	                                      O_CLOEXEC, 0));
	struct statx st;

	if (fd < 0)
		return fd;
	/* Where that is refused, other users are, too. */
	if (stat_fd(fd, &st) == 0) {
		if (gid != (gid_t)-1 && st.stx_gid != gid)
			(void)!fchown(fd, (uid_t)-1, gid);
		if ((st.stx_mode & 07777) != mode)
			sys_fchmod(fd, mode);
	}
	sys_close(fd);
	return 0;
}

static int make_root(const struct shared_root *r)
{
	int parent = open_parent(r->path), rc;
	struct statx st;

	if (parent < 0)
		return parent;
	rc = stat_fd(parent, &st);
	if (rc == 0)
		rc = make_dir(parent, path_base(r->path), st.stx_mode & S_ISGID ? 02770 : 0700,
		              (gid_t)-1);
	sys_close(parent);
	return rc == -EEXIST ? 0 : rc;
}

static enum backend_status root_failed(int rc, const char *what, const char *path,
                                       struct fault *fault)
{
	fault_sys(fault, -rc, what, path);
	switch (-rc) {
	case EACCES:
	case EPERM:
	case EROFS:
		fault->code = EACCES;
		return BACKEND_DENIED;
	case ENOSPC:
	case EDQUOT:
		return BACKEND_SERVER;
	case ETIMEDOUT:
		return BACKEND_TIMEOUT;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return BACKEND_FAULT;
	default:
		return BACKEND_REFUSED;
	}
}

#define MS 1000000ll
/* Ends the child if this process is killed meanwhile. */
#define CHILD_SECONDS 30
/* A killed child is looked for so long. One that cannot be killed is left. */
#define REAP_NS (20 * MS)

static void end_child(pid_t pid)
{
	int64_t end = sys_now_ns(CLOCK_MONOTONIC) + REAP_NS;

	sys_kill(pid, SIGKILL);
	while (SYS4(SYS_wait4, pid, NULL, __WALL | WNOHANG, NULL) == 0 &&
	       sys_now_ns(CLOCK_MONOTONIC) < end)
		sys_sleep_ns(MS);
}

/* Waits until the other end of the pipe is closed. 1, or 0 at the deadline. */
static int is_closed(int fd, int64_t deadline)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	for (;;) {
		int64_t left = deadline - sys_now_ns(CLOCK_MONOTONIC);
		struct timespec ts = {left / 1000000000, left % 1000000000};
		long rc;

		if (left <= 0)
			return 0;
		rc = SYS5(SYS_ppoll, &p, 1, &ts, NULL, 0);
		if (rc > 0)
			return 1;
		if (rc < 0 && rc != -EINTR)
			return 1;
	}
}

/* A call on a mounted directory may hang for as long as its server does, and no deadline ends it.
 * So a child asks first, which can be killed. It opens the directory, which asks the server even
 * where attributes come from a cache. 1; 0: no answer by the deadline. Also 1 if no child can be
 * made. Only where no other thread runs. */
static int directory_responds(const char *path, int64_t deadline)
{
	int fds[2], answers;
	pid_t pid;

	if (sys_pipe2(fds, O_CLOEXEC) < 0)
		return 1;
	fds[0] = sys_above_streams(fds[0]);
	fds[1] = sys_above_streams(fds[1]);
	pid = hidden_child_fork(&fds[1], 1, CHILD_SECONDS);
	if (pid == 0) {
		sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
		sys_exit_group(0);
	}
	sys_close(fds[1]);
	answers = pid < 0 || is_closed(fds[0], deadline);
	sys_close(fds[0]);
	if (pid > 0)
		end_child(pid);
	return answers;
}

/* A root that is missing: made, or ABSENT, or unusable. */
static enum backend_status missing(const struct shared_root *r, int make, struct fault *fault)
{
	int rc;

	rc = make ? make_root(r) : open_parent(r->path);
	if (rc == -ENOENT) {
		fault_set(fault, ENOENT, "%s and its parent directory are missing: check whether "
		          "the file system is mounted", r->path);
		return BACKEND_REFUSED;
	}
	if (rc < 0)
		return root_failed(rc, make ? "make" : "open", r->path, fault);
	if (make)
		return BACKEND_OK;
	sys_close(rc);
	fault_set(fault, ENOENT, "%s does not exist; the first publisher makes it", r->path);
	return BACKEND_ABSENT;
}

enum backend_status root_open(struct shared_root *r, int make, int64_t deadline,
                              struct fault *fault)
{
	int64_t now = sys_now_ns(CLOCK_MONOTONIC);
	enum backend_status s;
	struct statx st;
	int fd, rc;

	if (r->fd >= 0 && now - r->opened < ROOT_RENEW_NS)
		return BACKEND_OK;
	root_close(r);
	if (!directory_responds(r->path,
	                        deadline < now + PATIENCE_NS ? deadline : now + PATIENCE_NS)) {
		fault_set(fault, ETIMEDOUT, "%s: the file server does not answer", r->path);
		return BACKEND_TIMEOUT;
	}
	fd = sys_open(r->path, FOLDER_FLAGS, 0);
	if (fd == -ENOENT) {
		s = missing(r, make, fault);
		if (s != BACKEND_OK)
			return s;
		fd = sys_open(r->path, FOLDER_FLAGS, 0);
	}
	fd = sys_above_streams(fd);
	if (fd < 0)
		return root_failed(fd, "open", r->path, fault);
	rc = stat_fd(fd, &st);
	int open_to_all = rc == 0 && st.stx_mode & S_IWOTH && !(st.stx_mode & S_ISVTX);
	if (open_to_all && !r->signatures) {
		sys_close(fd);
		fault_set(fault, EACCES,
		          "all users may write to %s: run chmod o-w, or sign entries "
		          "(REPRISE_TRUST)", r->path);
		return BACKEND_DENIED;
	}
	if (rc < 0) {
		sys_close(fd);
		return root_failed(rc, "look at", r->path, fault);
	}
	r->fd = fd;
	r->opened = now;
	r->mode = st.stx_mode & 07777;
	r->gid = st.stx_gid;
	r->by_group = is_shared(r, fd, &st);
	return BACKEND_OK;
}

void root_names(const struct backend_name *name, char folder[FOLDER_NAME], char file[FILE_NAME])
{
	char hex[DIGEST_HEX + 1];

	digest_hex(&name->key, hex);
	memcpy(folder, hex, 2);
	folder[2] = '\0';
	file[0] = name->kind;
	file[1] = '-';
	strcpy(file + 2, hex + 2);
}

int root_is_file_name(const char *name)
{
	size_t skip = sizeof ROOT_TEMPORARY - 1, n;

	if (strncmp(name, ROOT_TEMPORARY, skip) == 0)
		n = DIGITS;
	else if (name[0] >= 'a' && name[0] <= 'z' && name[1] == '-')
		skip = 2, n = DIGEST_HEX - 2;
	else
		return 0;
	return strlen(name + skip) == n && strspn(name + skip, "0123456789abcdef") == n;
}

int root_folder(const struct shared_root *r, const char *name, int make)
{
	int fd = sys_openat(r->fd, name, FOLDER_FLAGS | O_NOFOLLOW, 0), rc;

	if (fd == -ENOENT && make) {
		rc = make_dir(r->fd, name, r->mode, r->gid);
		if (rc < 0 && rc != -EEXIST)
			return rc;
		fd = sys_openat(r->fd, name, FOLDER_FLAGS | O_NOFOLLOW, 0);
	}
	return sys_above_streams(fd);
}

int root_file(int folder, const char *name, struct statx *st)
{
	/* A pipe of that name must not block. */
	int fd = sys_above_streams(sys_openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	                                      O_NOCTTY | O_CLOEXEC, 0)), rc;

	if (fd < 0)
		return fd;
	rc = stat_fd(fd, st);
	if (rc == 0 && !S_ISREG(st->stx_mode))
		rc = -ELOOP;
	if (rc == 0)
		return fd;
	sys_close(fd);
	return rc;
}

const char *root_refuses(const struct shared_root *r, int folder, const struct statx *st,
                         int signatures)
{
	struct statx at;

	if (signatures)
		return NULL;
	if (st->stx_mode & S_IWOTH)
		return "all users may write to it";
	if (r->by_group && st->stx_gid == r->gid) {
		if (st->stx_uid == r->uid)
			return NULL;
		return stat_fd(folder, &at) == 0 && !(at.stx_mode & S_IWOTH)
		       ? NULL : "all users may write to its folder";
	}
	if (st->stx_uid != r->uid)
		return "it belongs to another user, and no group of this user shares the "
		       "directory";
	if (st->stx_mode & S_IWGRP)
		return "its group may write to it";
	/* Where others can write as well, files of unknown users look like our own. */
	return r->uid == NOBODY && r->mode & (S_IWGRP | S_IWOTH)
	       ? "its owner is unknown (nobody)" : NULL;
}

static int write_rest(int fd, const struct source *rest, int64_t deadline)
{
	unsigned char room[COPY_PIECE];
	uint64_t most = rest->data ? WRITE_PIECE : COPY_PIECE, n;
	int error;

	for (uint64_t done = 0; done < rest->len; done += n) {
		const void *p;
		ssize_t rc;

		if (done && sys_now_ns(CLOCK_MONOTONIC) > deadline)
			return -ETIMEDOUT;
		n = rest->len - done < most ? rest->len - done : most;
		p = source_piece(rest, done, (size_t)n, room, &error);
		rc = p ? sys_write_all(fd, p, (size_t)n) : -error;
		if (rc < 0)
			return (int)rc;
	}
	return 0;
}

/* Fills a new file, and closes it: file servers report a full disk as late as that. */
static int fill(const struct shared_root *r, int folder, int fd, struct backend_bytes head,
                const struct source *rest, int64_t deadline, const char **refusal)
{
	struct statx st;
	int rc = stat_fd(fd, &st), closed;

	if (rc == 0 && r->by_group && st.stx_gid != r->gid)
		(void)!fchown(fd, (uid_t)-1, r->gid);
	if (rc == 0)
		sys_fchmod(fd, 0600 | (r->mode & 0044));
	if (rc == 0) {
		ssize_t n = sys_write_all(fd, head.data, head.len);

		rc = n < 0 ? (int)n : write_rest(fd, rest, deadline);
	}
	if (rc == 0)
		rc = stat_fd(fd, &st);
	/* A file server may give files other owners and modes. */
	if (rc == 0)
		*refusal = root_refuses(r, folder, &st, r->signatures);
	closed = sys_close(fd);
	return rc < 0 ? rc : closed < 0 && closed != -EINTR ? closed : *refusal ? -EREMOTE : 0;
}

#define TEMPORARY_NAME (sizeof ROOT_TEMPORARY + DIGITS)
static void temporary_name(char out[TEMPORARY_NAME])
{
	uint64_t salt = (uint64_t)sys_now_ns(CLOCK_REALTIME) ^ (uint64_t)sys_getpid() << 40;

	/* Without random numbers the time serves. */
	SYS3(SYS_getrandom, &salt, sizeof salt, NONBLOCK);
	strcpy(out, ROOT_TEMPORARY);
	ascii_put_hex(out + sizeof ROOT_TEMPORARY - 1, salt, DIGITS);
	out[TEMPORARY_NAME - 1] = '\0';
}

/* Makes a file under a name that no other process has. Its descriptor, or -errno. */
static int make_file(int folder, char tmp[TEMPORARY_NAME])
{
	int fd = -EEXIST;

	for (int i = 0; i < NAME_TRIES && fd == -EEXIST; i++) {
		temporary_name(tmp);
		fd = sys_openat(folder, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		                0600);
	}
	return sys_above_streams(fd);
}

int root_write(const struct shared_root *r, int folder, const char *name,
               struct backend_bytes head, const struct source *rest, int64_t deadline,
               const char **refusal)
{
	char tmp[TEMPORARY_NAME];
	int fd = make_file(folder, tmp), rc;

	*refusal = NULL;
	if (fd < 0)
		return fd == -ENOENT ? -ESTALE : fd;
	rc = fill(r, folder, fd, head, rest, deadline, refusal);
	if (rc == 0) {
		rc = (int)SYS5(SYS_renameat2, folder, tmp, folder, name, 0);
		/* A file was just made here: the name is another user's, in a sticky folder. */
		if (rc == -EACCES || rc == -EPERM)
			rc = -EISDIR;
	}
	if (rc < 0)
		SYS3(SYS_unlinkat, folder, tmp, 0);
	return rc == -ENOENT ? -ESTALE : rc;
}

int root_clock(const struct shared_root *r, int64_t *now)
{
	char tmp[TEMPORARY_NAME];
	int fd = make_file(r->fd, tmp), rc;
	struct statx st;

	if (fd < 0)
		return fd;
	rc = stat_fd(fd, &st);
	*now = rc == 0 ? st.stx_mtime.tv_sec : 0;
	sys_close(fd);
	SYS3(SYS_unlinkat, r->fd, tmp, 0);
	return rc;
}
