/* store/unpacked.c - puts a result that came compressed as this node would have stored it. */
#include "store/unpacked.h"

#include <errno.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

struct sink {
	int fd;
	struct digest_state check;
	uint64_t left; /* of the payload */
};

static int take(void *arg, const void *p, size_t n)
{
	struct sink *s = arg;
	ssize_t rc;

	if (n > s->left)
		return -EBADMSG;
	s->left -= n;
	digest_add(&s->check, p, n);
	rc = sys_write_all(s->fd, p, n);
	return rc < 0 ? (int)rc : 0;
}

/* Head, payload and tail of an entry with `len` bytes of payload. */
static int write_entry(int fd, const struct digest *key, uint64_t len, const struct result *r,
                       enum compress_mode mode, struct arena *a)
{
	struct sink s = {.fd = fd, .left = len + ENTRY_HEAD};
	unsigned char head[ENTRY_HEAD];
	struct digest check;
	int rc;

	digest_init_as(&s.check, digest_algorithm(key));
	entry_head(head, STORE_RESULT, key, len);
	rc = take(&s, head, sizeof head);
	if (rc == 0)
		rc = result_unpack_to(take, &s, r, mode, a);
	if (rc == 0 && s.left)
		rc = -EBADMSG;
	if (rc < 0)
		return rc;
	digest_final(&s.check, &check);
	ssize_t n = sys_write_all(fd, check.b, ENTRY_TAIL);
	return n < 0 ? (int)n : 0;
}

uint64_t unpacked_more(const struct entry *e, enum compress_mode mode, struct arena *a)
{
	struct result r;

	return result_decode(&r, e->payload, e->len, a) == 0 ? result_unpacking(&r, mode) : 0;
}

int unpacked_put(struct store *s, const struct entry *e, enum compress_mode mode, struct arena *a,
                 struct fault *fault)
{
	char tmp[PATH_SIZE] = "", path[PATH_SIZE];
	struct result r;
	uint64_t len;
	int fd, rc;

	if (!s->dir || !s->writable || result_decode(&r, e->payload, e->len, a) < 0)
		return fault_set(fault, EINVAL, "no result, or no store");
	len = e->len + result_unpacking(&r, mode);
	fd = tmp_open(tmp, sizeof tmp, s->dir);
	rc = fd < 0 ? fd : tmp_close(fd, tmp, write_entry(fd, &e->key, len, &r, mode, a));
	if (rc == 0 &&
	    store_path(path, sizeof path, s->dir, STORE_RESULT, &e->key, 0) >= sizeof path)
		rc = -ENAMETOOLONG;
	if (rc == 0)
		rc = tmp_rename(tmp, path);
	if (rc == 0)
		return 0;
	if (fd >= 0)
		tmp_drop(tmp);
	return fault_sys(fault, -rc, "store an unpacked entry in", s->dir);
}
