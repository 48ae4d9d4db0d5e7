/* tests/unit/test_slots.c - tables of records that processes write without a lock. */
#include "store_fixture.h"

#include "store/shared_page.h"

TestSuite(slots, .init = fixture_start, .fini = fixture_stop);

struct record {
	uint64_t a, b, c;
};

Test(slots, what_was_put_is_got)
{
	struct record in = {1, 2, 3}, out = {0};
	int fd = slots_open(store.runtime_dir, "table");

	cr_assert_gt(fd, 2, "above the standard streams");
	cr_expect_eq(slots_get(fd, 5, &out, sizeof out), 0, "nothing was put there");
	slots_put(fd, 5, &in, sizeof in);
	cr_expect_eq(slots_get(fd, 5, &out, sizeof out), 1);
	cr_expect_eq(memcmp(&in, &out, sizeof in), 0);
	cr_expect_eq(slots_get(fd, 4, &out, sizeof out), 0, "a hole");
	cr_expect_eq(slots_get(fd, 6, &out, sizeof out), 0, "behind the end");
	close(fd);
}

/* Each byte of a slot. */
Test(slots, a_torn_slot_is_absent)
{
	struct record in = {1, 2, 3}, out;
	int fd = slots_open(store.runtime_dir, "table");

	for (off_t at = 0; at < (off_t)SLOTS_SIZE(struct record); at++) {
		unsigned char byte;

		slots_put(fd, 1, &in, sizeof in);
		at += SLOTS_SIZE(struct record);
		cr_assert_eq(pread(fd, &byte, 1, at), 1);
		byte ^= 0x40;
		cr_assert_eq(pwrite(fd, &byte, 1, at), 1);
		at -= SLOTS_SIZE(struct record);
		cr_expect_eq(slots_get(fd, 1, &out, sizeof out), 0, "byte %ld", (long)at);
	}
	close(fd);
}

static struct digest key_at(uint32_t v)
{
	struct digest d = {{0}};

	memcpy(d.b + 8, &v, sizeof v);
	return d;
}

Test(slots, a_key_chooses_its_slot)
{
	struct digest d = key_at(4099);

	cr_expect_eq(slots_of(&d, 4096), 3);
	d = key_at(7);
	cr_expect_eq(slots_of(&d, 4096), 7);
}

Test(slots, no_directory_and_no_room)
{
	char large[SLOTS_RECORD_MAX + 1] = "";
	int fd = slots_open(store.runtime_dir, "table");

	cr_expect_lt(slots_open(NULL, "table"), 0);
	cr_expect_lt(slots_open("/nowhere/at/all", "table"), 0);
	slots_put(fd, 0, large, sizeof large);
	cr_expect_eq(slots_get(fd, 0, large, sizeof large), 0);
	close(fd);
}

static int try_lock(void *path)
{
	int fd = slots_open(path, "table");
	int rc = slots_lock(fd, 32, 32, F_WRLCK);

	close(fd);
	return rc == 0 ? 0 : rc == -EAGAIN ? 1 : 2;
}

Test(slots, one_holds_a_range)
{
	int fd = slots_open(store.runtime_dir, "table");

	cr_assert_eq(slots_lock(fd, 32, 32, F_WRLCK), 0);
	cr_expect_eq(in_child(try_lock, (void *)store.runtime_dir), 1);
	cr_assert_eq(slots_lock(fd, 32, 32, F_UNLCK), 0);
	cr_expect_eq(in_child(try_lock, (void *)store.runtime_dir), 0);
	close(fd);
}
