/* Times in ar's archives. */
#include "tools/drivers/drivers.h"

#include <criterion/criterion.h>
#include <string.h>

Test(ar, times)
{
	char plain[8 + 60 + 3 + 1 + 60 + 1], dated[sizeof plain];

	memset(plain, ' ', sizeof plain);
	memcpy(plain, "!<arch>\n", 8);
	memcpy(plain + 8, "a.o/            0           0     0     644     3         `\n", 60);
	memcpy(plain + 72, "b.o/            0           0     0     644     1         `\n", 60);
	memcpy(dated, plain, sizeof plain);
	memcpy(dated + 72 + 16, "1700000000", 10);
	cr_assert_eq(cmdline_archive_has_times(plain, sizeof plain), 0);
	cr_assert_eq(cmdline_archive_has_times(dated, sizeof dated), 1);
	memcpy(dated, "!<thin>\n", 8); /* no content: the second header follows the first */
	memmove(dated + 68, dated + 72, 60);
	cr_assert_eq(cmdline_archive_has_times(dated, sizeof dated - 4), 1);
	cr_assert_eq(cmdline_archive_has_times(dated, 20), 0);
	cr_assert_eq(cmdline_archive_has_times("", 0), 0);
	memcpy(plain + 8 + 48, "9999999999", 10);
	cr_assert_eq(cmdline_archive_has_times(plain, sizeof plain), 0);
}
