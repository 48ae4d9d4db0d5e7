/* The functions of jit/ before real libraries, in a small host program: misses, hits, errors,
 * threads. Under the sanitizers this shows that our code leaks nothing and reads within bounds.
 * Ways in which programs reach the functions: tests/e2e/nvrtc_reach.bats. */
#include "store_fixture.h"

#include <dlfcn.h>
#include <pthread.h>

#include "jit/jit.h"

/* A call by the entry point, as a host makes it. */
#define RTC(name, ...) ((int (*)(void *, ...))entry_code(rtc, NVRTC_##name))(__VA_ARGS__)
#define LINK(name, ...) ((int (*)(void *, ...))entry_code(linker, NVJITLINK_##name))(__VA_ARGS__)

/* State of the libraries: a first compile affects a second one, and inputs affect a link. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:nvrtcCompileProgram\nleak:ffi_call\n";
}

static struct jit_library *rtc, *linker;

static void start(void)
{
	const char *path = getenv("E2E_NVRTC"), *link = getenv("E2E_NVJITLINK");
	char builtins[4096];
	void *h;

	fixture_start();
	if (!path || !link)
		cr_skip_test("no NVRTC: scripts/nvrtc.sh --make");
	setenv("REPRISE_CACHE_DIR", cache, 1);
	setenv("REPRISE_RUNTIME_DIR", runtime, 1);
	jit_on = 1;
	h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	cr_assert(h, "%s", dlerror());
	rtc = library_at(JIT_NVRTC, "", dlsym(h, "nvrtcCompileProgram"));
	cr_assert(rtc);
	cr_assert_geq(rtc->release, 1200);
	/* AddressSanitizer's dlopen knows nothing of the RUNPATH by which NVRTC finds it. */
	snprintf(builtins, sizeof builtins, "%.*s/libnvrtc-builtins.so.%d.%d",
	         (int)(strrchr(path, '/') - path), path, rtc->release / 100, rtc->release % 100);
	cr_assert(dlopen(builtins, RTLD_NOW | RTLD_GLOBAL), "%s", dlerror());
	h = dlopen(link, RTLD_NOW | RTLD_LOCAL);
	cr_assert(h, "%s", dlerror());
	linker = library_at(JIT_NVJITLINK, "", dlsym(h, "nvJitLinkComplete"));
	cr_assert(linker);
	cr_assert_geq(linker->release, 1200);
}

TestSuite(jit_real, .init = start, .fini = fixture_stop);

struct got {
	int status, name_status;
	size_t size, log_size;
	char *code, *log, name[64];
};

static void got_free(struct got *g)
{
	free(g->code);
	free(g->log);
}

static int got_same(const struct got *x, const struct got *y)
{
	return x->status == y->status && x->name_status == y->name_status && x->size == y->size &&
	       x->log_size == y->log_size &&
	       memcmp(x->code, y->code, x->size) == 0 && memcmp(x->log, y->log, x->log_size) == 0 &&
	       strcmp(x->name, y->name) == 0;
}

/* Rooms are as large as they must be, for AddressSanitizer. */
static struct got compiled(const char *source, const char *option)
{
	const char *const options[] = {"-arch=sm_90", option}, *const headers[] = {"#define H 3\n"},
		*const names[] = {"h.h"}, *lowered = NULL;
	struct got g = {.code = calloc(1, 1)};
	void *p = NULL;

	cr_assert_eq(RTC(CreateProgram, &p, source, "k.cu", 1, headers, names), 0);
	cr_assert_eq(RTC(AddNameExpression, p, "t<float>"), 0);
	g.status = RTC(CompileProgram, p, option ? 2 : 1, options);
	cr_assert_eq(RTC(GetProgramLogSize, p, &g.log_size), 0);
	g.log = malloc(g.log_size);
	cr_assert_eq(RTC(GetProgramLog, p, g.log), 0);
	if (g.status == 0) {
		cr_assert_eq(RTC(GetCUBINSize, p, &g.size), 0);
		free(g.code);
		g.code = malloc(g.size);
		cr_assert_eq(RTC(GetCUBIN, p, g.code), 0);
		g.name_status = RTC(GetLoweredName, p, "t<float>", &lowered);
		snprintf(g.name, sizeof g.name, "%s", lowered ? lowered : "");
		cr_expect_neq(RTC(GetLoweredName, p, "never", &lowered), 0);
	}
	cr_assert_eq(RTC(DestroyProgram, &p), 0);
	cr_expect_null(p);
	return g;
}

#define KERNEL "#include \"h.h\"\ntemplate <class T> __global__ void t(T *o) { *o += H; }\n"

Test(jit_real, a_miss_and_a_hit)
{
	struct got miss = compiled(KERNEL, NULL), hit = compiled(KERNEL, NULL),
		other = compiled(KERNEL, "-lineinfo");

	cr_expect(got_same(&miss, &hit));
	cr_expect_gt(miss.size, 0);
	cr_expect_str_eq(miss.name, "_Z1tIfEvPT_");
	cr_expect_not(got_same(&miss, &other));
	cr_expect_eq(counted(COUNTER_NVRTC_HITS), 1);
	cr_expect_eq(counted(COUNTER_NVRTC_MISSES), 2);
	got_free(&miss);
	got_free(&hit);
	got_free(&other);
}

