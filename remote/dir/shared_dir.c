/* remote/dir/shared_dir.c - the backend of file:///directory. */
#include "remote/dir/shared_dir.h"

#include <string.h>

#include "remote/bundle.h"
#include "remote/dir/shared_root.h"
#include "remote/remote_place.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "store/entry/blob.h"

#include "shim/banned.h"

/* The first read of an object: all of it, or as much as Redis keeps in a first value. */
#define FIRST_READ (BLOB_HEAD + BLOB_PART)
#define READ_PIECE (1u << 20)
#define TOUCH_HAS_S 3600
#define TOUCH_READ_S 86400

struct dir {
	struct shared_root root;
	int readonly;
};

/* A file that is open to be read. */
struct file {
	int folder, fd;
	char name[FILE_NAME];
	struct statx st;
};

/* The meaning of an error of a call below the root. */
static enum backend_status failed(int rc, const char *what, const char *name, struct fault *fault)
{
	fault_sys(fault, -rc, what, name);
	switch (-rc) {
	case ENOENT:
	case ESTALE:
		return BACKEND_ABSENT;
	case ETIMEDOUT:
		return BACKEND_TIMEOUT;
	case EROFS:
	case EACCES:
	case EPERM:
		return BACKEND_DENIED;
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return BACKEND_SERVER;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return BACKEND_FAULT;
	case ELOOP:
	case ENOTDIR:
	case EISDIR:
	case ENXIO:
		fault_set(fault, -rc, "it is no file of Reprise: %s", name);
		return BACKEND_FOREIGN;
	default: /* EIO, ENOTCONN and others: the server does not serve this mount now */
		return BACKEND_CLOSED;
	}
}

static void close_file(struct file *f)
{
	if (f->fd >= 0)
		sys_close(f->fd);
	if (f->folder >= 0)
		sys_close(f->folder);
}

/* By when the server has to answer at all. */
static int64_t answer_by(const struct backend *b, int64_t deadline)
{
	int64_t limit = b->stall_ns ? sys_now_ns(CLOCK_MONOTONIC) + b->stall_ns : deadline;

	return limit < deadline ? limit : deadline;
}

/* Opens a file that may be served. Otherwise nothing is left open. */
static enum backend_status open_file(struct backend *b, struct file *f,
                                     const struct backend_name *name, int signatures,
                                     int64_t deadline, struct fault *fault)
{
	struct dir *d = b->state;
	enum backend_status s = root_open(&d->root, 0, answer_by(b, deadline), fault);
	char folder[FOLDER_NAME];
	const char *refusal;

	f->fd = -1;
	f->folder = -1;
	if (s != BACKEND_OK)
		return s;
	b->round_trips++;
	root_names(name, folder, f->name);
	f->folder = root_folder(&d->root, folder, 0);
	if (f->folder >= 0)
		f->fd = root_file(f->folder, f->name, &f->st);
	int rc = f->folder < 0 ? f->folder : f->fd < 0 ? f->fd : 0;
	if (rc == 0) {
		refusal = root_refuses(&d->root, f->folder, &f->st, signatures);
		if (!refusal)
			return BACKEND_OK;
		fault_set(fault, EPERM, "%s: %s/%s", refusal, folder, f->name);
		s = BACKEND_FOREIGN;
	} else {
		s = failed(rc, "open", f->name, fault);
		/* One file is closed to this user. Without its folder the root is. */
		if (s == BACKEND_DENIED && f->folder >= 0)
			s = BACKEND_FOREIGN;
	}
	close_file(f);
	return s;
}

/* Reads exactly the bytes from..to of a file. */
static enum backend_status read_bytes(struct backend *b, const struct file *f, unsigned char *out,
                                      uint64_t from, uint64_t to, int64_t deadline,
                                      struct fault *fault)
{
	unsigned tries = 0;

	while (from < to) {
		size_t some = to - from < READ_PIECE ? (size_t)(to - from) : READ_PIECE;
		ssize_t n = sys_pread(f->fd, out, some, (off_t)from);

		if (sys_interrupted(n, &tries))
			continue;
		if (n < 0)
			return failed((int)n, "read", f->name, fault);
		if (n == 0) {
			fault_set(fault, 0, "it became shorter while it was read: %s", f->name);
			return BACKEND_FOREIGN;
		}
		tries = 0;
		out += n;
		from += (uint64_t)n;
		b->bytes_in += (uint64_t)n;
		if (from < to && sys_now_ns(CLOCK_MONOTONIC) > deadline) {
			fault_set(fault, ETIMEDOUT, "%s was not read in time", f->name);
			return BACKEND_TIMEOUT;
		}
	}
	return BACKEND_OK;
}

