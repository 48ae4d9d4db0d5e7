/* The environment of a child, as it is planned and filled on the caller's stack. */
#include "scratch.h"

#include <elf.h>

#include "shim/childenv.h"
#include "shim/object.h"
#include "shim/setting_value.h"
#include "shim/settings.h"

#define CACHE "/var/cache/reprise"
#define RUNTIME "/run/user/7/reprise"
#define SETTINGS_MAX (SETTING_COUNT + 60)

static char preload[4200]; /* LD_PRELOAD=<us> */
static char room_bytes[1 << 20];
static size_t needed; /* what the plan asked for */

static void start(void)
{
	scratch_make();
	/* "" in a program that links the code; the constructor of the object fills it in. */
	snprintf((char *)object_path(), 64, "/usr/lib/reprise/libreprise.so");
	snprintf(preload, sizeof preload, "LD_PRELOAD=%s", object_path());
}

TestSuite(childenv, .init = start, .fini = scratch_remove);

static void init(char *const envp[], int disabled)
{
	childenv_init(envp, "/var/cache", "/reprise", RUNTIME, disabled);
}

/* A host without settings of its own. */
static void host(void)
{
	char *none[] = {NULL};

	init(none, 0);
}

/* What a child started with envp gets; envp itself if there is nothing to do. Nothing may be
 * written outside the requested room. */
static char **child(const char *path, char *const envp[])
{
	struct childenv_plan p;
	char **out;

	needed = childenv_plan(&p, path, envp);
	if (!needed)
		return (char **)envp;
	cr_assert_leq(needed, sizeof room_bytes - 16);
	memset(room_bytes, 0x5a, sizeof room_bytes);
	out = childenv_fill(&p, room_bytes);
	for (size_t i = needed; i < needed + 16; i++)
		cr_assert_eq(room_bytes[i], 0x5a, "written beyond the room");
	return out;
}

static const char *value(char **env, const char *name)
{
	size_t n = strlen(name);
	const char *found = NULL;

	for (; *env; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=') {
			cr_expect_not(found, "%s twice", name);
			found = *env + n + 1;
		}
	return found;
}

static size_t count(char **env)
{
	size_t n = 0;

	while (env[n])
		n++;
	return n;
}

Test(childenv, whole_environments_pass_as_they_are)
{
	char *env[] = {"A=b", preload, "REPRISE_LOG=/l", NULL};

	init(env, 0);
	cr_expect_eq(child(NULL, env), env);
	cr_expect_eq(child("/bin/true", env), env);
}

Test(childenv, switched_off)
{
	char *env[] = {"A=b", NULL};

	init(env, 1);
	cr_expect_eq(child(NULL, env), env);
}

Test(childenv, without_an_object_nothing_is_done)
{
	char *env[] = {"A=b", NULL};

	*(char *)object_path() = 0;
	init(env, 0);
	cr_expect_eq(child(NULL, env), env);
}

Test(childenv, scrubbed)
{
	char *own[] = {"HOME=/h", "REPRISE_LOG=/l", "TORCHINDUCTOR_FORCE_DISABLE_CACHES=0", preload,
	               NULL};
	char *env[] = {"A=b", "C=d", NULL}, **out;

	init(own, 0);
	out = child("/bin/true", env);
	cr_expect_neq(out, env);
	cr_expect_str_eq(value(out, "A"), "b");
	cr_expect_str_eq(value(out, "C"), "d");
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
	cr_expect_str_eq(value(out, "REPRISE_LOG"), "/l");
	cr_expect_str_eq(value(out, "TORCHINDUCTOR_FORCE_DISABLE_CACHES"), "0");
	/* Without HOME the store would be looked for elsewhere. */
	cr_expect_str_eq(value(out, "REPRISE_CACHE_DIR"), CACHE);
	cr_expect_str_eq(value(out, "REPRISE_RUNTIME_DIR"), RUNTIME);
	cr_expect_eq(value(out, "HOME"), NULL, "not ours to bring back");
	cr_expect_eq(count(out), 7);
	/* The caller's is not touched. */
	cr_expect_eq(count(env), 2);
}

Test(childenv, no_environment_at_all)
{
	char *none[] = {NULL}, **out;

	host();
	out = child(NULL, none);
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
	out = child(NULL, NULL);
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
	cr_expect_eq(count(out), 3);
}

Test(childenv, what_the_caller_set_stays)
{
	char *own[] = {"REPRISE_LOG=/ours", "REPRISE_CACHE_DIR=/c", "REPRISE_RUNTIME_DIR=/r", NULL};
	char *env[] = {"REPRISE_LOG=/theirs", "REPRISE_LOG_LEVEL=debug", NULL}, **out;

	init(own, 0);
	out = child(NULL, env);
	cr_expect_str_eq(value(out, "REPRISE_LOG"), "/theirs");
	cr_expect_str_eq(value(out, "REPRISE_CACHE_DIR"), "/c");
	cr_expect_str_eq(value(out, "REPRISE_RUNTIME_DIR"), "/r");
	cr_expect_eq(count(out), 5);
}

