/* tests/unit/test_driver_reach.c - where a name in each role of a command can appear. A case is one
 * line. */
#include "tests/unit/driver_fixture.h"

#include <stdio.h>

#include "tools/cmdline/cmdline.h"

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
		{"gcc -E a.c -o a.i", REACH_ANYTHING, REACH_ASKED | REACH_TEXT, 0, 0},
		{"gcc -E -g a.c -o a.i", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING, 0},
		{"gcc -E -fworking-directory a.c", REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING, REACH_ANYTHING},
		{"gcc -E -MD a.c -o a.i", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
		{"cc -E a.c -o a.i", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING, 0},
		{"clang -O2 -c a.c -o a.o", REACH_ASKED, REACH_ANYTHING, 0, 0},
		{"clang++ -MD -c a.cc -o a.o", REACH_ASKED | REACH_DEPS, REACH_ANYTHING, 0,
		 REACH_DEPS},
		{"clang -g -c a.c", REACH_ASKED | REACH_DEBUG, REACH_ANYTHING, REACH_DEBUG, 0},
		{"clang++ -g -MD -MT x -c a.cc", REACH_ASKED | REACH_DEBUG | REACH_DEPS,
		 REACH_ANYTHING, REACH_DEBUG, 0},
		{"clang -E a.c -o a.i", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING, 0},
		{"clang -v -c a.c -o a.o", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
		{"gcc -g -c a.S -o a.o", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING, 0},
		{"clang -MD -c a.S -o a.o", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING,
		 REACH_DEPS},
		{"gcc -c a.f -o a.o", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
		{"gcc -isystem /t -c a.c", REACH_ASKED, REACH_ANYTHING, 0, 0},
		{"g++ a.cc b.o -shared -o a.so -Wl,-rpath,$ORIGIN -lm", REACH_ASKED, REACH_ANYTHING,
		 0, 0},
		{"gcc a.o -o a -Wl,-z,defs,-rpath -Wl,/x -Xlinker -rpath -Xlinker /y", REACH_ASKED,
		 0, 0, 0},
		/* By these names only sources of Fortran and D bind. */
		{"gfortran a.o -o a", REACH_ASKED, 0, 0, 0},
		{"gcc -g a.o b.a -o a", REACH_ASKED, 0, 0, 0},
		{"clang -shared a.so.o -o a.so", REACH_ASKED, 0, 0, 0},
		{"clang -flto a.o -o a", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
		{"gfortran -O2 -c a.c -o a.o", REACH_ASKED, REACH_ANYTHING, 0, 0},
		{"ld -shared a.o -o a.so -lc", 0, 0, 0, 0},
		{"ld.lld a.o -o a", 0, 0, 0, 0},
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

Test(driver, what_a_directory_of_headers_reaches)
{
	static const struct {
		const char *line;
		unsigned include, system;
	} rows[] = {
		{"gcc -O2 -c a.c", REACH_ASKED, REACH_ASKED | REACH_LENGTH},
		{"gcc -g -c a.c", REACH_ASKED | REACH_TABLE,
		 REACH_ASKED | REACH_TABLE | REACH_LENGTH},
		{"gcc -g -gdwarf-4 -c a.c", REACH_ANYTHING, REACH_ANYTHING},
		{"gcc -g a.c", REACH_ANYTHING, REACH_ANYTHING},
		{"cc -g -c a.c", REACH_ANYTHING, REACH_ANYTHING},
		{"clang -g -c a.c", REACH_ANYTHING, REACH_ANYTHING},
		{"gcc -g -B/x --param ssp-buffer-size=4 -c a.c", REACH_ASKED | REACH_TABLE,
		 REACH_ASKED | REACH_TABLE | REACH_LENGTH},
		{"gcc -Bx -c a.c", REACH_ANYTHING, REACH_ANYTHING},
		{"gcc -B /x -c a.c", REACH_ASKED, REACH_ASKED | REACH_LENGTH},
		{"gcc -B x -c a.c", REACH_ANYTHING, REACH_ANYTHING},
		{"gcc --param ssp-buffer-size=x -c a.c", REACH_ANYTHING, REACH_ANYTHING},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned of = reaches(rows[i].line, ROLE_INCLUDE);

		cr_expect_eq(of & REACH_ANYTHING ? REACH_ANYTHING : of, rows[i].include, "-I: %s",
		             rows[i].line);
		of = reaches(rows[i].line, ROLE_SYSTEM);
		cr_expect_eq(of & REACH_ANYTHING ? REACH_ANYTHING : of, rows[i].system,
		             "-isystem: %s", rows[i].line);
	}
}

/* What nvcc makes decides whether hashes of paths can be found in it. */
Test(driver, what_a_source_of_nvcc_reaches)
{
	static const struct {
		const char *options;
		int known;
	} rows[] = {
		{"-cubin -arch=sm_90", 1}, {"--cubin --gpu-architecture=sm_90a", 1}, {"-ptx", 1},
		{"-ptx -arch=compute_90", 1}, {"-cubin -gencode arch=compute_90,code=sm_90", 1},
		{"-fatbin -gencode arch=compute_90,code=sm_90", 1},
		{"-fatbin -arch=sm_90 -code=sm_90", 1},
		{"-c -arch=compute_80 -code=sm_80,sm_90", 1},
		{"-cubin --ptxas-options=--register-usage-level=10,-v -O3 "
		 "--compiler-options=-fPIC,-O3,-Wno-abi --diag-suppress=39,161 "
		 "--expt-extended-lambda", 1},
		/* PTX is compressed */
		{"-fatbin", 0}, {"-fatbin -arch=sm_90", 0}, {"-c -arch=sm_90", 0},
		{"-fatbin -arch=sm_90 -code=sm_90,compute_90", 0},
		{"-fatbin -arch=sm_80 -gencode arch=compute_90,code=sm_90", 0},
		{"-fatbin -gencode arch=compute_90,code=compute_90", 0},
		{"-fatbin -gencode arch=compute_90,code=[sm_90,compute_90]", 0},
		{"-cubin -arch=lto_90", 0},
		{"-tilecubin --enable-tile -arch=sm_90", 1}, {"-ptx -enable-tile", 1},
		{"-c --enable-tile -gencode arch=compute_90,code=sm_90", 0},
		{"-tilecubin -cubin", 0}, {"-tilecubin --enable-tile -lineinfo", 0},
		{"-tilecubin --enable-tile -Xtileiras --remarks=all", 0}, {"-tilebc", 0},
		/* names or compressed code */
		{"-cubin -lineinfo", 0}, {"-ptx -G", 0}, {"-cubin -g", 0}, {"-cubin -Xptxas -g", 0},
		{"-cubin -Xptxas -lineinfo", 0}, {"-fatbin -Xfatbin -compress-all", 0},
		{"-cubin -Xcompiler -Wl,-x", 0}, {"-cubin -Xcompiler -W", 0},
		{"-cubin -Xcompiler -g", 0}, {"-cubin -rdc=true", 0}, {"-cubin -time=x", 0},
		{"-cubin -keep", 0}, {"-E", 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char line[256];
		unsigned of;

		snprintf(line, sizeof line, "nvcc %s a.cu -o a.x", rows[i].options);
		of = reaches(line, ROLE_SOURCE);
		cr_expect_eq(of, rows[i].known ? REACH_ASKED | REACH_HASH : REACH_ANYTHING, "%s",
		             line);
	}
}

/* The directory is in the hash of a relative source alone. */
/* A table of lines in a cubin. */
Test(driver, what_a_source_of_nvcc_reaches_by_lines)
{
	unsigned table = REACH_ASKED | REACH_HASH | REACH_DEBUG | REACH_TIMES;

	cr_expect_eq(reaches("nvcc -cubin -lineinfo /s/a.cu -o a.x", ROLE_SOURCE), table);
	cr_expect_eq(reaches("nvcc --generate-line-info -cubin -MD /s/a.cu", ROLE_SOURCE),
	             table | REACH_DEPS);
	cr_expect_eq(reaches("nvcc -cubin -lineinfo /s/a.cu", ROLE_INCLUDE),
	             REACH_ASKED | REACH_DEBUG);
	cr_expect_eq(reaches("nvcc -cubin -lineinfo a.cu", ROLE_SOURCE), REACH_ANYTHING);
	cr_expect_eq(reaches("nvcc -cubin -lineinfo /s/a.cu /s/b.cu", ROLE_SOURCE),
	             REACH_ANYTHING);
	cr_expect_eq(reaches("nvcc -ptx -lineinfo /s/a.cu", ROLE_SOURCE), REACH_ANYTHING);
	cr_expect_eq(reaches("nvcc -c -lineinfo -arch=sm_90 /s/a.cu", ROLE_SOURCE),
	             REACH_ANYTHING);
}

Test(driver, what_the_directory_of_nvcc_reaches)
{
	static const struct {
		const char *line;
		unsigned cwd, source, output;
	} rows[] = {
		{"nvcc -c /s/a.cu -arch=sm_90 -MD -MF x.d -o a.o", 0, REACH_ANYTHING, REACH_DEPS},
		{"nvcc -fatbin /s/a.cu -o a.fatbin", 0, REACH_ANYTHING, 0},
		{"nvcc -c /s/a.cu -Xfatbin=-compress-all --compress-mode=size -gencode "
		 "arch=compute_90a,code=sm_90a -o a.o", 0, REACH_ANYTHING, 0},
		{"nvcc -c /s/a.cu -Xfatbin -compress-all -arch=sm_90 -o a.o", 0, REACH_ANYTHING, 0},
		{"nvcc -c a.cu -arch=sm_90 -o a.o", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING},
		{"nvcc -c /s/a.cu b.cu -arch=sm_90", REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
		{"nvcc -c /s/a.cu -Xfatbin -other -o a.o", REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
		{"nvcc -c /s/a.cu -rdc=true -o a.o", REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
		{"nvcc /s/a.cu -arch=sm_90 -o a", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING},
		{"nvcc -ptx -c /s/a.cu -o a", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING},
		{"nvcc -shared /s/a.cu -arch=sm_90 -o a.so", 0, REACH_ANYTHING, 0},
		{"nvcc -shared /s/a.cu -MD -o a.so", REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
		{"nvcc -shared /s/a.cu b.o -o a.so", REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
		{"nvcc -shared a.cu -o a.so", REACH_ANYTHING, REACH_ANYTHING, REACH_ANYTHING},
		/* Its shell reads the name. */
		{"nvcc -cubin /s/a.cu -o $HOME.cubin", REACH_ANYTHING, REACH_ANYTHING,
		 REACH_ANYTHING},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_expect_eq(reaches(rows[i].line, ROLE_CWD), rows[i].cwd, "%s", rows[i].line);
		cr_expect_eq(reaches(rows[i].line, ROLE_SOURCE), rows[i].source, "%s",
		             rows[i].line);
		cr_expect_eq(reaches(rows[i].line, ROLE_OUTPUT), rows[i].output, "%s",
		             rows[i].line);
		if (rows[i].source == REACH_ANYTHING)
			cr_expect_eq(reaches(rows[i].line, ROLE_INCLUDE), REACH_ANYTHING, "%s",
			             rows[i].line);
	}
}

/* Six linkers were measured, and these were not. The same arguments show the difference. */
Test(driver, what_a_name_of_a_linker_reaches)
{
	static const char *const measured[] = {"ld", "ld.bfd", "ld.gold", "gold", "ld.lld", "lld"};
	static const char *const others[] = {"mold", "ld.mold", "rust-lld", "collect2"};
	static const char *const arguments[] = {
		"a.o -o a", "-shared a.o -o a.so -lc", "-pie -L/t --as-needed a.o -lc -o a",
		"-r a.o b.o -o c.o", "--gc-sections --build-id -s a.o l.a -o a",
	};
	static const unsigned reached[ROLE_COUNT] = {
		[ROLE_SOURCE] = 0, [ROLE_CWD] = 0, [ROLE_OUTPUT] = 0, [ROLE_LIBRARY] = 0,
		[ROLE_RESPONSE] = 0, [ROLE_BASE] = 0, [ROLE_DEPFILE] = REACH_ANYTHING,
		[ROLE_TARGET] = REACH_ANYTHING, [ROLE_INCLUDE] = REACH_ANYTHING,
		[ROLE_SYSTEM] = REACH_ANYTHING, [ROLE_MAP] = REACH_ANYTHING,
		[ROLE_OTHER] = REACH_ANYTHING,
	};
	const size_t tools = sizeof measured / sizeof *measured;
	const size_t all = tools + sizeof others / sizeof *others;
	char line[128];

	for (size_t i = 0; i < all * (sizeof arguments / sizeof *arguments); i++) {
		size_t tool = i % all;

		snprintf(line, sizeof line, "%s %s",
		         tool < tools ? measured[tool] : others[tool - tools], arguments[i / all]);
		for (int role = 0; role < ROLE_COUNT; role++)
			cr_expect_eq(reaches(line, (enum name_role)role),
			             tool < tools ? reached[role] : REACH_ANYTHING,
			             "%s: role %d", line, role);
	}
}

/* ptxas has no table of roles: its row says that no name reaches the result, and -g and an unknown
 * option take that back. */
Test(driver, what_a_name_of_ptxas_reaches)
{
	static const struct {
		const char *line;
		unsigned reached;
	} rows[] = {
		{"ptxas -arch=sm_90a a.ptx -o a.cubin", 0},
		{"ptxas -lineinfo -v -O3 --gpu-name=sm_90a a.ptx --output-file a.cubin", 0},
		{"ptxas --fmad=false --maxrregcount 32 a.ptx -o a.cubin", 0},
		{"ptxas -c a.ptx -o a.o", 0},
		{"ptxas -e -g a.ptx -o a.cubin", 0},
		{"ptxas-blackwell -arch=sm_100a a.ptx -o a.cubin", 0},
		{"ptxas -g -arch=sm_90a a.ptx -o a.cubin", REACH_ANYTHING},
		{"ptxas a.ptx -o a.cubin --device-debug", REACH_ANYTHING},
		{"ptxas-blackwell -g a.ptx -o a.cubin", REACH_ANYTHING},
		{"ptxas -unheard-of a.ptx -o a.cubin", REACH_ANYTHING},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cmdline c;
		const struct tool_row *row = split(rows[i].line, &c);
		int free = driver_names_free(row, &c, NULL, 0), outputs = 0, sources = 0;

		for (int role = 0; role < ROLE_COUNT; role++)
			cr_expect_eq(free ? 0 : driver_reach(row, &c, (enum name_role)role),
			             rows[i].reached, "%s: role %d", rows[i].line, role);
		for (int k = 1; k < c.count; k++) {
			outputs += c.v[k].role == ARG_OUTPUT &&
			           driver_output_free(row, &c, k);
			sources += strcmp(c.v[k].text, "a.ptx") == 0 &&
			           driver_role(&c, k, 0) == ROLE_SOURCE &&
			           driver_role(&c, k, 1) == ROLE_BASE;
		}
		cr_expect_eq(outputs, !rows[i].reached, "output: %s", rows[i].line);
		cr_expect_eq(sources, 1, "source: %s", rows[i].line);
	}
}

/* Tools without a list of options that keep names out of results. */
Test(driver, tools_that_are_bound_to_all_names)
{
	static const char *const lines[] = {
		"gfortran -O2 -c a.f90 -o a.o", "gfortran -cpp -c a.F90 -o a.o",
		"f951 a.f90 -quiet -dumpbase a.f90 -o a.s",
		"rustc --crate-type rlib a.rs",
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
	struct prefix_maps m;

	cr_assert(prefix_map_find(&m, &c), "%s", line);
	c.flags |= m.v[0].flags;
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
		{"gcc -g -fmacro-prefix-map=/a=. -c a.c", REACH_LINES, REACH_LINES, REACH_TABLE},
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
