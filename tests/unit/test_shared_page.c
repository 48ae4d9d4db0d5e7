/* Shared pages: one that is opened again, and files that are another one meanwhile. */
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/shared_page.h"
#include "store_fixture.h"

#define BYTES 4096
#define MAGIC 0x1234

TestSuite(shared_page, .init = fixture_start, .fini = fixture_stop);

static int made;

static int64_t *page_open(const char *name)
{
	int64_t *page = shared_page_open(root, name, BYTES, MAGIC, &made);

	cr_assert(page);
	return page;
}

Test(shared_page, the_page_that_was_closed_last_is_used_again)
{
	int64_t *page = page_open("page"), *again;

	cr_expect(made);
	page[1] = 7;
	shared_page_close(page, BYTES);
	again = page_open("page");
	cr_expect_eq(again, page, "mapped anew");
	cr_expect(!made);
	cr_expect_eq(again[1], 7);
	shared_page_close(again, BYTES);
}

Test(shared_page, two_that_are_open_do_not_mix)
{
	int64_t *a = page_open("a"), *b = page_open("b"), *c = page_open("a");

	a[1] = 1;
	b[1] = 2;
	cr_expect_neq(a, c);
	cr_expect_eq(c[1], 1);
	shared_page_close(c, BYTES);
	shared_page_close(b, BYTES);
	cr_expect_eq(a[1], 1, "still mapped");
	shared_page_close(a, BYTES);
	b = page_open("b");
	cr_expect_eq(b[1], 2, "the file named, not the page kept");
	shared_page_close(b, BYTES);
}

Test(shared_page, a_file_in_its_place_is_another_page)
{
	int64_t *page = page_open("page");

	page[1] = 7;
	shared_page_close(page, BYTES);
	cr_assert_eq(unlink(in_root("page")), 0);
	page = page_open("page");
	cr_expect(made, "removed");
	cr_expect_eq(page[1], 0);
	page[1] = 8;
	shared_page_close(page, BYTES);
	cr_assert_eq(rename(in_root("page"), in_root("old")), 0);
	shell("cd '%s' && cp old page", root);
	page = page_open("page");
	page[1] = 9;
	shared_page_close(page, BYTES);
	page = page_open("old");
	cr_expect_eq(page[1], 8, "written through the mapping of the old name");
	shared_page_close(page, BYTES);
}

Test(shared_page, a_file_that_lost_its_bytes_gets_them_back)
{
	int64_t *page = page_open("page");

	shared_page_close(page, BYTES);
	cr_assert_eq(truncate(in_root("page"), 0), 0);
	page = page_open("page"); /* a page beyond the file's end would be SIGBUS */
	cr_expect(made);
	cr_expect_eq(page[1], 0);
	shared_page_close(page, BYTES);
}

Test(shared_page, a_damaged_page_is_replaced)
{
	int64_t *page = page_open("page");

	page[0] = MAGIC + 1;
	page[1] = 7;
	shared_page_close(page, BYTES);
	page = page_open("page");
	cr_expect(made);
	cr_expect_eq(page[1], 0);
	shared_page_close(page, BYTES);
}

static void *add(void *arg)
{
	for (int i = 0; i < 2000; i++) {
		int new;
		int64_t *page = shared_page_open(root, "page", BYTES, MAGIC, &new);

		if (!page)
			return arg;
		__atomic_add_fetch(page + 1, 1, __ATOMIC_RELAXED);
		shared_page_close(page, BYTES);
	}
	return NULL;
}

Test(shared_page, threads_that_open_and_close_lose_nothing)
{
	pthread_t thread[4];
	int64_t *page;
	void *failed;

	for (int i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, add, thread), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], &failed);
		cr_expect_null(failed);
	}
	page = page_open("page");
	cr_expect_eq(page[1], 8000);
	shared_page_close(page, BYTES);
}
