/* Times that `reprise stats --since` takes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <time.h>

#include "cli/report/report.h"

TestSuite(stats_job);

Test(stats_job, since)
{
	static const struct {
		const char *text;
		int64_t seconds; /* -1: refused */
	} rows[] = {
		{"30m", 1000000 - 1800}, {"2h", 1000000 - 7200}, {"0s", 1000000},
		{"3d", 1000000 - 259200}, {"1970-01-02", 86400}, {"1970-01-02T10:00", 122400},
		{"1970-01-02T10:00:01", 122401}, {"2262-01-01", 9214646400}, {"2263-01-01", -1},
		{"12d", -1}, {"-1h", -1}, {"30", -1}, {"m", -1}, {"", -1}, {"1969-01-01", -1},
		{"1970-01-02x", -1}};

	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_eq(stats_since(rows[i].text, 1000000),
		             rows[i].seconds < 0 ? -1 : rows[i].seconds * 1000000000, "%s",
		             rows[i].text);
}
