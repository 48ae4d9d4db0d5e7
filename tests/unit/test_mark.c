/* Marks in names of graphs. */
#include "store_fixture.h"

#include "units/find/listing.h"

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

Test(mark, a_damaged_mark_counts_as_that_of_another_rank)
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

Test(mark, names_without_one_belong_to_all_ranks)
{
	static const char *const plain[] = {NAME, "entry", ".", "..", "", "0", "0repris",
	                                    "reprise-0123456789abcdef-" NAME};

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		cr_expect(!mark_is_of_other(plain[i], MARK_NONE), "%s", plain[i]);
}