Test(jit_real, an_error_and_its_log)
{
	struct got miss = compiled(KERNEL "no such type;", NULL),
		hit = compiled(KERNEL "no such type;", NULL);
	struct got option = compiled(KERNEL, "--no-such"), again = compiled(KERNEL, "--no-such");

	cr_expect_eq(miss.status, 6);
	cr_expect(strstr(miss.log, "no such") || miss.log_size > 1);
	cr_expect(got_same(&miss, &hit));
	cr_expect_eq(option.status, 5);
	cr_expect(got_same(&option, &again));
	cr_expect_null(strstr(option.log, "no-cache"), "an option that the program did not give");
	cr_expect_eq(counted(COUNTER_NVRTC_HITS), 1);
	got_free(&miss);
	got_free(&hit);
	got_free(&option);
	got_free(&again);
}

/* A call after a hit whose answer is not in the store: the omitted compile is run. */
Test(jit_real, a_hit_that_is_asked_for_more)
{
	const char *const options[] = {"-arch=sm_90"};
	struct got miss = compiled(KERNEL, NULL);
	void *p = NULL;
	size_t n;

	for (int i = 0; i < 2; i++) {
		const char *const headers[] = {"#define H 3\n"}, *const names[] = {"h.h"};

		cr_assert_eq(RTC(CreateProgram, &p, KERNEL, "k.cu", 1, headers, names), 0);
		cr_assert_eq(RTC(AddNameExpression, p, "t<float>"), 0);
		cr_assert_eq(RTC(CompileProgram, p, 1, options), 0);
		if (i)
			cr_expect_eq(RTC(CompileProgram, p, 1, options), 0);
		else
			cr_expect_neq(RTC(AddNameExpression, p, "t<int>"), 0,
			              "too late, as the library says");
		cr_expect_eq(RTC(GetCUBINSize, p, &n), 0);
		cr_expect_eq(n, miss.size);
		cr_assert_eq(RTC(DestroyProgram, &p), 0);
	}
	got_free(&miss);
}

Test(jit_real, destroyed_without_a_compile_and_never_asked)
{
	const char *const options[] = {"-arch=sm_90"};
	void *p = NULL;

	cr_assert_eq(RTC(CreateProgram, &p, KERNEL, NULL, 0, NULL, NULL), 0);
	cr_assert_eq(RTC(DestroyProgram, &p), 0);
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(RTC(CreateProgram, &p, "__global__ void k() {}", NULL, 0, NULL, NULL),
		             0);
		cr_assert_eq(RTC(CompileProgram, p, 1, options), 0);
		cr_assert_eq(RTC(DestroyProgram, &p), 0);
	}
	cr_expect_neq(RTC(CompileProgram, NULL, 0, NULL), 0);
}

static void *several(void *seed)
{
	char source[256];
	long failed = 0;

	for (int i = 0; i < 4; i++) {
		snprintf(source, sizeof source, KERNEL "__global__ void k%d(int *o) { *o = %d; }",
		         i, (int)(intptr_t)seed % 2 + i);
		struct got g = compiled(source, NULL);

		failed += g.status != 0 || g.size == 0;
		got_free(&g);
	}
	return (void *)failed;
}

Test(jit_real, threads)
{
	pthread_t t[4];
	void *failed;

	for (intptr_t i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&t[i], NULL, several, (void *)i), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &failed);
		cr_expect_null(failed);
	}
	cr_expect_geq(counted(COUNTER_NVRTC_HITS), 7, "two threads compile what two others do");
}

static char *lto_of(const char *source, size_t *n)
{
	const char *const options[] = {"-arch=sm_90", "-dlto", "-rdc=true"};
	void *p = NULL;

	cr_assert_eq(RTC(CreateProgram, &p, source, "l.cu", 0, NULL, NULL), 0);
	cr_assert_eq(RTC(CompileProgram, p, 3, options), 0);
	cr_assert_eq(RTC(GetLTOIRSize, p, n), 0);
	char *bytes = malloc(*n);
	cr_assert_eq(RTC(GetLTOIR, p, bytes), 0);
	cr_assert_eq(RTC(DestroyProgram, &p), 0);
	return bytes;
}

Test(jit_real, a_link)
{
	const char *options[] = {"-arch=sm_90", "-lto"};
	size_t n, m, size[2] = {0}, log;
	char *f = lto_of("__device__ float f(float x) { return x * 3; }", &n),
	     *k = lto_of("extern __device__ float f(float); extern \"C\" __global__ void k(float "
	                 "*o) { *o = f(*o); }", &m), *cubin[2];
	enum { LTOIR = 3 };
	void *h = NULL;

	for (int i = 0; i < 2; i++) {
		cr_assert_eq(LINK(Create, &h, 2, options), 0);
		cr_assert_eq(LINK(AddData, h, LTOIR, f, n, "f"), 0);
		cr_assert_eq(LINK(AddData, h, LTOIR, k, m, "k"), 0);
		cr_assert_eq(LINK(Complete, h), 0);
		cr_assert_eq(LINK(GetLinkedCubinSize, h, &size[i]), 0);
		cubin[i] = malloc(size[i]);
		cr_assert_eq(LINK(GetLinkedCubin, h, cubin[i]), 0);
		cr_assert_eq(LINK(GetErrorLogSize, h, &log), 0);
		cr_assert_eq(LINK(Destroy, &h), 0);
	}
	cr_expect_eq(size[0], size[1]);
	cr_expect_arr_eq(cubin[0], cubin[1], size[0]);
	cr_expect_eq(counted(COUNTER_NVJITLINK_HITS), 1);
	free(cubin[0]);
	free(cubin[1]);
	free(f);
	free(k);
}
