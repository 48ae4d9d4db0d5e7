/* units/lay.c - places a parcel, or a copy of another unit, where the framework looks for it. */
#include "units/lay.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/path.h"
#include "shim/sys.h"
#include "units/index.h"
#include "units/stage.h"

#include "shim/banned.h"

/* A single file has this name in the stage. */
#define FILE_NAME "file"
/* Where the kernel cannot copy files itself. */
#define COPY_PIECE (64u << 10)
/* Not an -errno: *fault has the text already. */
#define WORDED (-4096)

/* The mode that open(2) gives to files of Python, libtorch and compilers. Bits that frameworks do
 * not set are dropped. */
static mode_t new_mode(unsigned found)
{
	return found & 0111 ? 0777 : 0666;
}

static int lay_file(struct stage *s, const struct parcel_file *f, const char *name, const char *dir,
                    struct fault *fault)
{
	struct arena one = ARENA_INIT;
	uint64_t n;
	const unsigned char *bytes = parcel_file_bytes(f, dir, &n, &one);
	int rc = WORDED;

	if (bytes)
		rc = stage_write(s, name, bytes, n, f->exact ? f->mode : new_mode(f->mode),
		                 f->exact);
	else
		fault_set(fault, 0, "place %s: %s is damaged, or no memory", dir, f->name);
	arena_free(&one);
	return rc;
}

/* The first member creates the set's directory. */
static int place_member(struct stage *s, const char *name)
{
	int rc = stage_place_member(s, name);

	if (rc != -ENOENT)
		return rc;
	rc = stage_place_dir(s);
	return rc == -EEXIST ? stage_place_member(s, name) : rc;
}

static int stands(struct stage *s, enum unit_form form, const char *name, struct arena *a)
{
	struct statx st;
	const char *at = s->base;

	if (form == UNIT_WHOLE)
		return stage_taken(s);
	if (form == UNIT_SET)
		at = arena_cat(a, s->base, "/", name, NULL);
	return at && sys_statx(s->parent, at, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st) == 0;
}

static enum lay_status verdict(int rc, const char *path, struct fault *fault)
{
	if (rc == 0)
		return LAY_LAID;
	if (rc == -EEXIST)
		return LAY_THERE;
	if (rc != WORDED)
		fault_sys(fault, -rc, "lay", path);
	return LAY_FAULT;
}

static int fill_and_place(struct stage *s, const struct parcel *p, enum unit_form form,
                          const char *path, struct fault *fault)
{
	int rc = 0;

	if (form == UNIT_FILE || form == UNIT_MERGED) {
		rc = lay_file(s, &p->file[0], FILE_NAME, path, fault);
		return rc ? rc : stage_place_file(s, FILE_NAME);
	}
	for (unsigned i = 0; i < p->files && rc == 0; i++)
		rc = lay_file(s, &p->file[i], p->file[i].name, path, fault);
	if (rc)
		return rc;
	return form == UNIT_SET ? place_member(s, p->file[0].name) : stage_place_dir(s);
}

enum lay_status lay_parcel(const struct parcel *p, enum unit_form form, const char *path,
                           struct arena *a, struct fault *fault)
{
	struct stage s;
	int rc;

	if (p->files < 1 || (form != UNIT_WHOLE && p->files != 1)) {
		fault_set(fault, 0, "place %s: a parcel of %u files", path, p->files);
		return LAY_FAULT;
	}
	rc = stage_begin(&s, path, a);
	if (rc == 0 && stands(&s, form, p->file[0].name, a))
		rc = -EEXIST;
	if (rc == 0)
		rc = stage_open(&s);
	if (rc == 0)
		rc = fill_and_place(&s, p, form, path, fault);
	stage_end(&s);
	return verdict(rc, path, fault);
}

/* --- copies --- */

struct source {
	int dir;
	const char *path;
	struct index x;
	struct parcel_file index; /* the text without paths */
};

static int incomplete(const struct source *from, const char *name, struct fault *fault)
{
	fault_set(fault, 0, "copy %s: %s is not a file of a complete kernel", from->path, name);
	return WORDED;
}

/* In a directory that all users may write to, anybody can create a device's directory, and a kernel
 * is code. So files must belong to the user, as the publisher checks it. */
static int foreign(const struct source *from, const char *name, struct fault *fault)
{
	fault_set(fault, 0, "copy %s: %s belongs to another user", from->path, name);
	return WORDED;
}

/* Opens a regular file of the source that belongs to the user. *st gets its permission bits and
 * size. -errno, or WORDED. */
