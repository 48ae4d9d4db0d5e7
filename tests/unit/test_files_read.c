/* tests/unit/test_files_read.c */
#include "units/shape/seen_files.h"

#include <criterion/criterion.h>
#include <stdio.h>

Test(files_read, a_file_between_look_up_and_completion_counts)
{
	cr_expect_eq(files_read_none("/c/one"), 0, "it was never looked up");
	files_read_add("/data/before");
	files_read_begin("/c/one");
	cr_expect_eq(files_read_none("/c/one"), 1);
	files_read_add("/usr/lib/python3/module.py");
	files_read_add("/app/__pycache__/module.cpython-311.pyc");
	files_read_add("/usr/lib/libm.so");
	files_read_add("/usr/lib/libm.so.6");
	files_read_add("/proc/self/maps");
	files_read_add("/sys/devices/system/cpu/online");
	files_read_add("/dev/null");
	cr_expect_eq(files_read_none("/c/one"), 1);
	files_read_add("/app/scale.bc");
	cr_expect_eq(files_read_none("/c/one"), 0);
	files_read_begin("/c/two");
	cr_expect_eq(files_read_none("/c/two"), 1);
	/* The compiler may have read the file before it looked a second time. */
	files_read_begin("/c/one");
	cr_expect_eq(files_read_none("/c/one"), 0);
	files_read_add("relative.bc");
	cr_expect_eq(files_read_none("/c/two"), 0);
}

Test(files_read, a_look_up_that_is_forgotten_counts_as_a_read)
{
	char path[32];

	files_read_begin("/c/first");
	for (int i = 0; i < 63; i++) {
		snprintf(path, sizeof path, "/c/%d", i);
		files_read_begin(path);
	}
	cr_expect_eq(files_read_none("/c/first"), 1);
	files_read_begin("/c/last");
	cr_expect_eq(files_read_none("/c/first"), 0);
	cr_expect_eq(files_read_none("/c/last"), 1);
}
