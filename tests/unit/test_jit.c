/* Functions of libraries by name; loaded objects and what they define. */
#include <stdio.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <string.h>

#include "jit/jit.h"

static int name(const char *text, enum jit_kind *kind, char version[JIT_VERSION])
{
	return jit_name_might(text) ? jit_name(text, kind, version) : -1;
}

Test(jit, names)
{
	char version[JIT_VERSION];
	enum jit_kind kind;

	cr_expect_eq(name("nvrtcCompileProgram", &kind, version), NVRTC_CompileProgram);
	cr_expect_eq(kind, JIT_NVRTC);
	cr_expect_str_eq(version, "");
	cr_expect_eq(name("nvJitLinkGetLinkedPtxSize", &kind, version), NVJITLINK_GetLinkedPtxSize);
	cr_expect_eq(kind, JIT_NVJITLINK);
	cr_expect_str_eq(version, "");
	cr_expect_eq(name("__nvJitLinkCreate_13_0", &kind, version), NVJITLINK_Create);
	cr_expect_str_eq(version, "_13_0");
	cr_expect_eq(name("__nvJitLinkComplete_14_12", &kind, version), NVJITLINK_Complete);
	cr_expect_str_eq(version, "_14_12");
}

Test(jit, names_of_nobody)
{
	static const char *const no[] = {
		"", "n", "nv", "nvrtc", "nvrtcVersion", "nvrtcCompileProgra", "nvrtcCompileProgramx", "nvrtcGetErrorString", "printf", "__nv",
		"nvJitLink", "nvJitLinkVersion", "__nvJitLinkAPI", "__nvJitLinkCreate", "__nvJitLinkCreate_13", "__nvJitLinkCreate_13_",
		"__nvJitLinkCreate__0", "__nvJitLinkCreate_1234_5678", "__nvJitLinkCreate_13_0x", "__nvrtcCPEx", "__nvJitLink_13_0",
	};
	char version[JIT_VERSION];
	enum jit_kind kind;

	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_lt(name(no[i], &kind, version), 0, "%s", no[i]);
}

Test(jit, each_slot_has_functions_of_its_own)
{
	for (unsigned s = 0; s < JIT_SLOTS; s++)
		for (int kind = 0; kind < 2; kind++)
			for (int i = 0; i < (kind == JIT_NVRTC ? (int)NVRTC_ENTRIES : (int)NVJITLINK_ENTRIES); i++) {
				struct jit_library l = {.kind = (enum jit_kind)kind, .slot = s}, other = {.kind = (enum jit_kind)kind, .slot = (s + 1) % JIT_SLOTS};

				cr_assert(jit_stub(&l, i));
				cr_assert_neq(jit_stub(&l, i), jit_stub(&other, i));
				cr_assert_neq(jit_stub(&l, i), jit_stub(&l, i ? i - 1 : 1));
			}
}

Test(jit, no_library_no_answer)
{
	void *handle = NULL;

	cr_expect_null(jit_library_at(JIT_NVRTC, "", (const void *)printf));
	cr_expect_eq(nvrtc_CreateProgram(NULL, &handle, "", NULL, 0, NULL, NULL), 11);
	cr_expect_eq(nvrtc_DestroyProgram(NULL, &handle), 11);
	cr_expect_eq(nvjitlink_Create(NULL, &handle, 0, NULL), 6);
}

/* Not by an address: a sanitizer's stand-ins lie before it. */
static int is_libc(void *ctx, const struct elfobject *o)
{
	return strcmp(o->soname, ctx) == 0;
}

Test(elfobject, finds_what_dlsym_finds)
{
	static const char *const names[] = {"printf", "malloc", "dlsym", "getenv", "qsort", "strtol"};
	struct elfobject o;

	cr_assert_eq(elfobject_find(&o, is_libc, "libc.so.6"), 0);
	cr_expect_gt(o.build_id_len, 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		Dl_info info;
		void *found = elfobject_symbol(&o, names[i]);

		cr_assert(found, "%s", names[i]);
		cr_assert(dladdr(found, &info) && info.dli_sname);
	}
	cr_expect_null(elfobject_symbol(&o, "no_such_function_anywhere"));
	cr_expect_null(elfobject_symbol(&o, ""));
}

/* Default versions, functions that choose themselves (time), names that this libc has none of. */
Test(elfobject, the_next_definitions_are_those_of_dlsym)
{
	static const char names[] = {
#define HOOK(family, ret, name, params) #name "\0"
#include "hooks/hooks.def"
#undef HOOK
		"memcpy\0" "pthread_create\0" "no_such_function_anywhere"};
	const char *name = names;
	void *found[256] = {NULL};
	size_t count = 0, all;

	for (; name < names + sizeof names; name += strlen(name) + 1)
		count++;
	cr_assert_lt(count, sizeof found / sizeof *found);
	elfobject_next(names, count, found);
	cr_expect_null(found[count - 1]);
	for (name = names, all = count, count = 0; count < all; name += strlen(name) + 1, count++) {
		void *volatile expected = dlsym(RTLD_NEXT, name);

		/* It gives no function that is kept for old programs alone. */
		if (expected)
			cr_expect_eq(found[count], expected, "%s: %p, dlsym %p", name,
			             found[count], expected);
	}
}

Test(elfobject, needs_and_nothing_at_an_address)
{
	struct elfobject o;

	cr_assert_eq(elfobject_at(&o, (const void *)name), 0);
	cr_expect(elfobject_needs(&o, "libc.so.6"));
	cr_expect(!elfobject_needs(&o, "libnvrtc.so.13"));
	cr_expect_lt(elfobject_at(&o, (const void *)8), 0);
}

static int is_dladdr(void *ctx, const char *name, const char *version)
{
	if (strcmp(name, "dladdr") != 0)
		return 0;
	cr_expect_eq(strncmp(version, "GLIBC_", 6), 0, "of version '%s'", version);
	++*(int *)ctx;
	return 7;
}

static int never(void *ctx, const char *name, const char *version)
{
	(void)name;
	(void)version;
	++*(int *)ctx;
	return 0;
}

Test(elfobject, what_it_asks_of_others)
{
	struct elfobject o;
	int found = 0, all = 0;

	cr_assert_eq(elfobject_at(&o, (const void *)name), 0);
	cr_expect_eq(elfobject_wants(&o, is_dladdr, &found), 7);
	cr_expect_eq(found, 1);
	cr_expect_eq(elfobject_wants(&o, never, &all), 0);
	cr_expect_gt(all, 10);
}

Test(elfobject, a_load_is_a_change)
{
	uint64_t before = elfobject_changes();

	cr_expect_eq(elfobject_changes(), before);
	void *h = dlopen("libnss_hesiod.so.2", RTLD_NOW);
	if (!h)
		h = dlopen("libanl.so.1", RTLD_NOW);
	cr_assert(h, "%s", dlerror());
	cr_expect_gt(elfobject_changes(), before);
}

Test(elfobject, without_the_loaders_lock)
{
	struct elfobject o;

	cr_assert_eq(elfobject_find(&o, is_libc, "libc.so.6"), 0);
	cr_expect_eq(elfobject_loaded("libc.so.6", "qsort"), elfobject_symbol(&o, "qsort"));
	cr_expect_null(elfobject_loaded("libc.so.6", "no_such_function_anywhere"));
	cr_expect_null(elfobject_loaded("libnever.so.1", "qsort"));
}
