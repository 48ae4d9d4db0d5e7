/* units/find/lay.c - places a parcel, or a copy of another unit, where the framework looks for it.
 * */
#include "units/find/lay.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/kernel/sys.h"
#include "units/find/stage.h"
#include "units/format/index.h"

#include "shim/banned.h"

/* A single file has this name in the stage. */
#define FILE_NAME "file"
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

/* 1: the bytes may be copied: they are a whole file, and the kernel's key covers what they were
 * made from. */
static int fits(const char *name, const void *bytes, size_t n)
{
	return !index_file_is_damaged(name, bytes, n) && !index_is_of_npu(name) &&
	       !index_is_overridden(name, bytes, n);
}

static int copy_file(const struct source *from, struct stage *s, const char *name, uint64_t *left,
                     struct fault *fault)
{
	struct arena one = ARENA_INIT;
	struct statx st;
	int in = open_source(from, name, &st, fault), rc = -EFBIG;
	void *bytes = NULL;

	if (in < 0)
		return in;
	if (st.stx_size <= *left) {
		/* One byte more: the file may have grown. */
		bytes = arena_alloc(&one, st.stx_size + 1);
		rc = bytes ? 0 : -ENOMEM;
		*left -= st.stx_size;
	}
	if (rc == 0) {
		ssize_t n = sys_read_all(in, bytes, st.stx_size + 1);

		if (n < 0)
			rc = (int)n;
		else if ((uint64_t)n != st.stx_size || !fits(name, bytes, (size_t)n))
			rc = incomplete(from, name, fault);
	}
	if (rc == 0)
		rc = stage_write(s, name, bytes, st.stx_size, new_mode(st.stx_mode), 0);
	arena_free(&one);
	sys_close(in);
	return rc;
}

static int copy_all(const struct source *from, struct stage *s, const char *to,
                    struct fault *fault)
{
	uint64_t left = PARCEL_BYTES_MAX;

	for (unsigned i = 0; i < from->x.names; i++) {
		int rc = strcmp(from->x.name[i], from->index.name) == 0 ?
			incomplete(from, from->x.name[i], fault) :
			copy_file(from, s, from->x.name[i], &left, fault);
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
			rc = copy_all(source, &s, to, fault);
		if (rc == 0)
			rc = stage_place_dir(&s);
		stage_end(&s);
	}
	sys_close(source->dir);
	return verdict(rc, to, fault);
}
