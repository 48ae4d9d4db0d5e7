/* The absences that the processes of an agent share: short, and never more than a hint. */
#include "store_fixture.h"

#include "remote/remote_memory.h"
#include "shim/kernel/sys.h"

TestSuite(remote_memory, .init = fixture_start, .fini = fixture_stop);

static struct absent_keys *table(unsigned place)
{
	static struct remote_memory *memory;

	if (!memory)
		memory = remote_memory_make();
	cr_assert_not_null(memory);
	return &memory->of[place].absent;
}

static int note(void *key)
{
	absent_note(table(0), key);
	return 0;
}

Test(remote_memory, noted_known_forgotten)
{
	struct digest k = key_of("k"), l = key_of("l");

	cr_expect_not(absent_known(table(0), &k));
	in_child(note, &k);
	cr_expect(absent_known(table(0), &k), "of another process");
	cr_expect_not(absent_known(table(0), &l));
	cr_expect_not(absent_known(table(1), &k), "of another store");
	absent_forget(table(0), &k);
	cr_expect_not(absent_known(table(0), &k));
	absent_forget(table(0), &l);
}

Test(remote_memory, for_some_seconds)
{
	struct digest k = key_of("k");

	absent_note(table(0), &k);
	for (unsigned i = 0; i < ABSENT_SLOTS; i++)
		if (table(0)->slot[i].at)
			table(0)->slot[i].at -= (ABSENT_S - 1) * 1000000000ll;
	cr_expect(absent_known(table(0), &k));
	for (unsigned i = 0; i < ABSENT_SLOTS; i++)
		if (table(0)->slot[i].at)
			table(0)->slot[i].at -= 1000000000ll;
	cr_expect_not(absent_known(table(0), &k));
}

Test(remote_memory, many_keys)
{
	unsigned known = 0;
	char text[32];

	for (unsigned i = 0; i < 2000; i++) {
		snprintf(text, sizeof text, "key %u", i);
		struct digest k = key_of(text);
		if (i < 1000)
			absent_note(table(0), &k);
		else
			cr_expect_not(absent_known(table(0), &k), "%u was never noted", i);
	}
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(text, sizeof text, "key %u", i);
		struct digest k = key_of(text);
		known += (unsigned)absent_known(table(0), &k);
	}
	cr_expect_gt(known, 700);
}

/* A process that no agent forked has memory of its own. */
Test(remote_memory, without_an_agent)
{
	struct remote_memory *own = remote_memory_here(&arena), *other = remote_memory_here(&arena);

	cr_expect(own && other && own != other);
	remote_memory_use(own);
	cr_expect_eq(remote_memory_here(&arena), own);
}
