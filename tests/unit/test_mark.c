/* Marks in names of graphs, and directory streams that leave some of them out. */
#include "store_fixture.h"

#include "units/listing.h"
#include "units/mark.h"

TestSuite(mark, .init = fixture_start, .fini = fixture_stop);

#define NAME "abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs"

Test(mark, of_a_scope)
{
	uint64_t zero = mark_of("world=2 rank=0 isa=1"), one = mark_of("world=2 rank=1 isa=1");

	cr_expect_neq(zero, one);
	cr_expect_gt(zero, MARK_NONE);
	cr_expect_eq(zero, mark_of("world=2 rank=0 isa=1"));
}

Test(mark, a_name_is_its_ranks_alone)
{
	uint64_t mark = 0x0123456789abcdefull;
	const char *name = mark_name(mark, NAME, &arena);

	cr_expect_str_eq(name, "0reprise-0123456789abcdef-" NAME);
	cr_expect(!mark_is_of_other(name, mark));
	cr_expect(mark_is_of_other(name, mark + 1));
	cr_expect(mark_is_of_other(name, MARK_NONE));
	cr_expect_lt(strcmp(name, "2"), 0, "it comes before all names of the framework");
}

Test(mark, a_damaged_mark_is_another_ones)
{
	static const char *const damaged[] = {
		"0reprise-", "0reprise-0123456789abcdef", "0reprise-0123456789abcdef-",
		"0reprise-0123456789abcde-" NAME, "0reprise-0123456789abcdef0" NAME,
		"0reprise-0123456789ABCDEF-" NAME, "0reprise-0000000000000001-" NAME};

	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		cr_expect(mark_is_of_other(damaged[i], 0x0123456789abcdefull), "%s", damaged[i]);
		cr_expect(mark_is_of_other(damaged[i], MARK_NONE), "%s", damaged[i]);
	}
}

Test(mark, names_without_one_are_everybodys)
{
	static const char *const plain[] = {NAME, "entry", ".", "..", "", "0", "0repris",
	                                    "reprise-0123456789abcdef-" NAME};

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		cr_expect(!mark_is_of_other(plain[i], MARK_NONE), "%s", plain[i]);
}

Test(mark, a_stream_leaves_out_what_bears_another_mark)
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

Test(mark, streams_of_high_descriptors_leave_out_rather_too_much)
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
