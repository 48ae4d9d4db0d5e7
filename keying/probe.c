/* keying/probe.c - questions about one path: content, type, stat, link target, real path. */
#include "keying/probe.h"

#include "keying/hashfile.h"
#include "keying/probe_table.h"
#include "shim/kernel/realpath.h"
#include "shim/path.h"

#include "shim/banned.h"

/* One process at a time digests a large file. Other processes wait at most this long: a 434 MB
 * library takes 25 ms warm, a second from a slow disk. */
#define LARGE_WAIT_NS 3000000000ll

static int not_regular(const struct statx *st)
{
	switch (st->stx_mode & S_IFMT) {
	case S_IFREG:
		return 0;
	case S_IFDIR:
		return -EISDIR;
	default:
		return -ESPIPE;
	}
}

/* The memo knows the bytes, but may this process read them? Asked only where the mode leaves
 * doubt. */
static int readable(struct prober *p, const char *path, const struct statx *st)
{
	if ((st->stx_mode & 0444) == 0444)
		return 0;
	if (p->euid < 0)
		p->euid = sys_geteuid();
	if (st->stx_uid == p->euid && (st->stx_mode & 0400))
		return 0;
	return sys_access(path, R_OK);
}

/* Opens a regular file and takes its stamp before any byte is read. Returns fd, or -errno.
 * O_NONBLOCK: a FIFO may have taken the name since. */
static int open_regular(const char *path, struct statx *st)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	int rc;

	if (fd < 0)
		return fd;
	rc = sys_statx(fd, "", AT_EMPTY_PATH, MEMO_STATX, st);
	if (rc == 0)
		rc = not_regular(st);
	if (rc == 0)
		return fd;
	sys_close(fd);
	return rc;
}

/* A text that could not be read as a whole is taken for one. */
static int goes_by_times(struct prober *p, int fd, const struct statx *st)
{
	struct arena arena = ARENA_INIT;
	char *text = arena_alloc(&arena, st->stx_size + 1);
	int rc = 1;

	if (text && sys_lseek(fd, 0, SEEK_SET) == 0 &&
	    sys_read_all(fd, text, st->stx_size + 1) == (ssize_t)st->stx_size)
		rc = p->texts->in(text, st->stx_size, &arena);
	arena_free(&arena);
	return rc;
}

static int digest_fd(struct prober *p, int fd, const struct statx *st, struct digest *content,
                     int *by_times)
{
	struct hashfile_search search = {.in = p->texts ? p->texts->near : NULL};
	unsigned long long bytes;
	int rc;

	if (!p->buffer)
		p->buffer = arena_alloc(p->arena, HASHFILE_BUFFER);
	if (!p->buffer)
		return -ENOMEM;
	rc = hashfile(fd, p->buffer, st->stx_size, content, &bytes,
	              by_times && search.in ? &search : NULL);
	if (by_times)
		*by_times = rc == 0 && search.found ? goes_by_times(p, fd, st) : 0;
	p->files_hashed++;
	return rc;
}

/* Reads the file unless the memo knows it by now, and stores the digest in the memo. */
static int digest_path(struct prober *p, struct probe_answer *a, struct digest *content)
{
	struct statx st;
	int fd = open_regular(a->path, &st);
	int lock = -1, rc = 0;

	if (fd < 0)
		return fd;
	probe_keep_seen(a, &st);
	if (memo_get(p->memo, MEMO_CONTENT, fd, NULL, &st, NULL, content))
		goto out;
	if (st.stx_size >= PROBE_LARGE) {
		lock = memo_lock(p->memo, MEMO_CONTENT, fd, NULL, &st, NULL, LARGE_WAIT_NS);
		if (lock >= 0 && memo_get(p->memo, MEMO_CONTENT, fd, NULL, &st, NULL, content))
			goto out;
	}
	rc = digest_fd(p, fd, &st, content, st.stx_size < PROBE_LARGE ? &a->by_times : NULL);
	if (rc == 0 && !a->by_times)
		memo_put(p->memo, MEMO_CONTENT, fd, NULL, &st, NULL, content);
	/* The file may have been written since its stamp was taken. The judge compares times with
	 * the run, and the bytes that were read must not be younger than these times. */
	if (rc == 0 && sys_statx(fd, "", AT_EMPTY_PATH, MEMO_STATX, &st) == 0)
		probe_keep_seen(a, &st);
out:
	memo_unlock(lock);
	sys_close(fd);
	return rc;
}

