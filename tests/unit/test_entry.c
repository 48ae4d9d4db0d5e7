/* Entries: sealed and parsed, each kind of damage, odd files in an entry's place. */
#include "store_fixture.h"

TestSuite(entry, .init = fixture_start, .fini = fixture_stop);

static unsigned char bytes[512];
static size_t size;
static struct digest key;

static void seal(const char *payload)
{
	key = key_of("entry");
	size = ENTRY_HEAD + strlen(payload) + ENTRY_TAIL;
	memcpy(bytes + ENTRY_HEAD, payload, strlen(payload));
	entry_seal(bytes, bytes + size - ENTRY_TAIL, STORE_RESULT, &key,
	           &(struct tmp_part){payload, strlen(payload)}, 1);
}

Test(entry, round_trip)
{
	struct entry e;

	seal("some payload");
	cr_expect_eq(entry_parse(&e, bytes, size, STORE_RESULT, &key), ENTRY_OK);
	cr_expect_eq(e.class, STORE_RESULT);
	cr_expect(digest_equal(&e.key, &key));
	cr_expect_eq(e.len, 12);
	cr_expect_eq(memcmp(e.payload, "some payload", 12), 0);
	cr_expect_eq(entry_parse(&e, bytes, size, STORE_RESULT, NULL), ENTRY_OK);
	seal("");
	cr_expect_eq(entry_parse(&e, bytes, size, STORE_RESULT, &key), ENTRY_OK);
	cr_expect_eq(e.len, 0);
}

Test(entry, every_flipped_bit_is_seen)
{
	struct entry e;

	seal("the payload that must not change");
	for (size_t at = 0; at < size; at++)
		for (int bit = 0; bit < 8; bit++) {
			bytes[at] ^= 1 << bit;
			enum entry_status st = entry_parse(&e, bytes, size, STORE_RESULT, &key);
			/* Another number reads as another version, all else as damage. */
			enum entry_status want = at == 3 && bytes[3] > 0 ? ENTRY_ABSENT : ENTRY_BAD;
			cr_expect_eq(st, want, "byte %zu bit %d: %d", at, bit, st);
			bytes[at] ^= 1 << bit;
		}
}

Test(entry, every_other_length_is_seen)
{
	struct entry e;

	seal("payload");
	for (size_t n = 0; n < size; n++)
		cr_expect_eq(entry_parse(&e, bytes, n, STORE_RESULT, &key), ENTRY_BAD, "%zu", n);
	cr_expect_eq(entry_parse(&e, bytes, size + 1, STORE_RESULT, &key), ENTRY_BAD);
}

Test(entry, of_another_key_or_class)
{
	struct digest other = key_of("other");
	struct entry e;

	seal("payload");
	cr_expect_eq(entry_parse(&e, bytes, size, STORE_RESULT, &other), ENTRY_BAD);
	cr_expect_eq(entry_parse(&e, bytes, size, STORE_MANIFEST, &key), ENTRY_BAD);
}

Test(entry, another_version_is_absent_even_when_short)
{
	struct entry e;

	cr_expect_eq(entry_parse(&e, "RPE\5", 4, STORE_RESULT, &key), ENTRY_ABSENT);
	cr_expect_eq(entry_parse(&e, "RPE\1", 4, STORE_RESULT, &key), ENTRY_ABSENT);
	cr_expect_eq(entry_parse(&e, "RPE\0", 4, STORE_RESULT, &key), ENTRY_BAD);
	cr_expect_eq(entry_parse(&e, "RPX\3", 4, STORE_RESULT, &key), ENTRY_BAD);
	cr_expect_eq(entry_parse(&e, "", 0, STORE_RESULT, &key), ENTRY_BAD);
}

static enum entry_status read_path(const char *name)
{
	struct entry e;

	return entry_read(&e, in_root(name), STORE_RESULT, &key, ENTRY_MAPS, &arena, &fault);
}

