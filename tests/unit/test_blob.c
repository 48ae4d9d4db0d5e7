/* Blobs: made and opened, each kind of damage, wrong lengths. */
#include "blob_fixture.h"

TestSuite(blob);

static void round_trip(const void *payload, size_t n, const struct trust *t, int packed)
{
	struct entry e;

	make(payload, n, t);
	cr_assert_eq(open_all(&e, t), BLOB_OK, "%zu", n);
	cr_expect_eq(e.len, n);
	cr_expect(n == 0 || memcmp(e.payload, payload, n) == 0);
	cr_expect_eq(head.entry_len, n + ENTRY_HEAD + ENTRY_TAIL);
	cr_expect_eq(head.stored, size - BLOB_HEAD);
	cr_expect_eq(head.parts, 1);
	cr_expect_eq(head.flags & 1, (unsigned)packed, "%zu", n);
}

Test(blob, round_trips)
{
	static const char text[100000];

	round_trip("", 0, NULL, 0);
	round_trip("some payload", 12, NULL, 0);
	round_trip(text, 8191 - ENTRY_HEAD - ENTRY_TAIL, NULL, 0);
	round_trip(text, 8192 - ENTRY_HEAD - ENTRY_TAIL, NULL, 1);
	round_trip(text, sizeof text, NULL, 1);
	cr_expect_lt(size, 1000);
	round_trip(noise(100000), 100000, NULL, 0);
}

Test(blob, signed_round_trips)
{
	static const char text[100000];

	trust_pair();
	round_trip("some payload", 12, &writer, 0);
	round_trip(text, sizeof text, &writer, 1);
	cr_expect_eq(read_head(&reader), BLOB_OK);
	cr_expect_eq(read_head(NULL), BLOB_OK, "who trusts nobody needs no signature");
}

Test(blob, every_flipped_bit_is_seen)
{
	struct entry e;

	trust_pair();
	for (int is_signed = 0; is_signed < 2; is_signed++) {
		make("the payload that must not change", 32, is_signed ? &writer : NULL);
		for (size_t at = 0; at < size; at++)
			for (int bit = 0; bit < 8; bit++) {
				value[at] ^= 1 << bit;
				enum blob_status st = open_all(&e, is_signed ? &reader : NULL);
				cr_expect_neq(st, BLOB_OK, "byte %zu bit %d", at, bit);
				if (at < 7)
					cr_expect_eq(st, BLOB_DAMAGED);
				if (at == 7)
					cr_expect_eq(st, value[7] ? BLOB_NEWER : BLOB_DAMAGED);
				if (is_signed && at >= 104 && at < 136)
					cr_expect_eq(st, BLOB_UNSIGNED, "an unknown key");
				if (is_signed && at >= 136 && at < BLOB_HEAD)
					cr_expect_eq(st, BLOB_FORGED);
				if (is_signed && at >= 72 && at < 104)
					cr_expect_eq(st, BLOB_FORGED, "the digest is signed");
				value[at] ^= 1 << bit;
			}
		cr_expect_eq(open_all(&e, is_signed ? &reader : NULL), BLOB_OK);
	}
}

Test(blob, every_other_length_is_seen)
{
	size_t whole;

	make("payload", 7, NULL);
	whole = size;
	for (size = 0; size < whole; size++)
		cr_expect_eq(read_head(NULL), BLOB_DAMAGED, "%zu", size);
	for (size = whole + 1; size < whole + 60; size++)
		cr_expect_eq(read_head(NULL), BLOB_DAMAGED, "%zu", size);
}

Test(blob, of_another_key_or_class)
{
	struct digest other;

	make("payload", 7, NULL);
	digest_of(&other, "another", 7);
	cr_expect_eq(blob_head_read(&head, value, size, STORE_RESULT, &other, MAX_ENTRY, NULL),
	             BLOB_DAMAGED);
	cr_expect_eq(blob_head_read(&head, value, size, STORE_MANIFEST, &key, MAX_ENTRY, NULL),
	             BLOB_DAMAGED);
}

/* The head has one key and the entry inside another key. The writer can make a right digest. */
Test(blob, the_entry_inside_is_of_the_same_key)
{
	struct digest mine;
	struct entry e;

	make("payload", 7, NULL);
	digest_of(&mine, "mine", 4);
	memcpy(value + 40, mine.b, DIGEST_SIZE);
	key = mine;
	cr_expect_eq(read_head(NULL), BLOB_OK);
	cr_expect_eq(open_all(&e, NULL), BLOB_DAMAGED);
}

