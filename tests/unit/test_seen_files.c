/* The files that a process looked at. Each is known by device and inode. Some room is kept for
 * sources. */
#include <criterion/criterion.h>

#include "units/shape/seen_files.h"

TestSuite(seen_files);

Test(seen_files, a_file_is_its_device_and_inode)
{
	cr_expect(!seen_files_have(5, 7), "nothing yet");
	seen_files_add("/p/net.py", 5, 7);
	seen_files_add("/q/net.py", 5, 7);
	cr_expect(seen_files_have(5, 7));
	cr_expect(!seen_files_have(5, 8) && !seen_files_have(6, 7) && !seen_files_have(7, 5));
	seen_files_add("/p/zero", 0, 0);
	cr_expect(seen_files_have(0, 0), "the digest 0 is no free slot");
}

/* As a data loader does, which asks for the size of each picture. */
Test(seen_files, data_leave_room_for_sources)
{
	for (unsigned i = 0; i < SEEN_FILES_SLOTS; i++)
		seen_files_add("/data/1.jpeg", 1, i);
	cr_expect(seen_files_have(1, 0) && !seen_files_have(1, SEEN_FILES_SLOTS - 1));
	seen_files_add("/p/late", 2, 1);
	seen_files_add("/p/.py", 2, 2);
	seen_files_add("/p/late.py", 2, 3);
	seen_files_add(".py", 2, 4);
	cr_expect(!seen_files_have(2, 1) && seen_files_have(2, 2) && seen_files_have(2, 3));
	cr_expect(!seen_files_have(2, 4), "no name before the ending");
}

Test(seen_files, a_full_set_takes_no_more)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 2 * SEEN_FILES_SLOTS; i++)
		seen_files_add("a.py", 1, i);
	for (unsigned i = 0; i < 2 * SEEN_FILES_SLOTS; i++)
		n += (unsigned)seen_files_have(1, i);
	cr_expect_eq(n, SEEN_FILES_MOST);
	cr_expect(seen_files_have(1, 0) && !seen_files_have(2, 0));
}
