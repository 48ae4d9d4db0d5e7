/* tests/unit/test_driver_reach.c - where a name in each role of a command can appear. A case is one
 * line. */
#include "tests/unit/driver_fixture.h"

#include "tools/prefix_map.h"

Test(driver, what_a_name_reaches)
{
	static const struct {
		const char *line;
		unsigned source, base, cwd, output;
	} rows[] = {
		{"gcc -O2 -c a.c -o a.o", REACH_ASKED, REACH_ANYTHING, 0, 0},
		{"gcc -O2 -MD -c a.c -o a.o", REACH_ASKED | REACH_DEPS, REACH_ANYTHING, 0,
		 REACH_DEPS},
		{"gcc -O2 -MD -MT x -c a.c", REACH_ASKED | REACH_DEPS, REACH_ANYTHING, 0, 0},
		{"gcc -g -c a.c", REACH_ASKED | REACH_LINES, REACH_ANYTHING, REACH_LINES, 0},
		{"gcc -g -g0 -c a.c", REACH_ASKED, REACH_ANYTHING, 0, 0},
		{"clang -g -c a.c", REACH_ASKED | REACH_DEBUG, REACH_ANYTHING, REACH_DEBUG, 0},
		{"gcc -g -c a.S -o a.o", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING, 0},
		{"clang -MD -c a.S -o a.o", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING,
		 REACH_DEPS},
		{"gcc -c a.f -o a.o", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
		{"gcc -isystem /t -c a.c", REACH_ASKED, REACH_ANYTHING, 0, 0},
		{"g++ a.cc b.o -shared -o a.so -Wl,-rpath,$ORIGIN -lm", REACH_ASKED, REACH_ANYTHING,
		 0, 0},
		{"ld -shared a.o -o a.so -lc", 0, REACH_ANYTHING, 0, 0},
		{"ld.lld a.o -o a", 0, REACH_ANYTHING, 0, 0},
		{"ar rcs l.a a.o", 0, REACH_ANYTHING, 0, 0},
		{"as --64 a.s -o a.o", 0, 0, 0, 0},
		{"nvcc -gencode arch=compute_80,code=sm_80 -c a.cu -o a.o",
		 REACH_ASKED | REACH_HASH, REACH_ANYTHING, REACH_HASH, 0},
		{"nvcc -gencode arch=compute_80,code=sm_80 -isystem /t -isystem=/t -c a.cu -o a.o",
		 REACH_ASKED | REACH_HASH, REACH_ANYTHING, REACH_HASH, 0},
		{"othertool a b", 0, 0, 0, 0},
		{"cc1 -quiet -imultiarch x a.c -quiet -dumpdir a- -dumpbase a.c -dumpbase-ext .c "
		 "--param l1-cache-size=32 -g1 -O2 -o a.s",
		 REACH_ASKED | REACH_LINES, REACH_ANYTHING, REACH_LINES, 0},
		{"cc1plus -quiet -D X a.cc -quiet -foffload-options=-l_GCC_m "
		 "--param=l2-cache-size=512 -o a.s", REACH_ASKED, REACH_ANYTHING, 0, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_expect_eq(reaches(rows[i].line, ROLE_SOURCE), rows[i].source, "source: %s",
		             rows[i].line);
		cr_expect_eq(reaches(rows[i].line, ROLE_BASE), rows[i].base, "base: %s",
		             rows[i].line);
		cr_expect_eq(reaches(rows[i].line, ROLE_CWD), rows[i].cwd, "cwd: %s", rows[i].line);
		cr_expect_eq(reaches(rows[i].line, ROLE_OUTPUT), rows[i].output, "output: %s",
		             rows[i].line);
		if (strcmp(rows[i].line, "othertool a b") != 0)
			cr_expect_eq(reaches(rows[i].line, ROLE_OTHER), REACH_ANYTHING, "%s",
			             rows[i].line);
	}
}

/* Tools without a list of options that keep names out of results. */
Test(driver, tools_that_are_bound_to_all_names)
{
	static const char *const lines[] = {
		"gfortran -O2 -c a.f90 -o a.o", "gfortran -cpp -c a.F90 -o a.o",
		"f951 a.f90 -quiet -dumpbase a.f90 -o a.s", "gdc -O2 -c a.d -o a.o",
		"d21 a.d -quiet -dumpbase a.d -o a.s", "rustc --crate-type rlib a.rs",
		"cudafe++ --c++17 --gen_c_file_name a.c --stub_file_name a.stub.c a.ii",
		"cicc --c++17 -arch compute_80 a.ii -o a.ptx",
		"fatbinary -64 --create=a.fatbin --image3=kind=elf,sm=80,file=a.cubin",
		"nvlink --arch=sm_80 a.o -o a.cubin", "collect2 a.o -o a",
		"lto1 -quiet a.o -o a.s", "hipcc -c a.hip -o a.o", "nvc++ -c a.cc -o a.o",
		"icpx -c a.cc -o a.o", "mytool a b",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		for (int role = 0; role < ROLE_COUNT; role++)
			cr_expect_eq(reaches(lines[i], (enum name_role)role), REACH_ANYTHING,
			             "%s: role %d", lines[i], role);
}

static unsigned hidden(const char *line, enum name_role role)
{
	struct cmdline c;
	const struct tool_row *row = split(line, &c);
	struct prefix_map m;

	cr_assert(prefix_map_find(&m, &c), "%s", line);
	c.flags |= m.flags;
	return driver_reach_mapped(row, &c, role);
}

Test(driver, what_a_mapped_name_reaches)
{
	static const struct {
		const char *line;
		unsigned source, cwd, include;
	} rows[] = {
		{"gcc -g -ffile-prefix-map=/a=. -c a.c", 0, 0, 0},
		{"gcc -g3 -gdwarf-4 -ffile-prefix-map=/a=. -c a.c", 0, 0, 0},
		{"gcc -g -ffile-prefix-map=/a=. a.c", 0, 0, 0},
		{"gcc -g -MD -ffile-prefix-map=/a=. -c a.c", REACH_DEPS, 0, REACH_DEPS},
		{"gcc -g -fdebug-prefix-map=/a=. -c a.c", REACH_ASKED, 0, REACH_ASKED},
		{"gcc -g -fmacro-prefix-map=/a=. -c a.c", REACH_LINES, REACH_LINES,
		 REACH_ANYTHING},
		{"gcc -gdwarf-4 -fmacro-prefix-map=/a=. -c a.c", REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
		{"gcc -fmacro-prefix-map=/a=. -c a.c", 0, 0, 0},
		{"clang -g -ffile-prefix-map=/a=. -c a.c", REACH_ASKED, 0, REACH_ASKED},
		{"cc -g -ffile-prefix-map=/a=. -c a.c", REACH_ASKED, 0, REACH_ASKED},
		{"cc1 -quiet a.c -g -ffile-prefix-map=/a=. -o a.s", 0, 0, 0},
		{"gcc -g -gz -ffile-prefix-map=/a=. -c a.c", REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *line = rows[i].line;

		cr_expect_eq(hidden(line, ROLE_SOURCE), rows[i].source, "source: %s", line);
		cr_expect_eq(hidden(line, ROLE_CWD), rows[i].cwd, "cwd: %s", line);
		cr_expect_eq(hidden(line, ROLE_INCLUDE), rows[i].include, "-I: %s", line);
		cr_expect_eq(hidden(line, ROLE_BASE), REACH_ANYTHING, "base: %s", line);
		cr_expect_eq(hidden(line, ROLE_OTHER), REACH_ANYTHING, "other: %s", line);
		/* Another name, in the place of NEW. */
		cr_expect_eq(reaches(line, ROLE_MAP), REACH_ANYTHING, "map: %s", line);
	}
	cr_expect_eq(hidden("gcc -g -ffile-prefix-map=/a=. -c a.c", ROLE_MAP), 0);
}
