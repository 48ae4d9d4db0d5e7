/* tests/unit/test_unit_shape.c */
#include "units/shape/declared.h"
#include "units/shape/shape.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names as torch 2.11 and 2.13, Triton 3.6 and 3.9 and TorchAir made them. */
#define B "J3RQNWCFZI5PCG767UKW7CRM6OIQAMKYXRBFLTQHEOE4XJEL7FMQ"
#define B2 "T4FSEKJL7P4A7A3IVEB3BN4SUQJ2DXEPYE726RLHRXPOF5T36HEA"
#define B64 "ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs" /* Triton 3.2 */
#define F "fs222jsthm72xuud76qmdcf7kfq4nhkusz6xb3zfja7ntqb4ftky"
#define FM "3j7tqdxbqvcfwfo53p7sed2a732xgm46r2pew46f6mn2xxs6iio"
#define A "ac6ikiov7ynx7fkzv27fdpec4z3dzujvoemxlo6czatgwcuklat5"
#define AM "ihpi4kdeflgiggsoqfjdtw5vohujehz2d3fskkhcfbjtaaeoqpv"
#define X "3f786850e387550fdab836ed7e6dc881de23001bb3f4a0d7a9a5c0f1f8f2c9e1"
#define J "erfinv_arch8.6_nvrtc12.4_sass_10935_86f7e437faa5a7fce15d1ddcb9eaea377667"
#define M "Model_dynamic_0cc175b9c0f1b6a831c399e269772661"
#define G "Net_static_aclgraphcache_92eb5ffee6ae2fec3ad71c777531578f"
#define DG "kernel_1.00f0a1b2c3d4e5f60718293a4b5c6d7e"
#define W "wp_mymod_ed7499b"
#define UUID "6fa459ea-ee8a-4ca4-894e-db77e160355e"