/* Makes a file younger that is used, so that it is not removed by age. It may not be ours. */
static void touch(const struct dir *d, const struct file *f, int64_t after_s)
{
	int64_t now = sys_now_ns(CLOCK_REALTIME) / 1000000000;

	if (!d->readonly && now - f->st.stx_mtime.tv_sec > after_s)
		SYS4(SYS_utimensat, f->folder, f->name, NULL, AT_SYMLINK_NOFOLLOW);
}

static unsigned char *room(struct backend *b, uint64_t n, struct fault *fault)
{
	unsigned char *p = arena_alloc(b->arena, n ? n : 1);

	if (!p)
		fault_set(fault, ENOMEM, "no memory for %lu bytes", (unsigned long)n);
	return p;
}

static enum backend_status read_object(struct backend *b, const struct file *f,
                                       const struct backend_limit *limit,
                                       struct backend_bytes *out, int64_t deadline,
                                       struct fault *fault)
{
	uint64_t size = f->st.stx_size, first = size < FIRST_READ ? size : FIRST_READ, whole;
	unsigned char *bytes = room(b, first, fault), *all;
	enum backend_status s;

	if (!bytes)
		return BACKEND_FAULT;
	s = read_bytes(b, f, bytes, 0, first, deadline, fault);
	if (s != BACKEND_OK)
		return s;
	*out = (struct backend_bytes){bytes, (size_t)first};
	whole = limit->accept(limit->ctx, bytes, (size_t)first);
	if (!whole)
		return BACKEND_OK;
	if (whole > limit->most) {
		fault_set(fault, EFBIG, "%s has %lu bytes, more than is accepted", f->name,
		          (unsigned long)size);
		return BACKEND_GARBAGE;
	}
	if (whole != size) {
		fault_set(fault, EBADMSG, "it has %lu bytes, and its head says %lu: %s",
		          (unsigned long)size, (unsigned long)whole, f->name);
		return BACKEND_FOREIGN;
	}
	s = backend_take(limit, bytes, (size_t)first);
	if (s != BACKEND_OK || whole == first)
		return s;
	all = limit->take ? bytes : room(b, whole, fault);
	if (!all)
		return BACKEND_FAULT;
	if (!limit->take)
		memcpy(all, bytes, (size_t)first);
	for (uint64_t end; s == BACKEND_OK && first < whole; first = end) {
		end = whole - first < READ_PIECE ? whole : first + READ_PIECE;
		s = read_bytes(b, f, all + (limit->take ? 0 : first), first, end,
		               limit->rest_by ? limit->rest_by : deadline, fault);
		if (s == BACKEND_OK)
			s = backend_take(limit, bytes, (size_t)(end - first));
	}
	*out = (struct backend_bytes){all, (size_t)whole};
	return s;
}

static enum backend_status dir_get(struct backend *b, const struct backend_name *name,
                                   const struct backend_limit *limit, struct backend_bytes *out,
                                   int64_t deadline, struct fault *fault)
{
	struct dir *d = b->state;
	struct file f;
	enum backend_status s = open_file(b, &f, name, d->root.signatures, deadline, fault);

	*out = (struct backend_bytes){NULL, 0};
	if (s != BACKEND_OK)
		return s;
	s = read_object(b, &f, limit, out, deadline, fault);
	if (s == BACKEND_OK)
		touch(d, &f, TOUCH_READ_S);
	close_file(&f);
	return s;
}

/* Reads a whole list. */
static enum backend_status read_list(struct backend *b, const struct backend_name *name,
                                     int signatures, struct backend_list *out, int64_t deadline,
                                     struct fault *fault)
{
	struct file f;
	enum backend_status s = open_file(b, &f, name, signatures, deadline, fault);
	unsigned char *bytes = NULL;

	out->count = 0;
	out->length = 0;
	if (s != BACKEND_OK)
		return s;
	if (f.st.stx_size <= BUNDLE_MOST) {
		bytes = room(b, f.st.stx_size, fault);
		s = bytes ? read_bytes(b, &f, bytes, 0, f.st.stx_size, deadline, fault)
		          : BACKEND_FAULT;
	}
	if (s == BACKEND_OK && (!bytes || bundle_read(out, bytes, f.st.stx_size) < 0)) {
		fault_set(fault, EBADMSG, "it is damaged, or of another version: %s", f.name);
		s = BACKEND_FOREIGN;
	}
	if (s == BACKEND_OK)
		touch(b->state, &f, TOUCH_READ_S);
	close_file(&f);
	return s;
}