Test(entry, odd_files_in_its_place)
{
	seal("payload");
	cr_expect_eq(read_path("none"), ENTRY_ABSENT);
	write_file(in_root("file"), bytes, size);
	cr_expect_eq(read_path("file"), ENTRY_OK);
	cr_expect_eq(read_path("file/below"), ENTRY_ABSENT);
	cr_assert_eq(symlink("file", in_root("link")), 0);
	cr_expect_eq(read_path("link"), ENTRY_BAD);
	cr_assert_eq(mkfifo(in_root("fifo"), 0600), 0);
	cr_expect_eq(read_path("fifo"), ENTRY_BAD);
	cr_assert_eq(mkdir(in_root("dir"), 0700), 0);
	cr_expect_eq(read_path("dir"), ENTRY_BAD);
	write_file(in_root("empty"), "", 0);
	cr_expect_eq(read_path("empty"), ENTRY_BAD);
}

Test(entry, a_huge_foreign_file_is_not_read)
{
	seal("payload");
	write_file(in_root("huge"), "RPE\4", 4);
	cr_assert_eq(truncate(in_root("huge"), 3ll << 30), 0);
	cr_expect_eq(read_path("huge"), ENTRY_BAD);
	write_file(in_root("huge"), "RPE\5", 4);
	cr_assert_eq(truncate(in_root("huge"), 3ll << 30), 0);
	cr_expect_eq(read_path("huge"), ENTRY_ABSENT);
}

Test(entry, a_large_one_is_read_whole)
{
	static unsigned char payload[3 << 20];
	struct entry e;

	for (size_t i = 0; i < sizeof payload; i++)
		payload[i] = (unsigned char)(i * 7 + i / 253);
	key = key_of("large");
	cr_assert_eq(store_put(&store, STORE_RESULT, &key, 0, payload, sizeof payload, &fault), 0);
	cr_assert_eq(store_get(&store, STORE_RESULT, &key, 0, &e, &arena, &fault), ENTRY_OK);
	cr_expect_eq(e.len, sizeof payload);
	cr_expect_eq(memcmp(e.payload, payload, sizeof payload), 0);
	cr_expect(digest_equal(&e.key, &key));
	/* Patched in memory, not in the store. */
	memset((unsigned char *)e.payload, 0, sizeof payload);
	cr_assert_eq(store_get(&store, STORE_RESULT, &key, 0, &e, &arena, &fault), ENTRY_OK);
	cr_expect_eq(memcmp(e.payload, payload, sizeof payload), 0);
}

static void change_byte(const char *path, off_t at)
{
	int fd = open(path, O_RDWR);
	unsigned char b;

	cr_assert_eq(pread(fd, &b, 1, at), 1);
	b ^= 1;
	cr_assert_eq(pwrite(fd, &b, 1, at), 1);
	close(fd);
}

Test(entry, a_large_one_that_was_just_checked_is_not_digested)
{
	static unsigned char payload[200000];
	char path[PATH_SIZE];
	struct entry e;

	key = key_of("checked");
	cr_assert_eq(store_put(&store, STORE_RESULT, &key, 0, payload, sizeof payload, &fault), 0);
	store_path(path, sizeof path, store.dir, STORE_RESULT, &key, 0);
	change_byte(path, 100000);
	cr_expect_eq(entry_read(&e, path, STORE_RESULT, &key, ENTRY_MAPS, &arena, &fault),
	             ENTRY_BAD);
	cr_assert_eq(entry_read(&e, path, STORE_RESULT, &key, ENTRY_MAPS_CHECKED, &arena, &fault),
	             ENTRY_OK);
	cr_expect_eq(e.len, sizeof payload);
	change_byte(path, 20); /* in the key */
	cr_expect_eq(entry_read(&e, path, STORE_RESULT, &key, ENTRY_MAPS_CHECKED, &arena, &fault),
	             ENTRY_BAD);
}

static int read_as_nobody(void *path)
{
	struct entry e;

	if (geteuid() == 0 && setuid(65534) < 0)
		return 99;
	fault = (struct fault){0};
	return entry_read(&e, path, STORE_RESULT, &key, ENTRY_MAPS, &arena, &fault) ==
	       ENTRY_FAULT &&
	       fault.code == EACCES && strstr(fault.text, "secret") ? 0 : 1;
}

Test(entry, one_that_may_not_be_read_is_a_fault)
{
	seal("payload");
	write_file(in_root("secret"), bytes, size);
	cr_assert_eq(chmod(in_root("secret"), 0), 0);
	cr_expect_eq(in_child(read_as_nobody, (void *)in_root("secret")), 0);
}