static const struct row {
	const char *shape; /* below any root */
	enum unit_class class;
	enum unit_part part;
	const char *name, *member;
} rows[] = {
	{B, UNIT_TRITON, PART_UNIT, B, NULL},
	{B2, UNIT_TRITON, PART_UNIT, B2, NULL},
	{B64, UNIT_TRITON, PART_UNIT, B64, NULL},
	{B64 "/__grp__add_kernel.json", UNIT_TRITON, PART_INDEX, B64, "__grp__add_kernel.json"},
	{B64 "/add_kernel.ptx", UNIT_TRITON, PART_MEMBER, B64, "add_kernel.ptx"},
	{B "/__grp__add_kernel.json", UNIT_TRITON, PART_INDEX, B, "__grp__add_kernel.json"},
	{B2 "/__grp__k.json", UNIT_TRITON, PART_INDEX, B2, "__grp__k.json"},
	{B "/add_kernel.cubin", UNIT_TRITON, PART_MEMBER, B, "add_kernel.cubin"},
	{B "/tmp.json", UNIT_TRITON, PART_MEMBER, B, "tmp.json"},
	{B "/tmp.cubin", UNIT_TRITON, PART_MEMBER, B, "tmp.cubin"},
	{B "/__grp__.json", UNIT_TRITON, PART_MEMBER, B, "__grp__.json"},
	{B "/compiled_module", UNIT_TRITON, PART_MEMBER, B, "compiled_module"},
	{B "/cuda_utils.cpython-311-x86_64-linux-gnu.so", UNIT_TRITON_NATIVE, PART_UNIT,
	 B "/cuda_utils.cpython-311-x86_64-linux-gnu.so", NULL},
	{B64 "/__triton_launcher.so", UNIT_TRITON_NATIVE, PART_UNIT, B64 "/__triton_launcher.so",
	 NULL},
	/* Of other modules, headers and libraries are not known. */
	{B "/fast_ops.so", UNIT_TRITON, PART_MEMBER, B, "fast_ops.so"},
	{B "/cuda_utils2.so", UNIT_TRITON, PART_MEMBER, B, "cuda_utils2.so"},
	{B "/cuda_utils_so", UNIT_TRITON, PART_MEMBER, B, "cuda_utils_so"},
	{"fxgraph/s2/" F, UNIT_FXGRAPH, PART_UNIT, F, NULL},
	{"fxgraph/s2/" F "/" FM, UNIT_FXGRAPH, PART_MEMBER, F, FM},
	{"aotautograd/" A, UNIT_AOTAUTOGRAD, PART_UNIT, A, NULL},
	{"aotautograd/" A "/" AM, UNIT_AOTAUTOGRAD, PART_MEMBER, A, AM},
	{"aotautograd/" A "/entry", UNIT_AOTAUTOGRAD, PART_MEMBER, A, "entry"},
	{"s2/" X ".best_config", UNIT_BEST_CONFIG, PART_UNIT, X ".best_config", NULL},
	{"cache/" X, UNIT_GEMM, PART_UNIT, X, NULL},
	{J "b8b8", UNIT_JITERATOR, PART_UNIT, J "b8b8", NULL},
	{"i_arch9.0_nvrtc13.0_ptx_7_86f7e437faa5a7fce15d1ddcb9eaea377667b8b8", UNIT_JITERATOR,
	 PART_UNIT, "i_arch9.0_nvrtc13.0_ptx_7_86f7e437faa5a7fce15d1ddcb9eaea377667b8b8", NULL},
	{M "/forward", UNIT_TORCHAIR, PART_UNIT, M "/forward", NULL},
	{M "/forward/compiled_module", UNIT_TORCHAIR, PART_MEMBER, M "/forward", "compiled_module"},
	{G "/world16global_rank3/decode/compiled_module", UNIT_TORCHAIR, PART_MEMBER,
	 G "/world16global_rank3/decode", "compiled_module"},
	{M "/world2global_rank0_tp_rank1_pp_rank0/prefill", UNIT_TORCHAIR, PART_UNIT,
	 M "/world2global_rank0_tp_rank1_pp_rank0/prefill", NULL},
	{"Net_static_92eb5ffee6ae2fec3ad71c777531578c/f", UNIT_TORCHAIR, PART_UNIT,
	 "Net_static_92eb5ffee6ae2fec3ad71c777531578c/f", NULL}, /* 43 characters */
	{M "/tp_rank1/prefill", UNIT_TORCHAIR, PART_UNIT, M "/tp_rank1/prefill", NULL},
	{M "/pp_rank12/prefill", UNIT_TORCHAIR, PART_UNIT, M "/pp_rank12/prefill", NULL},
	{"L_static_gecache_92eb5ffee6ae2fec3ad71c777531578f/f/compiled_module", UNIT_TORCHAIR,
	 PART_MEMBER, "L_static_gecache_92eb5ffee6ae2fec3ad71c777531578f/f", "compiled_module"},
	{"jit__threefry_seed-" X "-cache", UNIT_JAX, PART_UNIT, "jit__threefry_seed-" X "-cache",
	 NULL},
	{X ".best_config", UNIT_HELION, PART_UNIT, X ".best_config", NULL},
	{"cute_dsl_" X ".mlir", UNIT_CUTE_DSL, PART_UNIT, "cute_dsl_" X ".mlir", NULL},
	{"torch_aot_compile/" X "/rank_0_12/model", UNIT_VLLM, PART_UNIT, X "/rank_0_12/model",
	 NULL},
	{"linux-x86_64/kernels/" X, UNIT_TILELANG, PART_UNIT, X, NULL},
	{"linux-x86_64/kernels/" X "/executable.so", UNIT_TILELANG, PART_MEMBER, X,
	 "executable.so"},
	{"cache/" DG, UNIT_DEEP_JIT, PART_UNIT, DG, NULL},
	{"cache/" DG "/.committed", UNIT_DEEP_JIT, PART_INDEX, DG, ".committed"},
	{"1.19.0/" W, UNIT_WARP, PART_UNIT, W, NULL},
	{"1.19.0/" W "/" W ".cpu202debe6.o", UNIT_WARP, PART_MEMBER, W, W ".cpu202debe6.o"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static enum unit_part shape_of(const char *path)
{
	/* On the heap, exactly: a sanitizer sees each byte read before or behind it. */
	char *copy = strdup(path);
	struct unit_path u;
	enum unit_part part = unit_shape(&u, copy);

	free(copy);
	return part;
}

Test(unit_shape, real_paths_below_any_root)
{
	/* the text before the shape, and the length that is reported for it */
	static const struct {
		const char *root;
		size_t len;
	} roots[] = {{"/tmp/torchinductor_me/", 21}, {"/", 0}, {"", 0}, {"relative/", 8},
	             {"../", 2}, {"./", 1},
	             {"/a//b/./c/../", 12}, {"//", 1}, {"/with space\n/", 12}, {"/x/" B "/", 55},
	             {"/fxgraph/s2/", 11},
	             {"/rank0/", 6}, {"/" M "/", 47}};
	char path[512];
	struct unit_path u;

	for (int i = 0; i < ROWS; i++) {
		for (size_t k = 0; k < sizeof roots / sizeof *roots; k++) {
			const struct row *r = &rows[i];
			size_t root = strlen(roots[k].root),
				member = r->member ? strlen(r->member) + 1 : 0;

			/* Below a module of TorchAir's any name is a method's. */
			if ((r->class == UNIT_JAX || r->class == UNIT_HELION ||
			     r->class == UNIT_CUTE_DSL) && strstr(roots[k].root, M))
				continue;
			/* That is Inductor's own. */
			if (r->class == UNIT_HELION && strstr(roots[k].root, "/s2/"))
				continue;
			snprintf(path, sizeof path, "%s%s", roots[k].root, r->shape);
			memset(&u, 0xff, sizeof u);
			cr_assert_eq(unit_shape(&u, path), r->part, "%s", path);
			cr_assert_eq(u.part, r->part);
			cr_assert_eq(u.class, r->class, "%s", path);
			cr_assert_eq(u.root_len, roots[k].len, "%s: %zu", path, u.root_len);
			cr_assert_eq(u.unit_len, strlen(path) - member, "%s", path);
			cr_assert_eq(u.name_len, strlen(r->name));
			cr_assert(memcmp(path + u.name_at, r->name, u.name_len) == 0, "%s", path);
			cr_assert_eq(u.name_at + u.name_len, u.unit_len);
			cr_assert_eq(u.member, r->member ? path + strlen(path) - member + 1 : NULL);
			cr_assert_leq(root, u.name_at);
		}
	}
}

/* Parts of any length: names of files, kernels, classes and methods; numbers of versions and ranks.
 */
static int is_free(const struct row *r, size_t at)
{
	size_t n = strlen(r->shape), unit = r->member ? n - strlen(r->member) - 1 : n,
		method = unit;
	int digit = r->shape[at] >= '0' && r->shape[at] <= '9';

	if (r->class == UNIT_TRITON)
		return r->member && at > unit;
	/* A file of another kind belongs to a kernel. */
	if (r->class == UNIT_TRITON_NATIVE)
		return at > strcspn(r->shape, "/");
	if (r->class == UNIT_JITERATOR)
		return at < strcspn(r->shape, "_") || (digit && at + 41 < n);
	if (r->class == UNIT_JAX)
		return at < strcspn(r->shape, "-");
	if (r->class == UNIT_VLLM)
		return digit && at > strlen("torch_aot_compile/" X);
	/* In a directory of another name it is Helion's. */
	if (r->class == UNIT_BEST_CONFIG)
		return at < strlen("s2/");
	if (r->class == UNIT_TILELANG)
		return (at >= strlen("linux-") && at < strcspn(r->shape, "/")) ||
		       (r->member && at > unit);
	if (r->class == UNIT_DEEP_JIT)
		return at >= strlen("cache/") && at < strcspn(r->shape, ".");
	if (r->class == UNIT_WARP)
		return (digit && at < strcspn(r->shape, "/")) || (r->member && at > unit) ||
		       (at > strcspn(r->shape, "_") && at < unit - strlen("_ed7499b"));
	if (r->class != UNIT_TORCHAIR)
		return 0;
	while (r->shape[method - 1] != '/')
		method--;
	/* Without a slash the text belongs to the name of a method. */
	return at < strcspn(r->shape, "_") || (at >= method && at < unit) || r->shape[at] == '/' ||
	       (digit && at > strcspn(r->shape, "/"));
}

Test(unit_shape, one_character_more_or_less_or_another_is_none)
{
	static const char others[] = "/._-~ 0189agzAGZ\xc3";
	char path[512];

	for (int i = 0; i < ROWS; i++) {
		const struct row *r = &rows[i];
		size_t n = strlen(r->shape);

		for (size_t at = 0; at < n; at++) {
			if (is_free(r, at))
				continue;
			snprintf(path, sizeof path, "/r/%.*s%s", (int)at, r->shape,
			         r->shape + at + 1);
			cr_assert_eq(shape_of(path), PART_NONE, "%s", path);
			snprintf(path, sizeof path, "/r/%.*s!%s", (int)at, r->shape,
			         r->shape + at + 1);
			cr_assert_eq(shape_of(path), PART_NONE, "%s", path);
		}
		for (const char *c = others; *c && !is_free(r, n - 1); c++) {
			snprintf(path, sizeof path, "/r/%s%c", r->shape, *c);
			cr_assert_eq(shape_of(path), PART_NONE, "%s", path);
		}
		/* The beginning of a unit's path is no unit, but its directory may be one. */
		for (size_t at = 1; at < n; at++) {
			snprintf(path, sizeof path, "/r/%.*s", (int)at, r->shape);
			if (r->shape[at] == '/' && shape_of(path) == PART_UNIT)
				continue;
			if ((r->class == UNIT_TRITON || r->class == UNIT_TRITON_NATIVE ||
			     r->class == UNIT_TORCHAIR) &&
			    strcspn(r->shape, "/") < at)
				continue; /* some other name */
			if ((r->class == UNIT_WARP || r->class == UNIT_TILELANG) && r->member &&
			    at > strlen(r->shape) - strlen(r->member))
				continue;
			cr_assert_eq(shape_of(path), PART_NONE, "%s", path);
		}
	}
}

Test(unit_shape, slashes_and_dots_inside_are_none)
{
	char path[512];

	for (int i = 0; i < ROWS; i++) {
		const char *shape = rows[i].shape;

		for (const char *slash = strchr(shape, '/'); slash;
		     slash = strchr(slash + 1, '/')) {
			static const char *const instead[] = {"//", "/./", "/../", "/x/", "/x/../",
			                                      ""};
			for (size_t k = 0; k < sizeof instead / sizeof *instead; k++) {
				/* A class or method may have any name, a root any directory. */
				if (rows[i].class == UNIT_TORCHAIR &&
				    (!*instead[k] || instead[k][1] == 'x'))
					continue;
				snprintf(path, sizeof path, "/r/%.*s%s%s", (int)(slash - shape),
				         shape, instead[k], slash + 1);
				struct unit_path u;
				enum unit_part part = unit_shape(&u, path);
				cr_assert(part == PART_NONE || u.class != rows[i].class ||
				          (u.part == PART_UNIT && u.root_len > 2), "%s", path);
			}
		}
		snprintf(path, sizeof path, "/r/%s/", shape);
		cr_assert_eq(shape_of(path), PART_NONE, "%s", path);
		snprintf(path, sizeof path, "/r/%s/.", shape);
		cr_assert_eq(shape_of(path), PART_NONE, "%s", path);
		snprintf(path, sizeof path, "/r/%s/..", shape);
		cr_assert_eq(shape_of(path), PART_NONE, "%s", path);
	}
}

static const char *const no_units[] = {
	"", "/", ".", "//", "x", "/x", "/x/",
	/* temporary names */
	"/c/" B "/tmp.pid_4711_" UUID, "/c/" B "/tmp.pid_4711_" UUID "/k.cubin",
	"/c/" B "/tmp." UUID,
	"/c/" B "/tmp.pid_4711_" UUID "/cuda_utils.cpython-311-x86_64-linux-gnu.so",
	"/c/" B "/.so", "/c/cuda_utils.so",
	"/c/" B "/k.cubin.tmp.pid_4711_999999", "/c/" B64 "/tmp.pid_4711_" UUID,
	"/c/tmp." UUID, "/c/tmp." UUID "/__grp__k.json", "/c/" B "/.4711.140213.tmp",
	"/c/" B "/.nfs0000000000000001",
	"/c/fxgraph/s2/" F "/.4711.140213.tmp", "/c/aotautograd/" A "/.4711.140213.tmp",
	"/c/s2/.4711.140213.tmp",
	"/c/cache/.4711.140213.tmp", "/k/" J "b8b8_tmp_4711",
	"/c/" B "/.reprise-0123456789abcdef-host", "/c/.reprise-0123456789abcdef-host",
	/* other classes of files in the same directories */
	"/c/s2/c" FM ".py", "/c/s2/c" FM ".cpp", "/c/s2/c" FM ".main.so",
	"/c/locks/c" FM ".lock", "/c/" F, "/c/" A,
	"/c/s2/" F, "/c/fxgraph/" F, "/c/fxgraph/s2", "/c/fxgraph", "/c/aotautograd",
	"/c/cache", "/c/s2",
	"/c/dynamo/" X "/entry", "/c/fxgraph/s2/" F "/entry", "/c/aotautograd/" F,
	"/c/fxgraph/c6/" A,
	"/c/fxgraph/2s/" F, "/c/fxgraph/s2/" FM, "/c/aotautograd/" A "/" AM "/x",
	"/c/cache/x/" X, "/c/cachex/" X,
	"/c/xcache/" X, "/c/cache/" X ".lock",
	"/c/s2/" X ".best_confi", "/c/s2/" F ".best_config",
	"/c/s2/c" FM ".so", "/c/s2/c" FM ".so.error", "/c/s2/c" FM ".o", "/c/s2/c" FM ".cu",
	"/c/s2/c" FM ".halide/done",
	"/c/s2/c" FM ".halide/halide_kernel.a", "/c/halide-runtime-host-c" FM "/done",
	"/c/memoizer_cache.json",
	"/c/cache/should_pad/0cc175b9c0f1b6a831c399e269772661", "/c/cache/should_pad/" X,
	"/c/cache/dir.lock", "/c/mega_cache.bin",
	"/c/aclnn_static_shape_kernel_outputs/ts20261123_pid4711_outputs/k.run",
	"/c/" M "/forward/aclnn_static_shape_kernel_outputs/ts1_pid1_outputs/k.run",
	"/a/kernel_cache/ascend910b/k.o",
	"/h/atc_data/kernel_cache/Ascend910B/k.json", "/c/npu/wrapper.so",
	"/c/npu/compile.lock",
	/* the 52nd character of base32 holds one bit */
	"/c/J3RQNWCFZI5PCG767UKW7CRM6OIQAMKYXRBFLTQHEOE4XJEL7FMB",
	"/c/J3RQNWCFZI5PCG767UKW7CRM6OIQAMKYXRBFLTQHEOE4XJEL7FMB/__grp__k.json",
	/* ... of base64 four; a real one has letters of both kinds and digits */
	"/c/ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLt",
	"/c/ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSL=",
	"/c/some_word_that_Somebody_joined_to_name_mork/__grp__k.json",
	"/c/some_word_that_somebody_joined_to_name_200k",
	"/c/SOME_WORD_THAT_SOMEBODY_JOINED_TO_NAME_200U",
	"/c/Net_static_92eb5ffee6ae2fec3ad71c777531578c",
	/* TorchAir's levels */
	"/c/" M, "/c/" M "/", "/c/" M "/world8global_rank0", "/c/" M "/tp_rank0",
	"/c/" M "/tp_rank0/pp_rank0",
	"/c/" M "/compiled_module", "/c/" M "/tp_rank0/compiled_module",
	"/c/" M "/forward/graph_1_2.om",
	"/c/" M "/forward/graph_1.idx", "/c/" M "/forward/x/compiled_module",
	"/c/" M "/rank0/forward",
	"/c/" M "/pp_rank0_tp_rank0/forward", "/c/" M "/world8/forward",
	"/c/" M "/world8global_rank/forward",
	"/c/_dynamic_0cc175b9c0f1b6a831c399e269772661/forward",
	"/c/Model_0cc175b9c0f1b6a831c399e269772661/forward",
	"/c/Model_dynamic_0CC175b9c0f1b6a831c399e269772661/forward",
	/* jiterator */
	"/k/_arch8.6_nvrtc12.4_ptx_1_86f7e437faa5a7fce15d1ddcb9eaea377667b8b8",
	"/k/x_arch8._nvrtc12.4_ptx_1_86f7e437faa5a7fce15d1ddcb9eaea377667b8b8",
	"/k/x_arch8.6_nvrtc12.4_cub_1_86f7e437faa5a7fce15d1ddcb9eaea377667b8b8",
	"/k/x_arch8.6_nvrtc12.4_ptx__86f7e437faa5a7fce15d1ddcb9eaea377667b8b8",
	"_86f7e437faa5a7fce15d1ddcb9eaea377667b8b8",
	"/86f7e437faa5a7fce15d1ddcb9eaea377667b8b8"
	"_86f7e437faa5a7fce15d1ddcb9eaea377667b8b8",
	/* what Python looks for */
	"/usr/lib/python3/dist-packages/foo/__init__.cpython-311-x86_64-linux-gnu.so",
	"/usr/lib/python3/foo",
	"1111111111111111111111111111111111111111/x",
	"/1111111111111111111111111111111111111111/x", "/A/x", "/Q", "A/x",
	"/site-packages/torch/_inductor/runtime/entry", "/x/compiled_module",
	"compiled_module", "entry",
};

Test(unit_shape, what_frameworks_have_beside_units_is_none)
{
	for (size_t i = 0; i < sizeof no_units / sizeof *no_units; i++)
		cr_expect_eq(shape_of(no_units[i]), PART_NONE, "%s", no_units[i]);
}

Test(unit_shape, triton_autotuning_results_are_neither_looked_for_nor_complete)
{
	struct unit_path u;

	cr_assert_eq(unit_shape(&u, "/c/" B "/k.autotune.json"), PART_MEMBER);
	cr_expect(!unit_looked_up(&u) && !unit_completes(&u, 0) && !unit_completes(&u, 1));
}

Test(unit_shape, inductors_configurations_and_helions)
{
	struct unit_path u;

	unit_shape(&u, "/c/s2/" X ".best_config");
	cr_expect_eq(u.class, UNIT_BEST_CONFIG);
	unit_shape(&u, "/c/helion/" X ".best_config");
	cr_expect_eq(u.class, UNIT_HELION);
	unit_shape(&u, "/c/s1/" X ".best_config");
	cr_expect_eq(u.class, UNIT_HELION);
}

Test(unit_shape, every_class_has_an_example)
{
	for (int class = 1; class < UNIT_CLASSES_MAX; class++) {
		int examples = 0;

		for (int i = 0; i < ROWS; i++)
			examples += (int)rows[i].class == class;
		cr_assert_eq(examples > 0,
		             unit_rows[class].class > 0 &&
		                     !(unit_rows[class].scope & SCOPE_DECLARED),
		             "%s", unit_name((unsigned)class));
	}
}

Test(unit_shape, what_completes_a_unit)
{
	static const struct {
		const char *path;
		int looked_up, renamed, opened;
	} v[] = {
		{"/c/" B, 0, 1, 0}, {"/c/" B "/__grp__k.json", 1, 1, 0},
		{"/c/" B "/k.cubin", 0, 0, 0},
		{"/c/fxgraph/s2/" F, 1, 0, 0}, {"/c/fxgraph/s2/" F "/" FM, 1, 1, 0},
		{"/c/aotautograd/" A, 1, 0, 0}, {"/c/aotautograd/" A "/entry", 1, 1, 0},
		{"/c/s2/" X ".best_config", 1, 1, 1}, {"/c/cache/" X, 1, 1, 1},
		{"/k/" J "b8b8", 1, 1, 1},
		{"/c/" M "/forward", 1, 0, 0}, {"/c/" M "/forward/compiled_module", 1, 1, 1},
		{"/c/jit_f-" X "-cache", 1, 1, 1},
		{"/c/" X ".best_config", 1, 1, 0}, {"/c/cute_dsl_" X ".mlir", 1, 1, 0},
		{"/c/torch_aot_compile/" X "/rank_1_0/model", 1, 1, 0},
		{"/c/1.19.0/" W, 1, 1, 0}, {"/c/1.19.0/" W "/" W ".meta", 1, 0, 0},
	};
	struct unit_path u;

	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		cr_assert_neq(unit_shape(&u, v[i].path), PART_NONE, "%s", v[i].path);
		cr_expect_eq(unit_looked_up(&u), v[i].looked_up, "%s", v[i].path);
		cr_expect_eq(unit_completes(&u, 0), v[i].renamed, "%s", v[i].path);
		cr_expect_eq(unit_completes(&u, 1), v[i].opened, "%s", v[i].path);
	}
}
