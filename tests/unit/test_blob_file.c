/* Blobs of entries in files, and signatures. */
#include "blob_fixture.h"

TestSuite(blob_file);

/* Makes the same of an entry in a file, which is then read into value. damage: 1: a byte of it is
 * flipped, 2: it is cut, 3: the disk is full, 4: there is no file to pack it into. */
static int make_of_file(const void *payload, size_t n, const struct trust *t, int damage)
{
	FILE *entry = tmpfile(), *packed = tmpfile();
	struct blob_file b;
	unsigned char flip;
	int rc, full;

	cr_assert(entry && packed);
	digest_of(&key, "the key", 7);
	cr_assert_eq(pwrite(fileno(entry), payload, n, ENTRY_HEAD), (ssize_t)n);
	cr_assert_eq(entry_seal_file(fileno(entry), STORE_RESULT, &key, n), 0);
	if (damage == 1) {
		cr_assert_eq(pread(fileno(entry), &flip, 1, (off_t)n / 2), 1);
		flip ^= 4;
		cr_assert_eq(pwrite(fileno(entry), &flip, 1, (off_t)n / 2), 1);
	}
	if (damage == 2)
		cr_assert_eq(ftruncate(fileno(entry), (off_t)n), 0);
	full = open("/dev/full", O_RDWR | O_CLOEXEC);
	rc = blob_make_file(&b, STORE_RESULT, &key, fileno(entry), n,
	                    damage == 3 ? full : damage == 4 ? -1 : fileno(packed), t, &arena,
	                    &fault);
	close(full);
	if (rc == 0) {
		size = BLOB_HEAD + (size_t)b.stored;
		value = arena_alloc(&arena, size + 64);
		memcpy(value, b.head, BLOB_HEAD);
		cr_assert_eq(pread(b.fd, value + BLOB_HEAD, b.stored, 0), (ssize_t)b.stored);
	}
	fclose(entry);
	fclose(packed);
	return rc;
}

Test(blob_file, of_a_file)
{
	size_t n = 3 * (size_t)BLOB_PART + 77;
	unsigned char *random = noise(n), *zeros = arena_alloc(&arena, n);
	struct entry e;

	trust_pair();
	for (int packs = 0; packs < 2; packs++)
		for (int is_signed = 0; is_signed < 2; is_signed++) {
			const unsigned char *payload = packs ? zeros : random;

			cr_assert_eq(make_of_file(payload, n, is_signed ? &writer : NULL, 0), 0,
			             "%s", fault.text);
			cr_expect_eq(size < n, packs, "%zu bytes", size);
			cr_assert_eq(blob_head_alone(&head, value, size, STORE_RESULT, &key,
			                             MAX_ENTRY, is_signed ? &reader : NULL),
			             BLOB_OK);
			cr_assert_eq(blob_open(&e, &head, value, value + BLOB_HEAD, STORE_RESULT,
			                       &key, &arena), BLOB_OK);
			cr_assert_eq(e.len, n);
			cr_expect_eq(memcmp(e.payload, payload, n), 0);
			/* A damaged entry must not leave the node. */
			cr_expect_eq(make_of_file(payload, n, NULL, 1), -1);
			cr_expect_eq(make_of_file(payload, n, NULL, 2), -1);
			for (int how = 3; how <= 4; how++) {
				cr_assert_eq(make_of_file(payload, n, NULL, how), 0);
				cr_expect_gt(size, n, "as it is");
				cr_assert_eq(blob_head_alone(&head, value, size, STORE_RESULT, &key,
				                             MAX_ENTRY, NULL), BLOB_OK);
				cr_expect_eq(open_whole(&e), BLOB_OK);
			}
		}
}

Test(blob_file, signatures_are_needed_where_trust_is)
{
	struct trust other = {.count = 1};
	struct entry e;

	trust_pair();
	make("payload", 7, NULL);
	cr_expect_eq(read_head(&reader), BLOB_UNSIGNED);
	cr_expect_eq(open_all(&e, NULL), BLOB_OK);
	make("payload", 7, &writer);
	cr_expect_eq(read_head(&reader), BLOB_OK);
	cr_expect_eq(read_head(&other), BLOB_UNSIGNED, "of a key that is not trusted");
	/* The flag says "not signed", but the signature is still there. */
	put(12, 0, 4);
	cr_expect_eq(read_head(&reader), BLOB_DAMAGED);
	memset(value + 104, 0, BLOB_HEAD - 104);
	cr_expect_eq(read_head(&reader), BLOB_UNSIGNED);
}

/* A good signature under a key or class for which it was not made. */
Test(blob_file, a_signature_serves_one_key_and_class)
{
	struct digest other;

	trust_pair();
	make("payload", 7, &writer);
	put(8, STORE_MANIFEST, 4);
	cr_expect_eq(blob_head_read(&head, value, size, STORE_MANIFEST, &key, MAX_ENTRY, &reader),
	             BLOB_FORGED);
	put(8, STORE_RESULT, 4);
	digest_of(&other, "another", 7);
	memcpy(value + 40, other.b, DIGEST_SIZE);
	cr_expect_eq(blob_head_read(&head, value, size, STORE_RESULT, &other, MAX_ENTRY, &reader),
	             BLOB_FORGED);
}

Test(blob_file, weak_digests_are_not_signed)
{
	struct trust t;

	trust_pair();
	t = writer;
	digest_use(DIGEST_XXH3);
	make("payload", 7, NULL);
	cr_expect_eq(blob_make(value, &(const unsigned char *){0}, &(size_t){0}, STORE_RESULT, &key,
	                       "x", 1, &t, &arena, &fault), -1);
	put(12, 2, 4);
	cr_expect_eq(read_head(&reader), BLOB_DAMAGED);
}
