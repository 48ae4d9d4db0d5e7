/* tests/fuzz/fuzz_spool.c - the publisher's spool after any change of its files.
 *
 * Records are added as jobs do. Then their file is torn, cut, overwritten, doubled and mixed with
 * any bytes. The publisher must take exactly the records that are still complete in the file, in
 * order, each as often as the file holds it. Input: the number of records, then edits of four bytes
 * (what, two for where, one for how much), then bytes for edits that write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "remote/remote.h"
#include "shim/kernel/sys.h"
#include "store/dirs.h"
#include "store/queue/spool.h"
#include "tests/fuzz/expect.h"

#define RECORDS 6
#define RECORD 128 /* store/queue/spool.c */
#define EDITS 8
#define FILE_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char root[64], directory[160], queue[200];
static struct store store;

static void clean_up(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf %s", root);
	expect(system(command) == 0);
}

static void set_up(void)
{
	char host[DIRS_HOST];

	snprintf(root, sizeof root, "%s/fuzz-spool-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	expect(mkdtemp(root) != NULL);
	atexit(clean_up);
	dirs_host(host);
	snprintf(directory, sizeof directory, "%s/spool/%s/" REMOTE_TAG_LOCAL, root, host);
	snprintf(queue, sizeof queue, "%s/queue", directory);
	store = (struct store){.dir = root, .writable = 1, .remote = REMOTE_TAG_LOCAL};
}

static struct spool_record record(unsigned i)
{
	struct spool_record r = {.class = i % 2 ? STORE_MANIFEST : STORE_RESULT,
	                         .made_at = 1000 + i, .wall_ns = i};

	memset(r.key.b, (int)i + 1, DIGEST_SIZE);
	memset(r.lease, (int)i, SPOOL_TOKEN);
	return r;
}

static size_t read_queue(unsigned char out[FILE_MAX])
{
	FILE *f = fopen(queue, "rb");

	expect(f != NULL);
	size_t n = fread(out, 1, FILE_MAX, f);
	fclose(f);
	return n;
}

static void write_queue(const unsigned char *p, size_t n)
{
	FILE *f = fopen(queue, "wb");

	expect(f && fwrite(p, 1, n, f) == n);
	fclose(f);
}

/* Makes one edit of the file's bytes; returns its new length. */
static size_t edit(unsigned char *p, size_t n, const uint8_t e[4], const uint8_t **bytes,
                   size_t *left)
{
	size_t at = n ? (e[1] | (size_t)e[2] << 8) % (n + 1) : 0, much = e[3];

	switch (e[0] % 5) {
	case 0: /* a byte changes */
		if (at < n)
			p[at] ^= (unsigned char)(e[3] | 1);
		return n;
	case 1: /* cut short */
		return at;
	case 2: /* a piece is missing */
		much = much < n - at ? much : n - at;
		memmove(p + at, p + at + much, n - at - much);
		return n - much;
	case 3: /* a piece stands there twice */
		much = much < n - at ? much : n - at;
		if (n + much > FILE_MAX)
			return n;
		memmove(p + at + much, p + at, n - at);
		return n + much;
	default: /* other bytes come between */
		much = much < *left ? much : *left;
		if (n + much > FILE_MAX)
			return n;
		memmove(p + at + much, p + at, n - at);
		memcpy(p + at, *bytes, much);
		*bytes += much;
		*left -= much;
		return n + much;
	}
}

/* The records that are complete within n bytes. */
static size_t find(unsigned out[], const unsigned char *p, size_t n,
                   unsigned char whole[RECORDS][RECORD], unsigned count)
{
	size_t found = 0;

	for (size_t at = 0; at + RECORD <= n;) {
		unsigned i = 0;

		while (i < count && memcmp(p + at, whole[i], RECORD) != 0)
			i++;
		if (i < count)
			out[found++] = i;
		at += i < count ? RECORD : 1;
	}
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned char bytes[FILE_MAX], whole[RECORDS][RECORD];
	unsigned wanted[FILE_MAX / RECORD], count;
	struct spool_batch batch = SPOOL_BATCH_INIT;
	struct fault fault = {0, ""};
	size_t records, n;
	int64_t oldest;

	if (!size)
		return 0;
	if (!*root)
		set_up();
	count = data[0] % (RECORDS + 1);
	for (unsigned i = 0; i < count; i++) {
		struct spool_record r = record(i);
		expect(spool_add(&store, &r) == 0);
	}
	n = count ? read_queue(bytes) : 0;
	expect(n == (size_t)count * RECORD);
	memcpy(whole, bytes, n);
	const uint8_t *edits = data + 1, *rest;
	size_t edit_count = (size - 1) / 4 < EDITS ? (size - 1) / 4 : EDITS,
		left = size - 1 - 4 * edit_count;
	rest = edits + 4 * edit_count;
	for (size_t i = 0; i < edit_count; i++)
		n = edit(bytes, n, edits + 4 * i, &rest, &left);
	if (count)
		write_queue(bytes, n);
	else
		n = 0;

	expect(spool_pending(&store, &records, &oldest) == 0);
	expect(records == (n + RECORD - 1) / RECORD && oldest >= -1);
	expect(spool_take(&store, &batch, &fault) == 0);
	size_t found = find(wanted, bytes, n, whole, count);
	expect(batch.count == found && batch.left == found);
	for (size_t i = 0; i < found; i++) {
		struct spool_record want = record(wanted[i]);
		const struct spool_record *r = &batch.v[i];

		expect(r->class == want.class && digest_equal(&r->key, &want.key) &&
		       r->made_at == want.made_at &&
		       r->wall_ns == want.wall_ns &&
		       memcmp(r->lease, want.lease, SPOOL_TOKEN) == 0);
	}
	for (size_t i = 0; i < found; i++)
		spool_done(&store, &batch, i, 1);
	/* No file is left, not even a damaged one. */
	expect(spool_pending(&store, &records, &oldest) == 0 && records == 0 && oldest == -1);
	spool_batch_free(&batch);
	return 0;
}
