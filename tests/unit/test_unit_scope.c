/* tests/unit/test_unit_scope.c */
#include "units/scope/condition.h"
#include "units/scope/scope.h"

#include <dlfcn.h>

#include "shim/digest.h"
#include "tests/unit/scratch.h"
#include "units/format/member.h"

#define ENV(...) ((char *[]){__VA_ARGS__, NULL})
static char *no_env[] = {NULL};

static struct settings settings_of(char *const envp[], struct arena *a)
{
	struct settings s;

	settings_defaults(&s);
	settings_merge_env(&s, envp, a);
	cr_assert_eq(s.bad_count, 0);
	return s;
}

/* root/path with text; its directories are made. */
static void put(const char *path, const char *text)
{
	char full[4096];

	snprintf(full, sizeof full, "%s", scratch(path));
	for (char *p = full + strlen(scratch_dir) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(full, 0755);
		*p = '/';
	}
	scratch_write(path, text);
}

static const char *gpus(struct arena *a)
{
	const char *why = NULL, *text = device_gpus(scratch_dir, a, &why);

	cr_assert(text || (why && *why));
	return text;
}

#define DRIVER "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  " \
	"Release Build  (me@host)  \n" \
	"GCC version:  gcc version 15.3.0 (GCC) \n"
#define MODEL(name) "Model: \t\t " name "\nIRQ:   \t\t 41\nGPU UUID: \t GPU-c74faaa8\n"

Test(unit_device, gpus, .init = scratch_make, .fini = scratch_remove)
{
	struct arena a = ARENA_INIT;

	cr_assert_str_eq(gpus(&a), "", "no accelerator");
	put("dev/kfd", "");
	cr_assert_null(gpus(&a), "one of another vendor");
	put("proc/driver/nvidia/gpus/0000:00:06.0/information", MODEL("NVIDIA H100 80GB HBM3"));
	cr_assert_null(gpus(&a), "no driver's version");
	put("proc/driver/nvidia/version", DRIVER);
	cr_assert_str_eq(gpus(&a), "gpu=NVIDIA H100 80GB HBM3 driver=580.159.04");
	put("proc/driver/nvidia/gpus/0000:00:07.0/information", MODEL("NVIDIA H100 80GB HBM3"));
	cr_assert_str_eq(gpus(&a), "gpu=NVIDIA H100 80GB HBM3 driver=580.159.04", "two of a kind");
	put("proc/driver/nvidia/gpus/0000:00:05.0/information", MODEL("NVIDIA L4"));
	put("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  "
	                                  "535.129.03  "
	                                  "Thu Oct 19 18:56:32 UTC 2023\n"
	                                  "GCC version:  gcc version 11.4.0\n");
	cr_assert_str_eq(gpus(&a), "gpu=NVIDIA H100 80GB HBM3,NVIDIA L4 driver=535.129.03");
	put("proc/driver/nvidia/version", "NVRM version: something else\n");
	cr_assert_null(gpus(&a));
	put("proc/driver/nvidia/version", DRIVER);
	put("proc/driver/nvidia/gpus/0000:00:08.0/information", "IRQ: 41\n");
	cr_assert_null(gpus(&a), "one that does not say its model");
	arena_free(&a);
}

