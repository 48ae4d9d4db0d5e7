#!/usr/bin/env bats
# Classes of packages beside torch, Triton and JAX, with the real package: its own code looks for
# the files and writes them.

setup_file() {
	load units_lib
	load lib
	export E2E_KERNELS
	E2E_KERNELS=$(sh "$TOP/scripts/kernels-python.sh") || E2E_KERNELS=
}

setup() {
	load units_lib
	units_setup
}
teardown() { remote_teardown; }

need_kernels() {
	[ -n "$E2E_KERNELS" ] ||
		skip "no Numba or Warp: scripts/kernels-python.sh --make downloads them"
	JOB_PYTHON=$E2E_KERNELS
}

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

# bats test_tags=check
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

# Caches that are no class: their key leaves out the headers of a program, and NVRTC is replayed as
# an action, which counts them.

# nvrtc_edits PACKAGE SCRIPT PYTHONPATH: the script's kernel reads factor.h. Each start finds the package's own
# directory empty. The second one compiles nothing; one after an edit has the edit.
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
		units_wipe
		misses=$(stat_of nvrtc_misses)
		unit_job warm$n under "$2" "$ROOT/fw" "$W/warm$n"
		[ "$(stat_of nvrtc_misses)" = "$misses" ]
		[ "$(find "$ROOT/fw" -type f | wc -l)" -ge 1 ]
		units_wipe
		cmp plain$n cold$n
		cmp plain$n warm$n
	done
	! cmp -s warm2 warm3 || fail "the edit of the header has no effect"
	[ "$(stat_of nvrtc_hits)" -ge 2 ]
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

# bats test_tags=check
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
