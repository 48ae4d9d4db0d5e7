/* Functions of libraries by name; loaded objects and what they define. */
#include <stdio.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "jit/call.h"
#include "jit/jit.h"
#include "shim/loader/elfobject.h"

static int name(const char *text, char version[JIT_VERSION])
{
	return names_may_find(text) ? names_find(text, version) : -1;
}

Test(jit, names)
{
	char version[JIT_VERSION];

	cr_expect_eq(name("nvrtcCompileProgram", version), NVRTC_CompileProgram);
	cr_expect_str_eq(version, "");
	cr_expect_eq(name("nvJitLinkGetLinkedPtxSize", version), NVJITLINK_GetLinkedPtxSize);
	cr_expect_str_eq(version, "");
	cr_expect_eq(name("__nvJitLinkCreate_13_0", version), NVJITLINK_Create);
	cr_expect_str_eq(version, "_13_0");
	cr_expect_eq(name("__nvJitLinkComplete_14_12", version), NVJITLINK_Complete);
	cr_expect_str_eq(version, "_14_12");
}

Test(jit, unknown_names)
{
	static const char *const no[] = {
		"",
		"n",
		"nv",
		"nvrtc",
		"nvrtcVersion",
		"nvrtcCompileProgra",
		"nvrtcCompileProgramx",
		"nvrtcGetErrorString",
		"printf",
		"__nv",
		"nvJitLink",
		"nvJitLinkVersion",
		"__nvJitLinkAPI",
		"__nvJitLinkCreate",
		"__nvJitLinkCreate_13",
		"__nvJitLinkCreate_13_",
		"__nvJitLinkCreate__0",
		"__nvJitLinkCreate_1234_5678",
		"__nvJitLinkCreate_13_0x",
		"__nvrtcCPEx",
		"__nvJitLink_13_0",
		"__nvrtcCreateProgram_13_0",
	};
	char version[JIT_VERSION];

	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_lt(name(no[i], version), 0, "%s", no[i]);
}

Test(jit, a_symbol_is_found_as_its_entry)
{
	char symbol[NAMES_SYMBOL], version[JIT_VERSION];

	for (int e = 0; e < JIT_ENTRIES; e++) {
		names_symbol(symbol, e, "");
		cr_expect_eq(name(symbol, version), e, "%s", symbol);
		if (*libraries_linked(entry_library(e))) {
			names_symbol(symbol, e, "_13_5");
			cr_expect_eq(name(symbol, version), e, "%s", symbol);
			cr_expect_str_eq(version, "_13_5");
		}
	}
}

/* The rows of jit/libraries.def. */
Test(jit, rows_are_well_formed)
{
	for (int id = 0; id < JIT_LIBRARIES; id++) {
		cr_expect_leq(libraries_count((enum jit_id)id), JIT_ENTRIES_MAX);
		cr_expect_eq(entry_library(libraries_first((enum jit_id)id)), (enum jit_id)id);
		cr_expect_eq(entry_role(libraries_first((enum jit_id)id)), ROLE_CREATE);
	}
	for (int e = 0; e < JIT_ENTRIES; e++) {
		const char *s = entry_signature(e);

		cr_expect_eq(strspn(s, "iuzp"), strlen(s), "%s", s);
		cr_expect(strlen(s) >= 2 && strlen(s) <= CALL_WORDS + 1 && s[0] == 'i' &&
		                  s[1] == 'p',
		          "%s", s);
		if (entry_role(e) == ROLE_SIZE) {
			cr_assert_lt(e + 1, JIT_ENTRIES);
			cr_expect_eq(entry_role(e + 1), ROLE_BYTES);
			cr_expect_str_eq(entry_answer(e), entry_answer(e + 1));
			cr_expect_eq(entry_library(e), entry_library(e + 1));
		}
	}
}

Test(jit, numbers_are_given_back)
{
	static struct jit_library l[ENTRY_POINTS];
	int given = 0, entry = -1;
	void *first;

	for (int i = 0; i < ENTRY_POINTS; i++)
		l[i] = (struct jit_library){.id = JIT_NVRTC, .first_number = -1};
	while (entry_code(&l[given], NVRTC_CreateProgram))
		given++;
	cr_assert_eq(given, ENTRY_POINTS / libraries_count(JIT_NVRTC));
	for (int i = 0; i < given; i++)
		for (int e = NVRTC_CreateProgram; e < JIT_FIRST_NVRTC + libraries_count(JIT_NVRTC);
		     e++) {
			cr_assert_eq(entry_points_find(
					     (unsigned)(l[i].first_number + e - JIT_FIRST_NVRTC),
					     &entry),
			             &l[i]);
			cr_assert_eq(entry, e);
		}
	first = entry_code(&l[2], NVRTC_CreateProgram);
	cr_expect_eq((char *)entry_code(&l[2], NVRTC_DestroyProgram) - (char *)first, 16);
	entry_points_release(&l[2]);
	cr_expect_null(entry_points_find((unsigned)l[3].first_number - 1, &entry));
	cr_expect_eq(entry_code(&l[given], NVRTC_CreateProgram), first);
}

