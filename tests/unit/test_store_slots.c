/* The slots of a key: the slot of a candidate, alone, among others, and without hard links. */
#include "store_key_fixture.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <utime.h>

TestSuite(store_slots, .init = fixture_start, .fini = fixture_stop);

/* The text behind the result digest in a slot, "" if it is empty. */
static const char *slot_text(int slot)
{
	static char text[64];

	text[0] = '\0';
	if (store_get(&store, STORE_MANIFEST, &key, slot, &e, &arena, &fault) == ENTRY_OK) {
		memcpy(text, e.payload + DIGEST_SIZE, e.len - DIGEST_SIZE);
		text[e.len - DIGEST_SIZE] = '\0';
	}
	return text;
}

Test(store_slots, candidates_fill_slots_in_order)
{
	key = key_of("k");
	cr_assert_eq(add(1, "a"), 0, "%s", fault.text);
	cr_assert_eq(add(2, "b"), 0);
	cr_assert_eq(add(3, "c"), 0);
	cr_expect_str_eq(slot_text(0), "a");
	cr_expect_str_eq(slot_text(1), "b");
	cr_expect_str_eq(slot_text(2), "c");
	cr_expect_str_eq(slot_text(3), "");
	/* The same result takes its own slot again. A gap is filled first. */
	cr_assert_eq(add(2, "b again"), 0);
	cr_expect_str_eq(slot_text(1), "b again");
	cr_expect_str_eq(slot_text(3), "");
	cr_assert_eq(unlink(path_of(STORE_MANIFEST, 0)), 0);
	cr_assert_eq(add(4, "d"), 0);
	cr_expect_str_eq(slot_text(0), "d");
	cr_expect_eq(files_below(in_root("cache/tmp")), 0);
}

Test(store_slots, the_least_recently_used_candidate_goes)
{
	key = key_of("k");
	for (int i = 0; i < STORE_SLOTS; i++) {
		struct utimbuf t = {0, 1500000000 + (i == 20 ? -1 : i)};

		cr_assert_eq(add(i, "old"), 0);
		cr_assert_eq(utime(path_of(STORE_MANIFEST, i), &t), 0);
	}
	cr_assert_eq(add(100, "first new"), 0);
	cr_expect_str_eq(slot_text(20), "first new");
	cr_assert_eq(add(101, "second new"), 0);
	cr_expect_str_eq(slot_text(0), "second new");
	cr_expect_str_eq(slot_text(20), "first new");
	cr_expect_eq(files_below(in_root("cache/manifest")), STORE_SLOTS);
}

static int add_some(int number)
{
	int first = 4 * number, bad = 0;

	for (int i = 0; i < 4; i++)
		bad |= add(first + i, "x");
	return bad != 0;
}

Test(store_slots, concurrent_candidates_all_stay)
{
	int seen[STORE_SLOTS] = {0};

	key = key_of("k");
	crowd_start(8, add_some);
	crowd_end();
	for (int slot = 0; slot < STORE_SLOTS; slot++) {
		cr_assert_eq(store_get(&store, STORE_MANIFEST, &key, slot, &e, &arena, &fault),
		             ENTRY_OK);
		for (int i = 0; i < STORE_SLOTS; i++) {
			char text[32];
			snprintf(text, sizeof text, "result %d", i);
			struct digest d = key_of(text);
			seen[i] += memcmp(d.b, e.payload, DIGEST_SIZE) == 0;
		}
	}
	for (int i = 0; i < STORE_SLOTS; i++)
		cr_expect_eq(seen[i], 1, "candidate %d is there %d times", i, seen[i]);
	cr_expect_eq(files_below(in_root("cache/tmp")), 0);
}

/* As on vfat: no hard links; with two, renameat2 knows no flags either. */
static int place_without_links(void *arg)
{
	int two = *(int *)arg;
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_linkat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[4])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, two ? SECCOMP_RET_ERRNO | EINVAL : SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof f / sizeof f[0], f};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 77;
	return add(1, "a") || add(2, "b") || add(1, "a again");
}

Test(store_slots, candidates_without_hard_links)
{
	for (int two = 0; two < 2; two++) {
		key = key_of(two ? "two" : "one");
		int rc = in_child(place_without_links, &two);
		if (rc == 77)
			cr_skip_test("no seccomp here");
		cr_assert_eq(rc, 0);
		cr_expect_str_eq(slot_text(0), "a again");
		cr_expect_str_eq(slot_text(1), "b");
		cr_expect_str_eq(slot_text(2), "");
		cr_expect_eq(files_below(in_root("cache/tmp")), 0);
	}
}
