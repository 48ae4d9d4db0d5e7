#!/usr/bin/env bats
# NVRTC and nvJitLink inside a Python process: CuPy, cuda-bindings. (ctypes: units and bench; C: the
# other suites.)

setup() {
	load lib
	load nvrtc
	case_setup
	need_nvrtc
	export PYTHONPATH=$NVRTC_PYTHON LD_LIBRARY_PATH=${NVRTC%/*} CUDA_PATH=${NVRTC%/lib/*} \
		CUPY_CACHE_DIR=$ROOT/cupy
}
teardown() { case_teardown; }

python_has() {
	"$PY" -c "import $1" 2>"$ROOT/why" || skip "no $1 for $PY: $(tail -n 1 "$ROOT/why")"
}

# Three starts of a job that find CuPy's own cache empty.
cupy_start() {
	rm -rf "$CUPY_CACHE_DIR"
	"$@" "$PY" "$E2E_DIR/nvrtc_cupy.py" o 3 || return 1
}

# bats test_tags=check
@test "nvrtc python: CuPy, whose programs lie in a directory of tempfile's" {
	python_has cupy
	cupy_start env
	mv o plain
	cupy_start under
	diff -r plain o
	rm -r o
	local cold warm third
	cold=$(stat_of misses)
	cupy_start under
	diff -r plain o
	rm -r o
	warm=$(stat_of misses)
	cupy_start under
	diff -r plain o
	third=$(stat_of misses)
	[ -z "${REPRISE_TEST_UNCOUNTED-}" ] || return 0
	# CuPy asks for its compiler, once each; 3 raw kernels, 3 with headers, 3 templates, an
	# error.
	[ "$cold" -ge 10 ] || { fail "$cold misses"; return 1; }
	# CuPy's headers ask for their own names, but no kernel for its.
	[ "$cold" = "$warm" ] || { fail "$((warm - cold)) misses in the second start"; return 1; }
	[ "$third" = "$warm" ] || { fail "$((third - warm)) misses in the third start"; return 1; }
}

@test "nvrtc python: cuda-bindings, NVRTC and nvJitLink" {
	python_has cuda.bindings.nvrtc
	differential --tools 7 -- "$PY" "$E2E_DIR/nvrtc_bindings.py" o
	again hit
	[ -n "${REPRISE_TEST_UNCOUNTED-}" ] || [ "$(stat_of nvjitlink_hits)" -ge 2 ]
}
