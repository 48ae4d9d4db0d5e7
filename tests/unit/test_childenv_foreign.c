/* Programs that could not load the object are started without it. */
#include "childenv_fixture.h"

#include <elf.h>

TestSuite(childenv_foreign, .init = start, .fini = scratch_remove);

static int exists(const char *path)
{
	return access(path, R_OK) == 0;
}

/* An ELF head with one PT_INTERP: as much as the code reads. */
static const char *elf(const char *name, unsigned char class, const char *interp)
{
	const char *path = scratch(name);
	Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', class, ELFDATA2LSB, EV_CURRENT},
	                .e_type = ET_DYN, .e_phoff = sizeof h, .e_phentsize = sizeof(Elf64_Phdr),
	                .e_phnum = interp ? 2 : 1};
	Elf64_Phdr p[2] = {{.p_type = PT_LOAD}, {.p_type = PT_INTERP, .p_offset = 4096}};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);

	cr_assert_geq(fd, 0);
	p[1].p_filesz = interp ? strlen(interp) + 1 : 0;
	cr_assert_eq(pwrite(fd, &h, sizeof h, 0), (ssize_t)sizeof h);
	cr_assert_eq(pwrite(fd, p, sizeof p, sizeof h), (ssize_t)sizeof p);
	if (interp)
		cr_assert_gt(pwrite(fd, interp, strlen(interp) + 1, 4096), 0);
	close(fd);
	return path;
}

/* Whether a child of that path is started without the object. */
static int stripped(const char *path)
{
	char *env[] = {"A=b", preload, "REPRISE_LOG=/l", NULL}, **out = child(path, env);

	return !value(out, "LD_PRELOAD");
}

#ifdef __x86_64__
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#else
#define LOADER "/lib/ld-linux-aarch64.so.1"
#endif

Test(childenv_foreign, foreign_programs_are_started_without_us)
{
	host();
	cr_expect(stripped(elf("i386", ELFCLASS32, NULL)));
	cr_expect(stripped(elf("musl", ELFCLASS64, "/lib/ld-musl-x86_64.so.1")));
	cr_expect(stripped(elf("other", ELFCLASS64, "/lib/ld-linux-riscv64-lp64d.so.1")));
	cr_expect_not(stripped(elf("native", ELFCLASS64, LOADER)));
	cr_expect_not(stripped(elf("nix", ELFCLASS64, "/nix/store/x-glibc/lib/"
	                           "ld-linux-x86-64.so.2")) &&
	              strstr(LOADER, "x86"));
	/* A static program ignores the list, and its children may use it. */
	cr_expect_not(stripped(elf("static", ELFCLASS64, NULL)));
	cr_expect_not(stripped("/proc/self/exe"));
	cr_expect_not(stripped(scratch("none")));
	cr_expect_not(stripped(scratch_dir));
	cr_expect_not(stripped("/dev/null"));
	cr_assert(exists("/usr/bin/busybox"), "scripts/setup installs it");
	cr_expect_not(stripped("/usr/bin/busybox"));
}

Test(childenv_foreign, a_program_of_musl)
{
	char command[1024];

	scratch_write("m.c", "int main(void) { return 0; }\n");
	snprintf(command, sizeof command, "musl-gcc %s/m.c -o %s/m", scratch_dir, scratch_dir);
	cr_assert_eq(system(command), 0);
	host();
	cr_expect(stripped(scratch("m")));
}

/* gcc names the runtime as a needed library. */
static void build(const char *options)
{
	char command[1024];

	scratch_write("m.c", "int main(void) { return 0; }\n");
	snprintf(command, sizeof command, "gcc %s %s/m.c -o %s/m", options, scratch_dir,
	         scratch_dir);
	cr_assert_eq(system(command), 0);
}

Test(childenv_foreign, programs_of_sanitizers)
{
	host();
	build("-fsanitize=address");
	cr_expect(stripped(scratch("m")));
	build("-fsanitize=thread -no-pie");
	cr_expect(stripped(scratch("m")));
	/* UBSan's runtime may be loaded at any place. */
	build("-fsanitize=undefined");
	cr_expect_not(stripped(scratch("m")));
	build("");
	cr_expect_not(stripped(scratch("m")));
	/* With caches turned off, too. */
	init((char *[]){NULL}, 1);
	build("-fsanitize=address,undefined");
	cr_expect(stripped(scratch("m")));
}

