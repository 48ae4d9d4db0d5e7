/* remote/arrival.c - a result or unit that goes into a store while it comes. */
#include "remote/arrival.h"

#include <errno.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

static int write_piece(void *ctx, const void *p, size_t n)
{
	ssize_t rc = sys_write_all(((struct arrival *)ctx)->fd, p, n);

	return rc < 0 ? (int)rc : 0;
}

int arrival_begin(struct arrival *a, struct store *s, const struct blob_head *h, const void *value,
                  enum store_class class, const struct digest *key, struct arena *arena,
                  struct fault *fault)
{
	int rc;

	*a = (struct arrival){.s = s};
	rc = blob_stream_begin(&a->blob, h, value, class, key, write_piece, a, arena);
	if (rc == 0)
		rc = tmp_open(a->tmp, sizeof a->tmp, s->dir);
	if (rc < 0)
		return fault_sys(fault, -rc, "store entry", s->dir);
	a->fd = rc;
	return 0;
}

int arrival_take(struct arrival *a, const void *stored, size_t n)
{
	a->error = blob_stream_add(&a->blob, stored, n);
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
	if (a->fd)
		tmp_close(a->fd, a->tmp, -EBADMSG);
	a->fd = 0;
}
