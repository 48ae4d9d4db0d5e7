/* Packing: round trips at once and in pieces, and damaged frames. */
#include "store_fixture.h"

#include <errno.h>

#include "shim/pack.h"

#define N 1000000u
/* Beyond level 3's window, so that the frame has one. */
#define FAR (20u << 20)

static unsigned char *data, *frame;
static size_t packed;

static void start(void)
{
	unsigned x = 1;

	fixture_start();
	data = arena_alloc(&arena, FAR);
	for (size_t i = 0; i < FAR; i++) {
		x = x * 1103515245 + 12345;
		data[i] = (unsigned char)(x >> 28);
	}
	frame = pack(data, N, 3, N, &packed, &arena);
	cr_assert_not_null(frame);
}

TestSuite(pack, .init = start, .fini = fixture_stop);

struct taken {
	unsigned char *to;
	size_t n, most, refuse_at;
};

static int take(void *arg, const void *p, size_t n)
{
	struct taken *t = arg;

	if (t->refuse_at && t->n >= t->refuse_at)
		return -ENOSPC;
	memcpy(t->to + t->n, p, n);
	t->n += n;
	t->most = n > t->most ? n : t->most;
	return 0;
}

static struct taken none(void)
{
	return (struct taken){.to = arena_alloc(&arena, FAR + (1u << 20))};
}

Test(pack, at_once_and_in_pieces)
{
	unsigned char *out = arena_alloc(&arena, N);
	struct taken t = none();

	cr_assert(pack_holds(frame, packed, N));
	cr_assert_eq(unpack(out, N, frame, packed, &arena), 0);
	cr_expect_eq(memcmp(out, data, N), 0);
	cr_assert_eq(unpack_to(take, &t, N, frame, packed, &arena), 0);
	cr_assert_eq(t.n, N);
	cr_expect_eq(memcmp(t.to, data, N), 0);
	cr_expect_lt(t.most, N / 2);
}

Test(pack, pieces_of_a_frame_with_a_window)
{
	struct taken t = none();
	unsigned char *large = pack(data, FAR, 3, FAR, &packed, &arena);

	cr_assert_not_null(large);
	cr_assert_eq(unpack_to(take, &t, FAR, large, packed, &arena), 0);
	cr_assert_eq(t.n, FAR);
	cr_expect_eq(memcmp(t.to, data, FAR), 0);
}

Test(pack, what_takes_them_may_end_it)
{
	struct taken t = none();

	t.refuse_at = 1;
	cr_expect_eq(unpack_to(take, &t, N, frame, packed, &arena), -ENOSPC);
}

Test(pack, cut_and_changed_and_another_length)
{
	struct taken t;

	for (size_t cut = 0; cut < packed; cut += 9973) {
		t = none();
		cr_assert_neq(unpack_to(take, &t, N, frame, cut, &arena), 0, "cut at %zu", cut);
		cr_assert_leq(t.n, N);
	}
	cr_expect_eq(unpack_to(take, &t, N + 1, frame, packed, &arena), -EBADMSG);
	frame[packed] = 0; /* pack's bound has room for it */
	t = none();
	cr_expect_eq(unpack_to(take, &t, N, frame, packed + 1, &arena), -EBADMSG);
	/* It never unpacks more than it says, whatever its bytes are. */
	for (size_t at = 0; at < packed; at += 10007) {
		t = none();
		frame[at] ^= 0x55;
		if (unpack_to(take, &t, N, frame, packed, &arena) == 0)
			cr_assert_eq(t.n, N);
		cr_assert_leq(t.n, N);
		frame[at] ^= 0x55;
	}
}

Test(pack, a_window_larger_than_memory_given)
{
	/* 8 bytes of size, a window of 16 MiB, one empty last block. */
	unsigned char wide[] = {0x28, 0xb5, 0x2f, 0xfd, 0xc0, 14 << 3, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0,
	                        0};
	struct taken t = none();

	cr_expect_eq(unpack_to(take, &t, 32u << 20, wide, sizeof wide, &arena), -EBADMSG);
	cr_expect_eq(t.n, 0);
}