Test(blob, lies_about_lengths)
{
	static const char text[20000];
	struct entry e;
	size_t entry_len;

	make(text, sizeof text, NULL);
	entry_len = head.entry_len = sizeof text + ENTRY_HEAD + ENTRY_TAIL;
	cr_assert_eq(open_all(&e, NULL), BLOB_OK);
	/* More or less than the frame holds. */
	for (int by = -1; by <= 1; by += 2) {
		put(16, entry_len + (size_t)by, 8);
		cr_expect_eq(open_all(&e, NULL), BLOB_DAMAGED);
	}
	put(16, MAX_ENTRY + 1, 8);
	cr_expect_eq(read_head(NULL), BLOB_TOO_LARGE);
	put(16, UINT64_MAX, 8);
	cr_expect_eq(read_head(NULL), BLOB_TOO_LARGE);
	put(16, ENTRY_HEAD + ENTRY_TAIL - 1, 8);
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED);
	put(16, 0, 8);
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED);
	put(16, entry_len, 8);
	/* Stored without packing. */
	put(24, entry_len, 8);
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED, "a frame as long as what it holds");
	put(24, 0, 8);
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED);
	put(24, UINT64_MAX, 8);
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED);
	put(24, size - BLOB_HEAD, 8);
	cr_expect_eq(open_all(&e, NULL), BLOB_OK);
	put(12, 1 | 4, 4);
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED, "a flag nobody knows");
	put(12, 0, 4);
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED, "no frame, and not as long as the entry");
	put(12, 1, 4);
	value[32] = 1;
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED, "a part name where there are no parts");
	value[32] = 0;
	/* Look-ups of two keys may have different limits. */
	cr_expect_eq(blob_head_read(&head, value, size, STORE_RESULT, &key, entry_len, NULL),
	             BLOB_OK);
	cr_expect_eq(blob_head_read(&head, value, size, STORE_RESULT, &key, entry_len - 1, NULL),
	             BLOB_TOO_LARGE);
}

/* A frame that would unpack to more than the head says takes no more memory than the head says. */
Test(blob, a_bomb)
{
	size_t n = 32u << 20;
	struct entry e;
	struct digest d;

	make(arena_alloc(&arena, n), n, NULL);
	cr_expect_lt(size, 10000);
	cr_expect_eq(blob_head_read(&head, value, size, STORE_RESULT, &key, 1 << 20, NULL),
	             BLOB_TOO_LARGE);
	put(16, 100000, 8);
	cr_assert_eq(read_head(NULL), BLOB_OK);
	digest_of(&d, value + BLOB_HEAD, size - BLOB_HEAD);
	cr_assert_eq(memcmp(value + 72, d.b, DIGEST_SIZE), 0);
	cr_expect_eq(open_all(&e, NULL), BLOB_DAMAGED);
}

Test(blob, in_parts)
{
	size_t n = 5 * (BLOB_PART / 2), all;
	unsigned char *payload = noise(n);
	uint64_t at = 0;
	struct entry e;

	make(payload, n, NULL);
	all = size;
	cr_assert_eq(read_head(NULL), BLOB_OK, "whole in one value");
	cr_expect_eq(head.parts, 1);
	cr_expect_eq(blob_part_len(&head, 0), all - BLOB_HEAD);
	size = BLOB_HEAD + BLOB_PART;
	cr_assert_eq(read_head(NULL), BLOB_OK);
	cr_assert_eq(head.parts, 3);
	for (unsigned i = 0; i < head.parts; i++)
		at += blob_part_len(&head, i);
	cr_expect_eq(at, head.stored);
	cr_expect_eq(blob_part_len(&head, 0), BLOB_PART);
	cr_expect_eq(blob_part_len(&head, 2), n + ENTRY_HEAD + ENTRY_TAIL - 2 * BLOB_PART);
	cr_expect_eq(open_whole(&e), BLOB_OK);
	cr_expect_eq(memcmp(e.payload, payload, n), 0);
	/* A part of another writer. */
	value[BLOB_HEAD + 2 * BLOB_PART] ^= 1;
	cr_expect_eq(open_whole(&e), BLOB_DAMAGED);
	size--;
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED);
	size = BLOB_HEAD + 2 * BLOB_PART;
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED);
	memset(value + 32, 0, 8);
	size = all;
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED, "without a part name");
}

/* Whoever gets the pieces may end it, as a full disk does. */
static int refuse(void *arg, const void *p, size_t n)
{
	(void)arg, (void)p, (void)n;
	return -ENOSPC;
}