static int file_answer(struct prober *p, struct probe_answer *a)
{
	struct statx st;
	int rc = probe_answer_stat(a);

	if (rc < 0)
		return rc;
	probe_seen(a, &st);
	rc = not_regular(&st);
	if (rc < 0)
		return rc;
	if (memo_get(p->memo, MEMO_CONTENT, -1, a->path, &st, NULL, &a->content))
		return readable(p, a->path, &st);
	return digest_path(p, a, &a->content);
}

void prober_init(struct prober *p, struct arena *a, struct memo *m,
                 const struct probe_texts *texts)
{
	memset(p, 0, sizeof *p);
	p->arena = a;
	p->memo = m;
	p->texts = texts;
	p->euid = -1;
}

int probe_file(struct prober *p, const char *path, struct digest *content, struct statx *st)
{
	struct probe_answer *a = probe_answer(p, path);

	if (!a)
		return -ENOMEM;
	if (!(a->have & PROBE_HAVE_CONTENT)) {
		a->content_rc = file_answer(p, a);
		a->have |= PROBE_HAVE_CONTENT;
	}
	if (a->content_rc == 0) {
		*content = a->content;
		if (st)
			probe_seen(a, st);
	}
	return a->content_rc;
}

int probe_goes_by_times(struct prober *p, const char *path)
{
	struct digest d;

	return probe_file(p, path, &d, NULL) == 0 ? probe_answer(p, path)->by_times : 0;
}

int probe_present(struct prober *p, const char *path, unsigned *type)
{
	struct statx st;
	int rc = probe_stat(p, path, &st);

	if (rc == 0)
		*type = st.stx_mode & S_IFMT;
	return rc;
}

int probe_stat(struct prober *p, const char *path, struct statx *st)
{
	struct probe_answer *a = probe_answer(p, path);
	int rc = a ? probe_answer_stat(a) : -ENOMEM;

	if (rc == 0 && st)
		probe_seen(a, st);
	return rc;
}

int probe_led_to(const struct prober *p, const struct statx *st, const char *except)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct probe_answer *a = p->answer[i];
		struct statx seen;

		if (!(a->have & PROBE_HAVE_STAT) || a->stat_rc != 0)
			continue;
		probe_seen(a, &seen);
		if (sys_same_file(&seen, st) && strcmp(a->path, except) != 0)
			return 1;
	}
	return 0;
}

int probe_symlink(struct prober *p, const char *path, const char **target)
{
	struct probe_answer *a = probe_answer(p, path);
	char text[PATH_SIZE];
	ssize_t n;

	if (!a)
		return -ENOMEM;
	if (!(a->have & PROBE_HAVE_LINK)) {
		n = sys_readlink(path, text, sizeof text);
		if (n >= (ssize_t)sizeof text)
			n = -ENAMETOOLONG;
		if (n >= 0) {
			a->target = arena_memdup(p->arena, text, (size_t)n);
			if (!a->target)
				return -ENOMEM;
		}
		a->link_rc = n < 0 ? (int)n : 0;
		a->have |= PROBE_HAVE_LINK;
	}
	if (a->link_rc == 0)
		*target = a->target;
	return a->link_rc;
}

/* The kernel resolves it: an O_PATH descriptor's name in /proc is the real path. Without /proc this
 * code resolves it. */
static int real_answer(struct prober *p, struct probe_answer *a)
{
	char text[PATH_SIZE];
	int fd = sys_open(a->path, O_PATH | O_CLOEXEC, 0);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = fdpath(text, sizeof text, fd);
	sys_close(fd);
	if (n == -ENOENT)
		n = path_real(text, sizeof text, a->path);
	if (n < 0)
		return (int)n;
	if (!n || text[0] != '/') /* "(unreachable)/x": outside our root */
		return -ENOENT;
	a->resolved = arena_memdup(p->arena, text, (size_t)n);
	return a->resolved ? 0 : -ENOMEM;
}