/* From a process with trust: the check is another one. The key tells it, and both kinds of reader
 * accept it. */
Test(entry, of_the_other_digest)
{
	struct digest strong;
	struct entry e;

	digest_of_as(DIGEST_BLAKE2B, &strong, "entry", 5);
	seal("payload");
	size = ENTRY_HEAD + 7 + ENTRY_TAIL;
	entry_seal(bytes, bytes + size - ENTRY_TAIL, STORE_RESULT, &strong,
	           &(struct tmp_part){"payload", 7}, 1);
	memcpy(bytes + ENTRY_HEAD, "payload", 7);
	for (int algorithm = DIGEST_XXH3; algorithm <= DIGEST_BLAKE2B; algorithm++) {
		digest_use(algorithm);
		cr_expect_eq(entry_parse(&e, bytes, size, STORE_RESULT, NULL), ENTRY_OK);
		cr_expect_eq(entry_parse(&e, bytes, size, STORE_RESULT, &strong), ENTRY_OK);
		bytes[ENTRY_HEAD] ^= 1;
		cr_expect_eq(entry_parse(&e, bytes, size, STORE_RESULT, NULL), ENTRY_BAD);
		bytes[ENTRY_HEAD] ^= 1;
	}
	struct digest check;
	digest_of_as(DIGEST_XXH3, &check, bytes, size - ENTRY_TAIL);
	memcpy(bytes + size - ENTRY_TAIL, check.b, ENTRY_TAIL);
	cr_expect_eq(entry_parse(&e, bytes, size, STORE_RESULT, NULL), ENTRY_BAD,
	             "the weaker check will not do");
}

/* An entry of the other digest is neither found nor removed. */
Test(entry, two_kinds_of_process_share_a_store)
{
	struct digest weak = key_of("shared"), strong;
	struct entry e;

	cr_assert_eq(store_put(&store, STORE_RESULT, &weak, 0, "weak", 4, &fault), 0);
	digest_use(DIGEST_BLAKE2B);
	open_store(&store, NULL);
	strong = key_of("shared");
	cr_expect_eq(store_get(&store, STORE_RESULT, &strong, 0, &e, &arena, &fault), ENTRY_ABSENT);
	cr_assert_eq(store_put(&store, STORE_RESULT, &strong, 0, "strong", 6, &fault), 0);
	cr_expect_eq(store_get(&store, STORE_RESULT, &strong, 0, &e, &arena, &fault), ENTRY_OK);
	digest_use(DIGEST_XXH3);
	cr_expect_eq(store_get(&store, STORE_RESULT, &weak, 0, &e, &arena, &fault), ENTRY_OK);
	cr_expect_eq(memcmp(e.payload, "weak", 4), 0);
	cr_expect_eq(counted(COUNTER_CORRUPT), 0);
	cr_expect_gt(counted(COUNTER_STORED_BYTES), 2 * (ENTRY_HEAD + ENTRY_TAIL),
	             "both counted in one place");
}

/* tests/data/entry-v<version>.bin: the table above entry.c, as bytes. */
Test(entry, specimen)
{
	unsigned char file[512];
	char path[64];
	size_t n;
	struct entry e;

	snprintf(path, sizeof path, "tests/data/entry-v%d.bin", ENTRY_VERSION);
	n = read_whole(path, file, sizeof file);
	key = key_of("specimen");
	cr_assert_eq(n, 48 + 7 + 32);
	cr_expect_eq(memcmp(file, "RPE", 3), 0);
	cr_expect_eq(file[3], ENTRY_VERSION);
	cr_expect_eq(memcmp(file + 4, "\2\0\0\0\7\0\0\0\0\0\0\0", 12), 0);
	cr_expect_eq(memcmp(file + 16, key.b, 32), 0);
	cr_expect_eq(memcmp(file + 48, "payload", 7), 0);
	cr_expect_eq(entry_parse(&e, file, n, STORE_RESULT, &key), ENTRY_OK);
	seal("payload");
	key = key_of("specimen");
	entry_seal(bytes, bytes + size - ENTRY_TAIL, STORE_RESULT, &key,
	           &(struct tmp_part){"payload", 7}, 1);
	cr_expect_eq(size, n);
	cr_expect_eq(memcmp(bytes, file, n), 0, "the writer makes other bytes");
}