Test(childenv_foreign, a_sanitizer_in_the_list)
{
	char text[300], *env[] = {text, NULL};

	host();
	snprintf(text, sizeof text, "LD_PRELOAD=%s:/usr/lib/libasan.so.8", object_path());
	cr_expect_str_eq(value(child("/bin/true", env), "LD_PRELOAD"), "/usr/lib/libasan.so.8");
	snprintf(text, sizeof text, "LD_PRELOAD=/usr/lib/libasan.so.8:%s", object_path());
	cr_expect_eq(child("/bin/true", env), env, "the runtime comes first");
	snprintf(text, sizeof text, "LD_PRELOAD=%s /x/libubsan.so.1 /asan.d/x.so", object_path());
	cr_expect_eq(child("/bin/true", env), env);
}

Test(childenv_foreign, scripts_by_their_interpreter)
{
	char text[300];

	host();
	elf("musl", ELFCLASS64, "/lib/ld-musl-x86_64.so.1");
	snprintf(text, sizeof text, "#! \t%s -x\necho\n", scratch("musl"));
	scratch_write("script", text);
	cr_expect(stripped(scratch("script")));
	snprintf(text, sizeof text, "#!%s\n", scratch("script"));
	scratch_write("second", text);
	cr_expect(stripped(scratch("second")));
	scratch_write("plain", "#!/bin/sh\nexit 0\n");
	cr_expect_not(stripped(scratch("plain")));
	scratch_write("relative", "#!musl\n");
	cr_expect_not(stripped(scratch("relative")));
	scratch_write("empty", "#!");
	cr_expect_not(stripped(scratch("empty")));
	snprintf(text, sizeof text, "#!%s", scratch("loop"));
	scratch_write("loop", text);
	cr_expect_not(stripped(scratch("loop")));
}

Test(childenv_foreign, damaged_programs_do_no_harm)
{
	Elf64_Ehdr h;
	int fd;

	host();
	elf("bad", ELFCLASS64, LOADER);
	fd = open(scratch("bad"), O_RDWR);
	cr_assert_eq(pread(fd, &h, sizeof h, 0), (ssize_t)sizeof h);
	h.e_phoff = ~0ull - 8;
	h.e_phnum = 0xffff;
	cr_assert_eq(pwrite(fd, &h, sizeof h, 0), (ssize_t)sizeof h);
	stripped(scratch("bad"));
	h.e_phentsize = 1;
	cr_assert_eq(pwrite(fd, &h, sizeof h, 0), (ssize_t)sizeof h);
	stripped(scratch("bad"));
	for (off_t n = 0; n < 100; n += 7) {
		cr_assert_eq(ftruncate(fd, n), 0);
		stripped(scratch("bad"));
	}
	close(fd);
}

Test(childenv_foreign, only_ours_is_taken_away)
{
	static const char *const lists[][2] = {{"/a.so:%s:/b.so", "/a.so:/b.so"},
	                                       {"%s:/b.so", "/b.so"},
	                                       {"/a.so:%s", "/a.so"}, {"/a.so %s", "/a.so"},
	                                       {"%s:%s", NULL}, {"%s", NULL},
	                                       {"/a.so:%s.old", NULL}};
	const char *musl;
	char text[300], *env[] = {"A=b", text, NULL};

	host();
	musl = elf("musl", ELFCLASS64, "/lib/ld-musl-x86_64.so.1");
	for (size_t i = 0; i < 6; i++) {
		int n = snprintf(text, sizeof text, "LD_PRELOAD=");
		char **out;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-extra-args"
		snprintf(text + n, sizeof text - (size_t)n, lists[i][0], object_path(),
		         object_path());
#pragma GCC diagnostic pop
		out = child(musl, env);
		cr_expect_str_eq(value(out, "A"), "b");
		if (lists[i][1])
			cr_expect_str_eq(value(out, "LD_PRELOAD"), lists[i][1]);
		else
			cr_expect_eq(value(out, "LD_PRELOAD"), NULL, "%s", text);
	}
	/* Nothing of Reprise is in the list, so nothing changes. */
	snprintf(text, sizeof text, "LD_PRELOAD=/a.so:%s.old", object_path());
	cr_expect_eq(child(musl, env), env);
	/* Settings are not handed to a program that cannot use them, either. */
	snprintf(text, sizeof text, "A=c");
	cr_expect_eq(child(musl, env), env);
}

Test(childenv_foreign, foreign_programs_get_no_trace)
{
	char *env[] = {"REPRISE_TRACE=/old", preload, NULL}, **out;

	host();
	childenv_set_trace("/r/trace.1.0");
	out = child(elf("musl", ELFCLASS64, "/lib/ld-musl-x86_64.so.1"), env);
	cr_expect_eq(count(out), 0);
}