static enum backend_status dir_candidates(struct backend *b, const struct backend_name *name,
                                          unsigned from, unsigned max, struct backend_list *out,
                                          int64_t deadline, struct fault *fault)
{
	struct dir *d = b->state;
	enum backend_status s = read_list(b, name, d->root.signatures, out, deadline, fault);

	if (s == BACKEND_OK)
		bundle_slice(out, from, max);
	return s;
}

static enum backend_status write_once(struct backend *b, const struct backend_name *name,
                                      struct backend_bytes head, const struct source *rest,
                                      int64_t deadline, int *gone, struct fault *fault)
{
	struct dir *d = b->state;
	enum backend_status s = root_open(&d->root, 1, answer_by(b, deadline), fault);
	char folder[FOLDER_NAME], file[FILE_NAME];
	const char *refusal = NULL;
	int at, rc;

	*gone = 0;
	if (s != BACKEND_OK)
		return s;
	b->round_trips++;
	root_names(name, folder, file);
	at = root_folder(&d->root, folder, 1);
	rc = at < 0 ? at : root_write(&d->root, at, file, head, rest, deadline, &refusal);
	if (at >= 0)
		sys_close(at);
	if (rc == 0)
		return BACKEND_OK;
	if (refusal) {
		fault_set(fault, EACCES, "a file made in %s would not be served again: %s",
		          d->root.path, refusal);
		return BACKEND_DENIED;
	}
	*gone = rc == -ENOENT || rc == -ESTALE;
	s = failed(rc, "write", file, fault);
	return s == BACKEND_ABSENT ? BACKEND_CLOSED : s;
}

static enum backend_status write_file(struct backend *b, const struct backend_name *name,
                                      struct backend_bytes head, const struct source *rest,
                                      int64_t deadline, struct fault *fault)
{
	struct dir *d = b->state;
	enum backend_status s;
	int gone;

	if (d->readonly) {
		fault_set(fault, EPERM, "nothing is published from here");
		return BACKEND_DENIED;
	}
	s = write_once(b, name, head, rest, deadline, &gone, fault);
	if (gone) {
		/* Somebody removed the directory: its descriptor is of no use any more. */
		root_close(&d->root);
		s = write_once(b, name, head, rest, deadline, &gone, fault);
	}
	if (s == BACKEND_OK)
		b->bytes_out += head.len + rest->len;
	if (s == BACKEND_DENIED)
		fault->code = EPERM; /* look-ups go on */
	return s;
}

static enum backend_status dir_put(struct backend *b, const struct backend_name *name,
                                   struct backend_bytes head, const struct source *stored,
                                   unsigned ttl_s, int64_t deadline, struct fault *fault)
{
	return write_file(b, name, head, stored, deadline, fault);
}

static enum backend_status dir_add(struct backend *b, const struct backend_name *name,
                                   struct backend_bytes blob, int drop, unsigned ttl_s,
                                   int64_t deadline, struct fault *fault)
{
	const struct source none = {NULL};
	struct backend_list list;
	struct backend_bytes made;
	/* A file of ours must not hold what others wrote, unless its reader would be served theirs
	 * without signatures, too. */
	enum backend_status s = read_list(b, name, 0, &list, deadline, fault);

	if (s != BACKEND_OK && s != BACKEND_ABSENT && s != BACKEND_FOREIGN)
		return s;
	made.data = bundle_add(&list, blob, drop, &made.len, b->arena);
	if (!made.data) {
		fault_set(fault, EFBIG, "no room for a candidate of %lu bytes",
		          (unsigned long)blob.len);
		return BACKEND_FAULT;
	}
	return write_file(b, name, made, &none, deadline, fault);
}

/* True if the object is as long as its head says, whatever its class. A crash of a client may leave
 * a file without its bytes. */
static int is_whole(struct backend *b, const struct file *f, const struct backend_name *name,
                    int64_t deadline)
{
#define X(id, number, folder) number,
	static const unsigned char classes[] = {STORE_CLASSES(X)};
#undef X
	unsigned char head[BLOB_HEAD];
	struct fault ignored;
	struct blob_head h;

	if (f->st.stx_size < sizeof head ||
	    read_bytes(b, f, head, 0, sizeof head, deadline, &ignored) != BACKEND_OK)
		return 0;
	for (size_t i = 0; i < sizeof classes; i++)
		if (blob_head_read(&h, head, f->st.stx_size, (enum store_class)classes[i],
		                   &name->key, UINT64_MAX, NULL) == BLOB_OK)
			return 1;
	return 0;
}