Test(blob, pieces_that_cannot_be_kept)
{
	static const char text[20000];
	struct blob_stream s;

	for (int packed = 0; packed < 2; packed++) {
		make(packed ? (const void *)text : noise(sizeof text), sizeof text, NULL);
		cr_assert_eq(read_head(NULL), BLOB_OK);
		cr_assert_eq(head.flags & 1, (unsigned)packed);
		blob_stream_begin(&s, &head, value, STORE_RESULT, &key, refuse, NULL, &arena);
		cr_expect_eq(blob_stream_add(&s, value + BLOB_HEAD, head.stored), -ENOSPC);
	}
}

Test(blob, pieces_that_are_too_few)
{
	struct taken t = {NULL, 0};
	struct blob_stream s;

	make(noise(20000), 20000, NULL);
	cr_assert_eq(read_head(NULL), BLOB_OK);
	blob_stream_begin(&s, &head, value, STORE_RESULT, &key, take, &t, &arena);
	cr_expect_eq(blob_stream_add(&s, value + BLOB_HEAD, head.stored - 1), 0);
	cr_expect_eq(blob_stream_end(&s), BLOB_DAMAGED);
}

Test(blob, names_of_parts_differ)
{
	unsigned char first[BLOB_PART_NAME];
	unsigned char *payload = noise(2 * BLOB_PART);

	make(payload, 2 * BLOB_PART, NULL);
	memcpy(first, value + 32, sizeof first);
	make(payload, 2 * BLOB_PART, NULL);
	cr_expect_neq(memcmp(first, value + 32, sizeof first), 0);
}

Test(blob, a_newer_one_is_told_from_damage)
{
	make("payload", 7, NULL);
	value[7] = 2;
	for (size_t n = 8; n <= size; n++)
		cr_expect_eq(blob_head_read(&head, value, n, STORE_RESULT, &key, MAX_ENTRY, NULL),
		             BLOB_NEWER);
	value[7] = 0;
	cr_expect_eq(read_head(NULL), BLOB_DAMAGED);
	make("payload", 7, NULL);
	value[BLOB_HEAD + 3] = 9; /* a newer entry in it */
	struct digest d;
	struct entry e;
	digest_of(&d, value + BLOB_HEAD, size - BLOB_HEAD);
	memcpy(value + 72, d.b, DIGEST_SIZE);
	cr_expect_eq(open_all(&e, NULL), BLOB_NEWER);
}

/* tests/data/blob-v1.bin: the table above blob.c, as bytes. */
Test(blob, specimen)
{
	static const unsigned char public[] = {0x3d, 0x40, 0x17, 0xc3};
	static unsigned char file[1024];
	unsigned char made[BLOB_HEAD];
	const unsigned char *stored;
	char env[64];
	struct settings set;
	struct entry e;
	size_t stored_len;
	int fd = open("tests/data/blob-v1.bin", O_RDONLY);

	size = (size_t)read(fd, file, sizeof file);
	close(fd);
	cr_assert_eq(size, 200 + 48 + 7 + 32);
	value = file;
	digest_use(DIGEST_BLAKE2B);
	digest_of(&key, "specimen", 8);
	snprintf(env, sizeof env, "REPRISE_TRUST=PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw");
	settings_defaults(&set);
	settings_merge_env(&set, (char *[]){env, NULL}, &arena);
	cr_assert_eq(trust_load(&reader, &set, &arena, &fault), 0);
	cr_expect_eq(memcmp(
		file,
		"RPRBLOB\1\2\0\0\0\2\0\0\0\127\0\0\0\0\0\0\0\127\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
		40), 0);
	cr_expect_eq(memcmp(file + 40, key.b, 32), 0);
	cr_expect_eq(memcmp(file + 104, public, 4), 0);
	cr_assert_eq(open_all(&e, &reader), BLOB_OK);
	cr_expect_eq(e.len, 7);
	cr_expect_eq(memcmp(e.payload, "payload", 7), 0);
	/* Ed25519 gives one signature for a message: the writer's bytes are these. */
	scratch_make();
	scratch_write("key", "reprise-secret-1 TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs\n");
	chmod(scratch("key"), 0600);
	static char path[256];
	snprintf(path, sizeof path, "REPRISE_SIGN_KEY=%s", scratch("key"));
	settings_defaults(&set);
	settings_merge_env(&set, (char *[]){path, NULL}, &arena);
	cr_assert_eq(trust_load(&writer, &set, &arena, &fault), 0, "%s", fault.text);
	scratch_remove();
	cr_assert_eq(blob_make(made, &stored, &stored_len, STORE_RESULT, &key, "payload", 7,
	                       &writer, &arena, &fault), 0);
	cr_expect_eq(memcmp(made, file, BLOB_HEAD), 0,
	             "the writer makes other bytes than version 1 has");
	cr_assert_eq(stored_len, size - BLOB_HEAD);
	cr_expect_eq(memcmp(stored, file + BLOB_HEAD, stored_len), 0);
}