static int open_source(const struct source *from, const char *name, struct statx *st,
                       struct fault *fault)
{
	int fd = sys_above_streams(
		sys_openat(from->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
	int rc = fd;

	if (fd >= 0) {
		rc = sys_statx(fd, "", AT_EMPTY_PATH,
		               STATX_TYPE | STATX_MODE | STATX_SIZE | STATX_UID, st);
		if (rc == 0 && S_ISREG(st->stx_mode) && st->stx_uid == sys_geteuid())
			return fd;
		sys_close(fd);
		if (rc == 0 && S_ISREG(st->stx_mode))
			return foreign(from, name, fault);
	}
	if (rc < 0 && rc != -ENOENT && rc != -ELOOP && rc != -ENXIO)
		return rc;
	return incomplete(from, name, fault);
}

/* Opens the directory, which must belong to the user. 0, -errno or WORDED. */
static int open_dir(struct source *from, const char *index, struct fault *fault)
{
	struct statx st;
	int rc = sys_above_streams(sys_open(from->path,
	                                    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));

	if (rc < 0)
		return rc == -ENOENT ? incomplete(from, index, fault) : rc;
	from->dir = rc;
	rc = sys_statx(from->dir, "", AT_EMPTY_PATH, STATX_UID, &st);
	if (rc == 0 && st.stx_uid != sys_geteuid())
		rc = foreign(from, "it", fault);
	if (rc < 0)
		sys_close(from->dir);
	return rc;
}

static int read_index(struct source *from, const char *name, struct arena *a, struct fault *fault)
{
	struct statx st;
	int fd = open_source(from, name, &st, fault);
	size_t len;
	uint64_t *mark;

	if (fd < 0)
		return fd;
	void *text = st.stx_size <= INDEX_TEXT_MAX ? arena_alloc(a, st.stx_size + 1) : NULL;
	ssize_t n = text ? sys_read_all(fd, text, st.stx_size) : 0;
	sys_close(fd);
	if (n < 0)
		return (int)n;
	if (!text || (uint64_t)n != st.stx_size || index_parse(&from->x, text, (size_t)n, a) < 0)
		return incomplete(from, name, fault);
	from->index.data = index_strip(&from->x, text, (size_t)n, &len, &mark, a);
	if (!from->index.data)
		return -ENOMEM;
	from->index.name = name;
	from->index.mode = st.stx_mode & 0777;
	from->index.len = len;
	from->index.mark = mark;
	from->index.marks = from->x.names;
	return 0;
}

/* Copies n bytes, or fewer where the file is shorter. Where copy_file_range fails, read and write
 * succeed or give the reason. */
static int64_t copy_bytes(int in, int out, uint64_t n, struct arena *a)
{
	uint64_t done = 0;
	char *piece = NULL;

	while (done < n) {
		ssize_t got = SYS6(SYS_copy_file_range, in, NULL, out, NULL, n - done, 0);

		if (got <= 0)
			break;
		done += (uint64_t)got;
	}
	if (done < n && !(piece = arena_alloc(a, COPY_PIECE)))
		return -ENOMEM;
	while (done < n) {
		ssize_t got = sys_read_all(in, piece, n - done < COPY_PIECE ? n - done
		                           : COPY_PIECE);
		ssize_t put = got > 0 ? sys_write_all(out, piece, (size_t)got) : got;

		if (put < 0)
			return put;
		if (got == 0)
			break;
		done += (uint64_t)got;
	}
	return (int64_t)done;
}

/* 1: the kernel's key does not cover all that it was made from. */
static int is_beside_key(int in, const char *name, const struct statx *st, struct arena *a)
{
	if (index_is_of_npu(name))
		return 1;
	if (!path_ends(name, ".json"))
		return 0;
	void *text = arena_alloc(a, st->stx_size);
	ssize_t n = text ? sys_pread(in, text, st->stx_size, 0) : -1;
	return n < 0 || (uint64_t)n != st->stx_size || index_is_overridden(name, text, (size_t)n);
}

static int copy_file(const struct source *from, struct stage *s, const char *name, uint64_t *left,
                     struct arena *a, struct fault *fault)
{
	struct statx st;
	int in = open_source(from, name, &st, fault), out;

	if (in < 0)
		return in;
	/* A power failure leaves files empty that were never synced; Triton writes no empty
	 * file. */
	if (st.stx_size == 0) {
		sys_close(in);
		return incomplete(from, name, fault);
	}
	if (st.stx_size <= *left && is_beside_key(in, name, &st, a)) {
		sys_close(in);
		return incomplete(from, name, fault);
	}
	out = st.stx_size <= *left ? stage_create(s, name, new_mode(st.stx_mode), 0) : -EFBIG;
	if (out >= 0) {
		int64_t n = copy_bytes(in, out, st.stx_size, a);

		*left -= st.stx_size;
		out = stage_finish(out, n < 0 ? (int)n : 0);
		if (out == 0 && (uint64_t)n != st.stx_size)
			out = incomplete(from, name, fault);
	}
	sys_close(in);
	return out;
}

static int copy_all(const struct source *from, struct stage *s, const char *to, struct arena *a,
                    struct fault *fault)
{
	uint64_t left = PARCEL_BYTES_MAX;

	for (unsigned i = 0; i < from->x.names; i++) {
		int rc = strcmp(from->x.name[i], from->index.name) == 0 ?
			incomplete(from, from->x.name[i], fault) :
			copy_file(from, s, from->x.name[i], &left, a, fault);
		if (rc < 0)
			return rc;
	}
	return lay_file(s, &from->index, from->index.name, to, fault);
}

enum lay_status lay_copy(const char *from, const char *to, const char *index, struct arena *a,
                            struct fault *fault)
{
	struct source *source = arena_alloc(a, sizeof *source); /* too large for a host's stack */
	struct stage s;
	int rc;

	if (!source)
		return verdict(-ENOMEM, from, fault);
	source->path = from;
	rc = open_dir(source, index, fault);
	if (rc < 0)
		return verdict(rc, from, fault);
	rc = read_index(source, index, a, fault);
	if (rc == 0) {
		rc = stage_begin(&s, to, a);
		if (rc == 0 && stage_taken(&s))
			rc = -EEXIST;
		if (rc == 0)
			rc = stage_open(&s);
		if (rc == 0)
			rc = copy_all(source, &s, to, a, fault);
		if (rc == 0)
			rc = stage_place_dir(&s);
		stage_end(&s);
	}
	sys_close(source->dir);
	return verdict(rc, to, fault);
}