static int dir_has(struct backend *b, const struct backend_name *name, int64_t deadline,
                   struct fault *fault)
{
	struct dir *d = b->state;
	struct file f;
	enum backend_status s = open_file(b, &f, name, d->root.signatures, deadline, fault);
	int whole;

	if (s != BACKEND_OK)
		return s == BACKEND_ABSENT || s == BACKEND_FOREIGN ? 0 : -1;
	whole = is_whole(b, &f, name, deadline);
	if (whole)
		touch(d, &f, TOUCH_HAS_S);
	close_file(&f);
	return whole;
}

static enum backend_status dir_remove(struct backend *b, const struct backend_name *name,
                                      int64_t deadline, struct fault *fault)
{
	struct dir *d = b->state;
	enum backend_status s = root_open(&d->root, 0, answer_by(b, deadline), fault);
	char folder[FOLDER_NAME], file[FILE_NAME];

	if (s != BACKEND_OK)
		return s == BACKEND_ABSENT ? BACKEND_OK : s;
	b->round_trips++;
	root_names(name, folder, file);
	int at = root_folder(&d->root, folder, 0),
	    rc = at < 0 ? at : (int)SYS3(SYS_unlinkat, at, file, 0);
	if (at >= 0)
		sys_close(at);
	s = rc < 0 ? failed(rc, "remove", file, fault) : BACKEND_OK;
	if (s == BACKEND_DENIED)
		fault->code = EPERM;
	return s == BACKEND_ABSENT ? BACKEND_OK : s;
}

static enum backend_status dir_ping(struct backend *b, int64_t deadline, struct fault *fault)
{
	struct dir *d = b->state;
	enum backend_status s;
	int fd;

	root_close(&d->root);
	s = root_open(&d->root, 0, answer_by(b, deadline), fault);
	b->round_trips++;
	/* The first publisher makes it. */
	if (s == BACKEND_ABSENT)
		return d->readonly ? BACKEND_REFUSED : BACKEND_OK;
	if (s != BACKEND_OK)
		return s;
	/* Asks the server, where the attributes of the root come from a cache. */
	fd = sys_openat(d->root.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd >= 0)
		sys_close(fd);
	if (fd >= 0 || fd == -EACCES)
		return BACKEND_OK;
	s = failed(fd, "open", d->root.path, fault);
	return s == BACKEND_ABSENT || s == BACKEND_FOREIGN ? BACKEND_REFUSED : s;
}

const char *shared_dir_path(const struct remote_place *place, struct arena *a, struct fault *fault)
{
	char *path = arena_strdup(a, place->path);

	if (!path) {
		fault_set(fault, ENOMEM, "no memory for a path");
		return NULL;
	}
	if ((place->host && *place->host) || *path != '/') {
		fault_set(fault, EINVAL, "a directory is written file:///PATH, with three slashes");
		return NULL;
	}
	if (path_tidy(path) <= 1 || strlen(path) >= PATH_SIZE) {
		fault_set(fault, EINVAL, "%s is no directory for a remote store", path);
		return NULL;
	}
	return path;
}

int shared_dir_signed(const struct remote_place *place)
{
	return place->set && *setting_text(place->set, SETTING_TRUST);
}

static int dir_open(struct backend *b, const struct remote_place *place, struct arena *a,
                    struct fault *fault)
{
	const char *path = shared_dir_path(place, a, fault);
	struct dir *d = path ? arena_alloc(a, sizeof *d) : NULL;

	if (!path)
		return -1;
	if (!d)
		return fault_set(fault, ENOMEM, "no memory for a backend");
	d->readonly = place->readonly;
	b->state = d;
	return root_init(&d->root, path, shared_dir_signed(place), a, fault);
}

static void dir_close(struct backend *b)
{
	struct dir *d = b->state;

	if (d)
		root_close(&d->root);
}

/* shim/banned.h refuses the name of the second field. Without leases. */
const struct backend_ops shared_dir_ops = {
	"file", dir_open,
	.candidates = dir_candidates,
	.get = dir_get,
	.put = dir_put,
	.add_candidate = dir_add,
	.has = dir_has,
	.remove = dir_remove,
	.ping = dir_ping,
	.close = dir_close,
};