/* setproctitle and its like overwrite the strings they were started with. */
Test(childenv, settings_are_copied)
{
	char setting[] = "REPRISE_LOG=/l";
	char *own[] = {setting, NULL}, *env[] = {"A=b", NULL};

	init(own, 0);
	memset(setting, 'x', sizeof setting - 1);
	cr_expect_str_eq(value(child(NULL, env), "REPRISE_LOG"), "/l");
}

/* A child that lost REPRISE_TRUST and kept REPRISE_REDIS_URL would believe anybody. */
Test(childenv, all_settings_are_handed_on)
{
	static char text[SETTING_COUNT][64];
	char *envp[SETTING_COUNT + 1], *env[] = {"HOME=/h", NULL}, **out;

	for (int i = 0; i < SETTING_COUNT; i++) {
		snprintf(text[i], sizeof text[i], "REPRISE_%s=%d", setting_rows[i].name, i);
		envp[i] = text[i];
	}
	envp[SETTING_COUNT] = NULL;
	init(envp, 0);
	out = child("/bin/sh", env);
	for (int i = 0; i < SETTING_COUNT; i++) {
		char name[64];

		snprintf(name, sizeof name, "REPRISE_%s", setting_rows[i].name);
		cr_expect_not_null(value(out, name), "%s", name);
	}
}

Test(childenv, more_settings_than_are_handed_on)
{
	static char text[SETTINGS_MAX][32];
	char *own[SETTINGS_MAX + 1], *env[] = {"A=b", NULL}, **out;

	for (int i = 0; i < SETTINGS_MAX; i++) {
		snprintf(text[i], sizeof text[i], "REPRISE_S%d=%d", i, i);
		own[i] = text[i];
	}
	own[SETTINGS_MAX] = NULL;
	init(own, 0);
	out = child(NULL, env);
	cr_expect_str_eq(value(out, "REPRISE_S0"), "0");
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
}

Test(childenv, behind_the_preloads_of_others)
{
	char *env[] = {"LD_PRELOAD=/lib/libasan.so.8 /x.so", "A=b", NULL}, **out;
	char want[200];

	host();
	out = child(NULL, env);
	snprintf(want, sizeof want, "/lib/libasan.so.8 /x.so:%s", object_path());
	cr_expect_str_eq(value(out, "LD_PRELOAD"), want);
	cr_expect_eq(strncmp(out[0], "LD_PRELOAD=", 11), 0, "where it was");
}

Test(childenv, never_twice)
{
	static const char *const lists[] = {"%s", "/a.so:%s", "%s:/a.so", "/a.so %s /b.so", ":%s:"};
	char text[300], *env[] = {text, NULL};

	host();
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		int n = snprintf(text, sizeof text, "LD_PRELOAD=");

		snprintf(text + n, sizeof text - (size_t)n, lists[i], object_path());
		cr_expect_eq(child(NULL, env), env, "%s", text);
	}
}

/* Names that begin or end with ours are others'. */
Test(childenv, longer_names_are_not_ours)
{
	static const char *const names[] = {"%s.old", "/x%s", "%s/x"};
	char text[300], want[300], *env[] = {text, NULL};

	host();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int n = snprintf(text, sizeof text, "LD_PRELOAD=");

		snprintf(text + n, sizeof text - (size_t)n, names[i], object_path());
		snprintf(want, sizeof want, "%s:%s", text + n, object_path());
		cr_expect_str_eq(value(child(NULL, env), "LD_PRELOAD"), want);
	}
}

Test(childenv, set_and_empty_is_a_wish)
{
	char *env[] = {"LD_PRELOAD=", "A=b", NULL};

	host();
	cr_expect_eq(child(NULL, env), env);
}

Test(childenv, preload_lists_of_odd_length_are_left_alone)
{
	static char text[5000];
	char *env[] = {text, NULL};

	host();
	memset(text, 'p', sizeof text - 1);
	memcpy(text, "LD_PRELOAD=/", 12);
	cr_expect_eq(child(NULL, env), env);
	text[2000] = 0;
	cr_expect_neq(child(NULL, env), env);
}

/* Programs that could not load us. */

static int exists(const char *path)
{
	return access(path, R_OK) == 0;
}

/* An ELF head with one PT_INTERP, as far as anyone looks. */
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

/* Whether a child of that path is started without us. */
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

