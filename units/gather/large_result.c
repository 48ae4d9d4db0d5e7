/* units/gather/large_result.c - sends a large result from its file. */
#include "units/gather/gather.h"

#include "shim/kernel/sys.h"
#include "store/entry/result.h"

#include "shim/banned.h"

/* Writes it as other nodes keep it: large outputs are compressed. The descriptor of the new entry,
 * and its length; -1: it is sent as it is. */
static int pack_result(struct store *s, const struct digest *key, uint64_t *len, struct arena *a)
{
	struct fault ignored;
	struct result r;
	struct entry e;
	int fd;

	/* So it is where this memory is refused, or where the payload is no result: other nodes
	 * refuse that. */
	if (*len <= COMPRESS_LARGE ||
	    store_get(s, STORE_RESULT, key, 0, &e, a, &ignored) != ENTRY_OK ||
	    result_decode(&r, e.payload, e.len, a) < 0)
		return -1;
	fd = tmp_unnamed(s->dir);
	if (fd >= 0 && result_pack_into(fd, ENTRY_HEAD, &r, len, a) == 0 &&
	    entry_seal_file(fd, STORE_RESULT, key, *len) == 0)
		return fd;
	if (fd >= 0)
		sys_close(fd);
	return -1;
}

int gather_send_result(struct remote *r, struct store *s, const struct digest *key, int fd,
                       uint64_t len, struct arena *a, struct fault *fault)
{
	uint64_t packed_len = len;
	int packed = pack_result(s, key, &packed_len, a), rc;

	if (packed < 0)
		return remote_put_file(r, STORE_RESULT, key, fd, len, fault);
	rc = remote_put_file(r, STORE_RESULT, key, packed, packed_len, fault);
	sys_close(packed);
	return rc;
}
