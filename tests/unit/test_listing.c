/* Directory streams that leave out names with another mark. */
#include "store_fixture.h"

#include "units/find/listing.h"

TestSuite(listing, .init = fixture_start, .fini = fixture_stop);

#define NAME "abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs"

Test(listing, leaves_out_names_with_another_mark)
{
	uint64_t mine = mark_of("a"), other = mark_of("b");
	const char *name = mark_name(mine, NAME, &arena);

	listing_opened(7, 0);
	cr_expect_eq(listing_on, 0, "a process that lists no such directory");
	listing_opened(-1, mine);
	cr_expect_eq(listing_on, 0);
	listing_opened(7, mine);
	listing_opened(8, other);
	cr_expect_eq(listing_on, 1);
	cr_expect(!listing_leaves_out(7, name) && listing_leaves_out(8, name));
	cr_expect(!listing_leaves_out(8, NAME) && !listing_leaves_out(9, name));
	/* The descriptor is another stream's now. */
	listing_opened(8, 0);
	cr_expect(!listing_leaves_out(8, name));
	cr_expect(!listing_leaves_out(-1, name));
}

Test(listing, high_descriptors_leave_out_rather_too_much)
{
	uint64_t mine = mark_of("a");
	const char *name = mark_name(mine, NAME, &arena);

	cr_expect(!listing_leaves_out(70000, name));
	listing_opened(70000, mine);
	cr_expect(!listing_leaves_out(70000, name));
	listing_opened(80000, 0);
	cr_expect(listing_leaves_out(70000, mark_name(mark_of("b"), NAME, &arena)));
	listing_opened(90000, mark_of("b"));
	cr_expect(listing_leaves_out(70000, name) && listing_leaves_out(90000, name));
	cr_expect(!listing_leaves_out(70000, NAME));
}
