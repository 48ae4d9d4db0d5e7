/* tests/unit/test_module_hash.c - names of symbols by nvcc 13.0, and the check value of CRC-32. */
#include "tools/drivers/drivers.h"

#include <criterion/criterion.h>

Test(module_hash, known)
{
	static const struct {
		const char *path, *hash;
	} rows[] = {
		{"/tmp/h/aa/s2.cu", "6092a716"}, {"/tmp/h/bb/s2.cu", "dff5ba68"},
		{"123456789", "cbf43926"}, {"", "00000000"}};
	char text[SOURCE_HASH + 1];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		module_hash(text, rows[i].path);
		cr_expect_str_eq(text, rows[i].hash, "%s", rows[i].path);
	}
}