Test(childenv, foreign_programs_are_started_without_us)
{
	host();
	cr_expect(stripped(elf("i386", ELFCLASS32, NULL)));
	cr_expect(stripped(elf("musl", ELFCLASS64, "/lib/ld-musl-x86_64.so.1")));
	cr_expect(stripped(elf("other", ELFCLASS64, "/lib/ld-linux-riscv64-lp64d.so.1")));
	cr_expect_not(stripped(elf("native", ELFCLASS64, LOADER)));
	cr_expect_not(stripped(elf("nix", ELFCLASS64, "/nix/store/x-glibc/lib/"
	                           "ld-linux-x86-64.so.2")) &&
	              strstr(LOADER, "x86"));
	/* Static: it does not look at the list, and its children may. */
	cr_expect_not(stripped(elf("static", ELFCLASS64, NULL)));
	cr_expect_not(stripped("/proc/self/exe"));
	cr_expect_not(stripped(scratch("none")));
	cr_expect_not(stripped(scratch_dir));
	cr_expect_not(stripped("/dev/null"));
	cr_assert(exists("/usr/bin/busybox"), "scripts/setup installs it");
	cr_expect_not(stripped("/usr/bin/busybox"));
}

Test(childenv, a_program_of_musl)
{
	char command[1024];

	scratch_write("m.c", "int main(void) { return 0; }\n");
	snprintf(command, sizeof command, "musl-gcc %s/m.c -o %s/m", scratch_dir, scratch_dir);
	cr_assert_eq(system(command), 0);
	host();
	cr_expect(stripped(scratch("m")));
}

Test(childenv, scripts_by_their_interpreter)
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

Test(childenv, damaged_programs_do_no_harm)
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

Test(childenv, only_ours_is_taken_away)
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
	/* Nothing of ours, nothing to do. */
	snprintf(text, sizeof text, "LD_PRELOAD=/a.so:%s.old", object_path());
	cr_expect_eq(child(musl, env), env);
	/* No settings either are handed to a program that cannot use them. */
	snprintf(text, sizeof text, "A=c");
	cr_expect_eq(child(musl, env), env);
}

/* The trace. */

Test(childenv, the_trace_is_added_and_an_old_one_dropped)
{
	char *env[] = {"A=b", "REPRISE_TRACE=/old", preload, "REPRISE_TRACE=/older", NULL}, **out;

	host();
	cr_expect_eq(child(NULL, env), env, "a host says nothing of traces");
	childenv_set_trace("/r/trace.1.0");
	out = child(NULL, env);
	cr_expect_str_eq(value(out, "REPRISE_TRACE"), "/r/trace.1.0");
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
	cr_expect_eq(count(out), 3);
}

Test(childenv, scrubbed_and_traced)
{
	char *env[] = {NULL}, **out;

	host();
	childenv_set_trace(CHILDENV_UNTRACED);
	out = child(NULL, env);
	cr_expect_str_eq(value(out, "REPRISE_TRACE"), CHILDENV_UNTRACED);
	cr_expect_str_eq(value(out, "LD_PRELOAD"), object_path());
	cr_expect_eq(count(out), 4);
}

Test(childenv, foreign_programs_get_no_trace)
{
	char *env[] = {"REPRISE_TRACE=/old", preload, NULL}, **out;

	host();
	childenv_set_trace("/r/trace.1.0");
	out = child(elf("musl", ELFCLASS64, "/lib/ld-musl-x86_64.so.1"), env);
	cr_expect_eq(count(out), 0);
}

/* A trace is no setting: it must not outlive its tool in an environment that was scrubbed. */
Test(childenv, a_trace_found_at_the_start_is_not_kept)
{
	char *own[] = {"REPRISE_TRACE=/old", NULL}, *env[] = {NULL};

	init(own, 0);
	cr_expect_eq(value(child(NULL, env), "REPRISE_TRACE"), NULL);
}

/* Sizes: the plan is carried out on the caller's stack. */

static char **huge(size_t n)
{
	char **env = malloc((n + 1) * sizeof *env);

	for (size_t i = 0; i < n; i++)
		env[i] = "V=some value";
	env[n] = NULL;
	return env;
}

Test(childenv, huge_environments)
{
	char **env = huge(CHILDENV_HOST_STRINGS), **out;

	host();
	out = child(NULL, env);
	cr_expect_neq(out, env);
	cr_expect_eq(count(out), CHILDENV_HOST_STRINGS + 3);
	cr_expect_leq(needed, 4096, "of a stack of 16 KiB");
	free(env);
	env = huge(CHILDENV_HOST_STRINGS + 1);
	cr_expect_eq(child(NULL, env), env);
	childenv_set_trace("/r/trace.1.0");
	out = child(NULL, env);
	cr_expect_str_eq(value(out, "REPRISE_TRACE"), "/r/trace.1.0");
	free(env);
	env = huge(CHILDENV_TRACED_STRINGS);
	out = child(NULL, env);
	cr_expect_eq(count(out), CHILDENV_TRACED_STRINGS + 4);
	free(env);
	env = huge(CHILDENV_TRACED_STRINGS + 1);
	cr_expect_eq(child(NULL, env), env);
	free(env);
}
