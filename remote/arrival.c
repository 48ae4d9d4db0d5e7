/* remote/arrival.c - a result or unit that goes into a store while it comes. */
#include "remote/arrival.h"

#include <errno.h>
#include <sys/vfs.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

static int write_piece(void *ctx, const void *p, size_t n)
{
	ssize_t rc = sys_write_all(((struct arrival *)ctx)->fd, p, n);

	return rc < 0 ? (int)rc : 0;
}

static int has_room(const char *dir, uint64_t bytes)
{
	struct statfs fs;

	return SYS2(SYS_statfs, dir, &fs) == 0 && fs.f_bavail * (uint64_t)fs.f_bsize > bytes;
}

static void drop_copy(struct arrival *a)
{
	if (a->copy >= 0)
		sys_close(a->copy);
	a->copy = -1;
}

int arrival_begin(struct arrival *a, struct store *s, const struct blob_head *h, const void *value,
                  enum store_class class, const struct digest *key, int copies,
                  struct fault *fault)
{
	int rc;

	*a = (struct arrival){.s = s, .arena = ARENA_INIT, .skip = BLOB_HEAD, .copy = -1};
	rc = blob_stream_begin(&a->blob, h, value, class, key, write_piece, a, &a->arena);
	if (rc == 0)
		rc = tmp_open(a->tmp, sizeof a->tmp, s->dir);
	if (rc < 0) {
		arena_free(&a->arena);
		return fault_sys(fault, -rc, "store entry", s->dir);
	}
	a->fd = rc;
	if (copies && has_room(s->dir, h->entry_len + h->stored))
		a->copy = tmp_unnamed(s->dir);
	return 0;
}

int arrival_take(struct arrival *a, const void *bytes, size_t n)
{
	size_t skip = a->skip < n ? a->skip : n;

	a->skip -= skip;
	if (a->copy >= 0 && sys_write_all(a->copy, bytes, n) < 0)
		drop_copy(a);
	a->error = blob_stream_add(&a->blob, (const char *)bytes + skip, n - skip);
	return a->error ? -1 : 0;
}

enum blob_status arrival_end(struct arrival *a, struct fault *fault)
{
	enum blob_status st = blob_stream_end(&a->blob);
	char path[PATH_SIZE];
	int rc;

	fault->code = 0;
	if (st != BLOB_OK) {
		arrival_drop(a);
		return st;
	}
	rc = tmp_close(a->fd, a->tmp, 0);
	a->fd = 0;
	arena_free(&a->arena);
	if (rc == 0 && store_path(path, sizeof path, a->s->dir, a->blob.class, &a->blob.key, 0) <
	               sizeof path)
		rc = tmp_rename(a->tmp, path);
	else if (rc == 0)
		rc = -ENAMETOOLONG;
	if (rc < 0) {
		tmp_drop(a->tmp);
		fault_sys(fault, -rc, "store entry", a->s->dir);
	}
	return BLOB_OK;
}

void arrival_drop(struct arrival *a)
{
	if (!a->fd)
		return;
	tmp_close(a->fd, a->tmp, -EBADMSG);
	a->fd = 0;
	drop_copy(a);
	arena_free(&a->arena);
}
