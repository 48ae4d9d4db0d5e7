/* The inbox: only the file that was checked joins the local store. */
#include "store_fixture.h"

#include "store/inbox.h"

TestSuite(inbox, .init = fixture_start, .fini = fixture_stop);

static struct store inbox;
static struct digest key = {{7}};

/* Puts a result into the inbox, and reads it. */
static struct entry brought(const char *text)
{
	struct entry e;

	cr_assert_eq(inbox_open(&inbox, &store, &arena), 0);
	cr_assert_eq(store_put(&inbox, STORE_RESULT, &key, 0, text, strlen(text), &fault), 0);
	cr_assert_eq(store_get(&inbox, STORE_RESULT, &key, 0, &e, &arena, &fault), ENTRY_OK);
	return e;
}

static enum entry_status get(struct store *s)
{
	struct entry e;

	return store_get(s, STORE_RESULT, &key, 0, &e, &arena, &fault);
}

Test(inbox, a_result_that_was_read_is_accepted_once)
{
	struct entry e = brought("checked");

	cr_expect_eq(inbox_accept(&inbox, &store, &e), 0);
	cr_expect_eq(get(&store), ENTRY_OK);
	cr_expect_eq(get(&inbox), ENTRY_ABSENT);
	cr_expect_lt(inbox_accept(&inbox, &store, &e), 0);
}

Test(inbox, bytes_that_nobody_checked_are_not_accepted)
{
	struct entry e = brought("checked");

	brought("another");
	cr_expect_lt(inbox_accept(&inbox, &store, &e), 0);
	cr_expect_eq(get(&store), ENTRY_ABSENT);
	cr_expect_eq(get(&inbox), ENTRY_ABSENT, "it is brought again");
}

Test(inbox, the_agent_moves_what_it_put_there)
{
	brought("checked");
	cr_expect_eq(inbox_move(&inbox, &store, STORE_RESULT, &key), 0);
	cr_expect_eq(get(&store), ENTRY_OK);
	cr_expect_eq(get(&inbox), ENTRY_ABSENT);
	cr_expect_lt(inbox_move(&inbox, &store, STORE_RESULT, &key), 0);
	brought("again");
	store.writable = 0;
	cr_expect_lt(inbox_move(&inbox, &store, STORE_RESULT, &key), 0);
}

Test(inbox, a_sweep_meets_the_inboxes_of_all_remote_stores)
{
	brought("one");
	strcpy(store.remote, "0123456789abcdef");
	cr_expect_eq(inbox_open(&inbox, &store, &arena), 0);
	cr_expect_eq(get(&inbox), ENTRY_ABSENT, "what another remote store brought");
	brought("two");
	cr_expect_eq(inbox_sweep(&store, INBOX_KEEP_S, &arena), 0);
	cr_expect_eq(inbox_sweep(&store, INBOX_ALL, &arena), 2);
}
