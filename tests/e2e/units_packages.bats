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