/* Each entry of each row, by an entry point: the real function gets the caller's arguments, as wide
 * as their types say. */
static uintptr_t got[CALL_WORDS];
static int function_0(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f,
                      uintptr_t g, uintptr_t h)
{
	memcpy(got, (uintptr_t[]){a, b, c, d, e, f, g, h}, sizeof got);
	return 77;
}

/* 1: the call reached the function. No macro of Criterion: they need more stack than there is. */
static int comes_through(struct jit_library *l, int e)
{
	int (*f)(void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
	         uintptr_t) = entry_code(l, e);
	void **real = &l->real[e - libraries_first(l->id)], *handle = NULL;
	int arguments = 0;

	memset(got, 0, sizeof got);
	*real = NULL;
	if (!f || f(&handle, 0, 0, 0, 0, 0, 0, 0) != libraries_failure(l->id))
		return 0;
	*real = (void *)function_0;
	if (f(&handle, 0, 0, ~(uintptr_t)0, 5, 6, 7, 8) != 77 || got[0] != (uintptr_t)&handle)
		return 0;
	while (entry_signature(e)[arguments + 1])
		arguments++;
	for (int i = 3; i < arguments; i++) {
		uintptr_t expected = i == 3 ? ~(uintptr_t)0 : (uintptr_t)i + 1;

		if (entry_signature(e)[i + 1] == 'i' ? (int)got[i] != (int)expected
		                                     : got[i] != expected)
			return 0;
	}
	return 1;
}

static struct jit_library library_on_thread;
static void *on_thread(void *came)
{
	for (int id = 0; id < JIT_LIBRARIES; id++) {
		struct jit_library *l = &library_on_thread;

		l->id = (enum jit_id)id;
		l->first_number = -1;
		for (int e = libraries_first(l->id);
		     e < libraries_first(l->id) + libraries_count(l->id); e++)
			((char *)came)[e] = (char)comes_through(l, e);
		entry_points_release(l);
	}
	return NULL;
}

/* A thread of a host may have 16 KiB. */
Test(jit, calls_fit_the_smallest_stack)
{
	static char came[JIT_ENTRIES];
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	cr_assert_eq(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN), 0);
	cr_assert_eq(pthread_create(&thread, &attr, on_thread, came), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	for (int e = 0; e < JIT_ENTRIES; e++)
		cr_expect(came[e], "%s", entry_name(e));
}

Test(jit, no_library)
{
	uintptr_t words[CALL_WORDS] = {0};

	cr_expect_null(library_at(JIT_NVRTC, "", (const void *)printf));
	cr_expect_lt(engine_called(0, words), 0);
	cr_expect_lt(engine_called(100000, words), 0);
	/* The program is linked, and no such library is loaded. */
	cr_expect_eq(engine_called(ENTRY_POINTS, words), 11);
	cr_expect_eq(engine_called(ENTRY_POINTS + 2 * (unsigned)libraries_count(JIT_NVRTC), words),
	             6);
}

/* Not found by an address: functions of a sanitizer come before it. */
static int is_libc(void *ctx, const struct elfobject *o)
{
	return strcmp(o->soname, ctx) == 0;
}

Test(elfobject, finds_what_dlsym_finds)
{
	static const char *const names[] = {"printf", "malloc", "dlsym",
	                                    "getenv", "qsort",  "strtol"};
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

/* Default versions, functions that choose their code at load time (time), and names that this libc
 * lacks. */
Test(elfobject, the_next_definitions_are_those_of_dlsym)
{
	static const char names[] = {
#define HOOK(family, ret, name, params) #name "\0"
#include "hooks/hooks.def"
#undef HOOK
		"memcpy\0"
		"pthread_create\0"
		"no_such_function_anywhere"};
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

		/* It finds no function that libc keeps for old programs alone. */
		if (expected)
			cr_expect_eq(found[count], expected, "%s: %p, dlsym %p", name, found[count],
			             expected);
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