int probe_realpath(struct prober *p, const char *path, const char **resolved)
{
	struct probe_answer *a = probe_answer(p, path);

	if (!a)
		return -ENOMEM;
	if (!(a->have & PROBE_HAVE_REAL)) {
		a->real_rc = real_answer(p, a);
		a->have |= PROBE_HAVE_REAL;
	}
	if (a->real_rc == 0)
		*resolved = a->resolved;
	return a->real_rc;
}

/* -ELOOP when the last component is a link. Without a link, statx answers the same whether it
 * follows links or not. */
static int not_a_link(struct probe_answer *a)
{
	struct statx st;
	int rc;

	if (a->have & PROBE_NO_LINK)
		return 0;
	rc = sys_statx(AT_FDCWD, a->path, AT_SYMLINK_NOFOLLOW, MEMO_STATX, &st);
	if (rc == 0 && (st.stx_mode & S_IFMT) == S_IFLNK)
		return -ELOOP;
	if (rc == 0)
		a->have |= PROBE_NO_LINK;
	if (!(a->have & PROBE_HAVE_STAT)) {
		a->stat_rc = rc;
		a->have |= PROBE_HAVE_STAT;
		if (rc == 0)
			probe_keep_seen(a, &st);
	}
	return rc;
}

int probe_no_link(struct prober *p, const char *path)
{
	struct probe_answer *a = probe_answer(p, path);
	int rc;

	if (!a)
		return -ENOMEM;
	if (a->have & PROBE_HAVE_LINK && a->link_rc == 0)
		return -ELOOP;
	rc = a->have & PROBE_HAVE_SELF && a->self_rc == 0 ? 0 : not_a_link(a);
	return rc == -ENOENT || rc == -ENOTDIR ? 0 : rc;
}

/* Cuts a path to its directory. 0 at the root and at the start of a relative path. */
static int upwards(char *path)
{
	size_t len = path_dir_len(path);

	path[len] = '\0';
	return len > 1 || (len == 1 && path[0] != '/');
}

/* Goes upwards: after the first file of a directory, each further file only needs a check of
 * itself. */
int probe_real(struct prober *p, const char *path)
{
	struct probe_answer *first = probe_answer(p, path), *a = first;
	char dir[PATH_SIZE];
	size_t len = strlen(path);
	int rc = 0;

	if (!first || len >= sizeof dir)
		return first ? -ENAMETOOLONG : -ENOMEM;
	memcpy(dir, path, len + 1);
	while (!(a->have & PROBE_HAVE_SELF)) {
		rc = not_a_link(a);
		if (rc < 0 || !upwards(dir))
			goto known;
		a = probe_answer(p, dir);
		if (!a)
			return -ENOMEM;
	}
	rc = a->self_rc;
known:
	first->self_rc = rc;
	first->have |= PROBE_HAVE_SELF;
	/* If the path is real, every directory on its way is real. If a directory is not real,
	 * nothing below it is. */
	memcpy(dir, path, len + 1);
	while (rc == 0 && upwards(dir) && (a = probe_answer(p, dir)) &&
	       !(a->have & PROBE_HAVE_SELF)) {
		a->self_rc = 0;
		a->have |= PROBE_HAVE_SELF;
	}
	return rc;
}

int probe_file_fresh(struct prober *p, const char *path, struct digest *content)
{
	struct statx st;
	int fd, rc;

	/* Ask about the name first: opening a device can have effects. */
	rc = sys_statx(AT_FDCWD, path, 0, MEMO_STATX, &st);
	if (rc == 0)
		rc = not_regular(&st);
	if (rc < 0)
		return rc;
	fd = open_regular(path, &st);
	if (fd < 0)
		return fd;
	rc = digest_fd(p, fd, &st, content, NULL);
	sys_close(fd);
	return rc;
}