Test(unit_device, npus, .init = scratch_make, .fini = scratch_remove)
{
	struct arena a = ARENA_INIT;
	const char *why = NULL;

	cr_assert_str_eq(device_npus(scratch_dir, &a, &why), "npu=none");
	put("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
	put("sys/bus/pci/devices/0000:02:00.0/vendor", "0x19e5\n"); /* its network card */
	put("sys/bus/pci/devices/0000:02:00.0/class", "0x020000\n");
	put("sys/bus/pci/devices/0000:02:00.0/device", "0x0222\n");
	cr_assert_str_eq(device_npus(scratch_dir, &a, &why), "npu=none");
	put("sys/bus/pci/devices/0000:c1:00.0/vendor", "0x19e5\n");
	put("sys/bus/pci/devices/0000:c1:00.0/class", "0x120000\n");
	put("sys/bus/pci/devices/0000:c1:00.0/device", "0xd802\n");
	cr_assert_str_eq(device_npus(scratch_dir, &a, &why), "npu=0xd802");
	put("sys/bus/pci/devices/0000:c2:00.0/vendor", "0x19e5\n");
	cr_assert_null(device_npus(scratch_dir, &a, &why), "its class cannot be read");
	put("sys/bus/pci/devices/0000:c2:00.0/class", "0x120000\n");
	cr_assert(!device_npus(scratch_dir, &a, &why) && *why, "nor can which one it is");
	put("sys/bus/pci/devices/0000:c2:00.0/device", "0xd803\n");
	cr_assert_str_eq(device_npus(scratch_dir, &a, &why), "npu=0xd802,0xd803");
	mkdir(scratch("sys/bus/pci/devices/0000:c3:00.0"), 0755);
	cr_assert_null(device_npus(scratch_dir, &a, &why), "nor whose it is");
	arena_free(&a);
}

/* A library of that name in a package of its own, loaded. */
static void load_library(const char *package, const char *name, const char *flags)
{
	char command[1024], path[512];

	snprintf(path, sizeof path, "%s/%s/lib/%s", scratch_dir, package, name);
	snprintf(command, sizeof command,
	         "mkdir -p %s/%s/lib && echo 'int unused;' | cc -shared -fPIC %s -o %s -x c -",
	         scratch_dir, package, flags, path);
	cr_assert_eq(system(command), 0);
	cr_assert(dlopen(path, RTLD_NOW | RTLD_LOCAL), "%s", dlerror());
}

static void load_torch(const char *build_id)
{
	put("torch/version.py", "__version__ = '2.13.0'\n");
	load_library("torch", "libtorch_cpu.so", build_id);
}

static const char *scope(enum unit_class class, char *const envp[], int forked, struct arena *a)
{
	struct settings s = settings_of(envp, a);
	const char *why = NULL, *text = unit_scope(class, &s, envp, forked, NULL, a, &why);

	cr_assert(text || (why && *why), "no word why");
	return text;
}

Test(unit_scope, without_torch_no_graph_is_shared)
{
	struct arena a = ARENA_INIT;
	struct torch_build t;
	const char *why = NULL;

	cr_assert_eq(torch_build_read(&t, &a, &why), -1);
	cr_assert_str_eq(why, "torch is not loaded");
	cr_assert_null(scope(UNIT_FXGRAPH, no_env, 0, &a));
	cr_assert_null(scope(UNIT_TORCHAIR, no_env, 0, &a));
	cr_assert_str_eq(scope(UNIT_TRITON, no_env, 0, &a), "");
	cr_assert_str_eq(scope(UNIT_TRITON, no_env, 1, &a), "", "compile workers are forked");
	cr_assert_str_eq(scope(UNIT_JITERATOR, ENV("RANK=x"), 1, &a), "");
	cr_assert_null(scope(0, no_env, 0, &a));
	cr_assert_null(scope(UNIT_CLASSES_MAX - 1, no_env, 0, &a));
	arena_free(&a);
}

Test(unit_scope, torch_that_does_not_say_what_it_is, .init = scratch_make, .fini = scratch_remove)
{
	struct arena a = ARENA_INIT;

	load_torch("-Wl,--build-id=none");
	cr_assert_null(scope(UNIT_FXGRAPH, no_env, 0, &a));
	arena_free(&a);
}

Test(unit_scope, graphs, .init = scratch_make, .fini = scratch_remove)
{
	struct arena a = ARENA_INIT;
	struct rank r = {.rank = 1, .world = 2};
	const char *plain, *ranked, *text;

	load_library("torch", "libtorch_cpu.so", "-Wl,--build-id");
	cr_assert_null(scope(UNIT_FXGRAPH, no_env, 0, &a), "no version.py");
	put("torch/version.py", "__version__ = '2.13.0'\n");
	plain = scope(UNIT_FXGRAPH, no_env, 0, &a);
	cr_assert_not_null(plain);
	cr_assert_eq(strncmp(plain, "world=1 rank=0 isa=", 19), 0, "%s", plain);
	cr_assert_eq(strlen(plain), 19 + 32 + strlen(" torch=") + 32, "%s", plain);
	cr_assert_str_eq(scope(UNIT_AOTAUTOGRAD, no_env, 0, &a), plain);

	/* ranks */
	ranked = scope(UNIT_FXGRAPH, ENV("RANK=1", "WORLD_SIZE=2"), 0, &a);
	cr_assert_eq(strncmp(ranked, "world=2 rank=1 isa=", 19), 0, "%s", ranked);
	cr_assert_str_eq(ranked + 14, plain + 14, "all else is the same");
	cr_assert_str_eq(unit_scope_of_peer(plain, &(struct rank){.world = 1}, &r, &a),
	                 ranked);
	cr_assert_null(unit_scope_of_peer(plain, &r, &r, &a), "not of this rank");
	cr_assert_null(scope(UNIT_FXGRAPH, ENV("RANK=2", "WORLD_SIZE=2"), 0, &a));
	cr_assert_null(scope(UNIT_FXGRAPH, ENV("RANK=1", "WORLD_SIZE=2"), 1, &a), "forked");

	/* settings */
	text = scope(UNIT_FXGRAPH, ENV("RANK=1", "WORLD_SIZE=2", "REPRISE_FX_SCOPE=shared"), 0, &a);
	cr_assert_str_eq(text, plain + strlen("world=1 rank=0 "));
	cr_assert_str_eq(scope(UNIT_FXGRAPH, ENV("RANK=9", "REPRISE_FX_SCOPE=shared"), 0, &a),
	                 text);
	cr_assert_null(scope(UNIT_FXGRAPH, ENV("REPRISE_FX_SCOPE=shared"), 1, &a),
	               "the loader's lock may be held");
	cr_assert_null(scope(UNIT_FXGRAPH, ENV("REPRISE_FX_SCOPE=off"), 0, &a));

	/* what the numbers depend on */
	cr_assert_str_neq(scope(UNIT_FXGRAPH, ENV("ATEN_CPU_CAPABILITY=avx2"), 0, &a), plain);
	cr_assert_str_neq(scope(UNIT_FXGRAPH, ENV("ATEN_CPU_CAPABILITY="), 0, &a), plain);
	cr_assert_str_eq(scope(UNIT_FXGRAPH, ENV("HOME=/elsewhere", "PATH=/bin"), 0, &a), plain);
	put("torch/version.py", "__version__ = '2.13.1'\n");
	cr_assert_str_neq(scope(UNIT_FXGRAPH, no_env, 0, &a), plain);
	put("torch/version.py", "");
	cr_assert_null(scope(UNIT_FXGRAPH, no_env, 0, &a));
	arena_free(&a);
}

Test(unit_scope, another_build_of_torch, .init = scratch_make, .fini = scratch_remove)
{
	static const char *const flags[] = {"-Wl,--build-id=0x0011223344556677",
	                                    "-Wl,--build-id=0x0011223344556678"};
	struct arena a = ARENA_INIT;
	struct torch_build t;
	struct digest seen[2];
	const char *why;

	for (int i = 0; i < 2; i++) {
		int ends[2], status;
		pid_t child;

		put("torch/version.py", "__version__ = '2.13.0'\n");
		cr_assert_eq(pipe(ends), 0);
		child = fork();
		if (child == 0) {
			load_library("torch", "libtorch_cpu.so", flags[i]);
			if (torch_build_read(&t, &a, &why) == 0)
				write(ends[1], &t.torch, sizeof t.torch);
			_exit(0);
		}
		close(ends[1]);
		cr_assert_eq(read(ends[0], &seen[i], sizeof seen[i]), (ssize_t)sizeof seen[i]);
		close(ends[0]);
		waitpid(child, &status, 0);
	}
	cr_assert(!digest_equal(&seen[0], &seen[1]));
	arena_free(&a);
}

static int hidden_scope(void)
{
	struct arena a = ARENA_INIT;

	return scope(UNIT_FXGRAPH, no_env, 0, &a) != NULL;
}

/* As after a change of user without an exec. */
Test(unit_scope, of_a_process_whose_environment_is_not_shown, .init = scratch_make,
     .fini = scratch_remove)
{
	struct arena a = ARENA_INIT;

	load_torch("-Wl,--build-id");
	cr_assert_not_null(scope(UNIT_FXGRAPH, no_env, 0, &a));
	arena_free(&a);
	cr_assert_eq(scratch_as_nobody(hidden_scope), 0);
}

Test(unit_scope, modules_of_torchair, .init = scratch_make, .fini = scratch_remove)
{
	struct arena a = ARENA_INIT;
	const char *text, *without;

	load_torch("-Wl,--build-id");
	cr_assert_null(scope(UNIT_TORCHAIR, no_env, 0, &a), "Python's version is not known");
	load_library("torch", "_C.cpython-311-x86_64-linux-gnu.so", "");
	without = scope(UNIT_TORCHAIR, ENV("REPRISE_FX_SCOPE=shared"), 0, &a);
	cr_assert_not_null(without);
	cr_assert_eq(strncmp(without, "world=1 rank=0 torch=", 21), 0, "%s", without);
	cr_assert(strstr(without, " python=cpython-311 torch_npu=none npu="), "%s", without);
	cr_assert_null(scope(UNIT_TORCHAIR, no_env, 1, &a), "forked");
	load_library("torch_npu", "libtorch_npu.so", "-Wl,--build-id");
	cr_assert_null(scope(UNIT_TORCHAIR, no_env, 0, &a), "torch_npu without version.py");
	put("torch_npu/version.py", "__version__ = '2.13.0'\n");
	text = scope(UNIT_TORCHAIR, no_env, 0, &a);
	cr_assert_not_null(text);
	cr_assert(!strstr(text, "torch_npu=none"), "%s", text);
	arena_free(&a);
}

/* The scope is the CPU's features alone: for any rank, any torch or none, any process. */
Test(unit_scope, programs_of_jax)
{
	struct arena a = ARENA_INIT;
	const char *text = scope(UNIT_JAX, no_env, 0, &a), *other;
	struct digest key, foreign;

	cr_assert_not_null(text);
	cr_assert_eq(strncmp(text, "isa=", 4), 0, "%s", text);
	cr_assert_eq(strspn(text + 4, "0123456789abcdef"), 32, "%s", text);
	cr_assert_eq(strlen(text), 36, "%s", text);
	cr_expect_str_eq(scope(UNIT_JAX, ENV("RANK=3", "WORLD_SIZE=4"), 1, &a), text);
	/* The scope of another CPU. tests/e2e/units_cpu.bats has real ones. */
	other = scope(UNIT_JAX, ENV("ATEN_CPU_CAPABILITY=avx2"), 0, &a);
	cr_assert_str_neq(other, text);
	unit_key(&key, UNIT_JAX, text, "jit_f", 5);
	unit_key(&foreign, UNIT_JAX, other, "jit_f", 5);
	cr_expect(!digest_equal(&key, &foreign));
	arena_free(&a);
}

Test(unit_scope, devices)
{
	struct arena a = ARENA_INIT;
	const char *text = scope(UNIT_BEST_CONFIG, no_env, 0, &a), *why;

	if (text && strncmp(text, "gpu=", 4) == 0) {
		cr_assert(strstr(text, " driver="), "%s", text);
	} else if (text) {
		cr_assert_eq(strncmp(text, "cpu=", 4), 0, "%s", text);
		cr_assert_str_neq(scope(UNIT_GEMM, ENV("ATEN_CPU_CAPABILITY=avx2"), 0, &a), text);
	} else {
		cr_assert_null(device_gpus("", &a, &why));
	}
	if (text)
		cr_assert_str_eq(scope(UNIT_GEMM, ENV("RANK=3", "WORLD_SIZE=4"), 1, &a), text,
		                 "any rank, any process");
	arena_free(&a);
}

Test(unit_class, switches)
{
#define BIT(id, number, ...) | 1u << number
	enum { ALL = 0 UNIT_CLASSES(BIT) };
#undef BIT
	static const struct {
		char *variable;
		unsigned off; /* 1 << class */
	} rows[] = {
		{"HOME=/", 0},
		{"REPRISE_CLASSES=none", ALL},
		{"REPRISE_CLASSES=-triton,-gemm", 1 << UNIT_TRITON | 1 << UNIT_GEMM},
		{"REPRISE_CLASSES=triton", ALL & ~(1u << UNIT_TRITON)},
		{"REPRISE_FX_SCOPE=off", 1 << UNIT_FXGRAPH | 1 << UNIT_AOTAUTOGRAD},
		{"REPRISE_FX_SCOPE=shared", 0},
		{"TORCHINDUCTOR_FX_GRAPH_CACHE=0", 1 << UNIT_FXGRAPH},
		{"TORCHINDUCTOR_FX_GRAPH_CACHE=1", 0},
		{"TORCHINDUCTOR_FX_GRAPH_CACHE=", 0},
		{"TORCHINDUCTOR_AUTOGRAD_CACHE=0", 1 << UNIT_AOTAUTOGRAD},
		{"USE_PYTORCH_KERNEL_CACHE=0", 1 << UNIT_JITERATOR},
		{"TRITON_ALWAYS_COMPILE=1", 1 << UNIT_TRITON},
		{"TRITON_ALWAYS_COMPILE=0", 0},
		{"TRITON_KERNEL_OVERRIDE=1", 1 << UNIT_TRITON},
		{"TRITON_KERNEL_OVERRIDE=0", 0},
		{"TRITON_STORE_BINARY_ONLY=1", 1 << UNIT_TRITON},
		{"LLVM_PASS_PLUGIN_PATH=/x/pass.so", 1 << UNIT_TRITON},
		{"LLVM_PASS_PLUGIN_PATH=", 0},
		{"TRITON_MOCK_PTX_VERSION=87", 1 << UNIT_TRITON},
		{"TRITON_ALLOW_NON_CONSTEXPR_GLOBALS=1", 1 << UNIT_TRITON},
		{"TRITON_PLUGIN_PATHS=/x/p.so", 1 << UNIT_TRITON},
		{"TRITON_SWAP_MIR=/x", 1 << UNIT_TRITON},
		{"TRITON_CACHE_MANAGER=a:B", 1 << UNIT_TRITON_NATIVE},
		{"TRITON_REMOTE_CACHE_BACKEND=a:B", 1 << UNIT_TRITON_NATIVE},
		{"JAX_COMPILATION_CACHE_CHECK_CONTENTS=true", 1 << UNIT_JAX},
		{"JAX_COMPILATION_CACHE_CHECK_CONTENTS=0", 0},
		{"REPRISE_CLASSES=-user_files,-user_dirs",
		 1 << UNIT_USER_FILES | 1 << UNIT_USER_DIRS},
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char **env = ENV(rows[i].variable);
		struct settings s = settings_of(env, &a);

		for (int class = 1; class < UNIT_CLASSES_MAX; class++) {
			if (!unit_rows[class].class)
				continue;
			const char *why = NULL;
			int on = unit_class_on(class, &s, env, &why);

			cr_expect_eq(on, !(rows[i].off >> class & 1), "%s: %s", rows[i].variable,
			             unit_name((unsigned)class));
			cr_expect(on || (why && *why));
		}
	}
	const char *why;
	struct settings s = settings_of(no_env, &a);
	cr_expect_eq(unit_class_on(0, &s, no_env, &why), 0);
	cr_expect_eq(unit_class_on(UNIT_CLASSES_MAX, &s, no_env, &why), 0);
	arena_free(&a);
}

/* Settings of fresh_cache(), and settings of users. */
Test(unit_class, fresh_cache)
{
	static const struct {
		char *inductor, *triton;
		int fresh;
	} rows[] = {
		{"/tmp/tmpmogzlb9m", "/tmp/tmpmogzlb9m/triton", 1},
		{"/scratch/a/tmp_8__zlb9", "/scratch/a/tmp_8__zlb9/triton", 1},
		{"/tmp/tmpmogzlb9m", "/tmp/tmpmogzlb9m/triton/0", 0},
		{"/tmp/tmpmogzlb9m", "/tmp/tmpxxxxxxxx/triton", 0},
		{"/tmp/tmpmogzlb9m", "", 0},
		{"", "/triton", 0},
		{"/tmp/tmp.gzlb9m0Xyz", "/tmp/tmp.gzlb9m0Xyz/triton", 0},
		{"/tmp/tmpmogzlb9", "/tmp/tmpmogzlb9/triton", 0},
		{"/tmp/tmpmogzlb9mm", "/tmp/tmpmogzlb9mm/triton", 0},
		{"/tmp/tmpmogzlb9m/inductor", "/tmp/tmpmogzlb9m/inductor/triton", 0},
		{"/tmp/torchinductor_u", "/tmp/torchinductor_u/triton", 0},
	};
	const unsigned kept = 1u << UNIT_TRITON | 1 << UNIT_FXGRAPH | 1 << UNIT_AOTAUTOGRAD |
		1 << UNIT_BEST_CONFIG | 1 << UNIT_GEMM | 1 << UNIT_TRITON_NATIVE |
		1 << UNIT_HELION;
	struct arena a = ARENA_INIT;
	struct settings s = settings_of(no_env, &a);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char inductor[80], triton[80], *env[3] = {inductor, triton, NULL};

		snprintf(inductor, sizeof inductor, "TORCHINDUCTOR_CACHE_DIR=%s", rows[i].inductor);
		snprintf(triton, sizeof triton, "TRITON_CACHE_DIR=%s", rows[i].triton);
		for (int class = 1; class < UNIT_CLASSES_MAX; class++) {
			if (!unit_rows[class].class)
				continue;
			const char *why = NULL;

			cr_expect_eq(unit_class_on(class, &s, env, &why),
			             !(rows[i].fresh && kept >> class & 1), "%s %s: %s",
			             inductor, triton, unit_name((unsigned)class));
		}
	}
	arena_free(&a);
}
