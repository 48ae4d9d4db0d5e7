#!/usr/bin/env bats
# TileLang's kernels for CUDA, with the real package and nvcc, without a GPU. A start in empty
# directories is compared with one that has TileLang's own.

setup_file() {
	load ../e2e/units_lib
	load ../e2e/lib
	units_setup_file
	export TILELANG=${E2E_TILELANG:-$TOP/build/kernels-venv/tilelang}
}

setup() {
	load ../e2e/units_lib
	units_setup
	load ../e2e/cuda
	need_torch
	need_nvcc
	# Of the installed nvcc's directories, not of the wheel's.
	CUDA=${NVCC%/bin/nvcc}
	[ -d "$TILELANG/tilelang" ] ||
		skip "no TileLang: scripts/kernels-python.sh --make-long downloads it"
	cat >t.py <<-'END'
	import sys, tilelang, tilelang.language as T
	def scale(n, k):
	    @T.prim_func
	    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
	        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
	            for i in T.Parallel(128):
	                B[bx * 128 + i] = A[bx * 128 + i] * k
	    return main
	for k in (2.0, 3.0):
	    kernel = tilelang.compile(scale(1024, k), out_idx=-1,
	                              target={"kind": "cuda", "arch": "sm_90a"})
	    print(kernel.get_kernel_source())
	END
}
teardown() { remote_teardown; }

# tilelang NAME plain|under CUDA [VARIABLE...]: in empty directories. $ROOT/NAME.of gets the release
# of CUDA that each kernel is made by, $ROOT/NAME its files.
tilelang() {
	local name=$1 how=$2 cuda=$3 object
	shift 3
	age
	rm -rf "$ROOT/fw"
	JOB_ENV=(PYTHONPATH="$TILELANG" CUDA_HOME="$cuda" TILELANG_CACHE_DIR="$ROOT/fw/tilelang"
		TILELANG_PRINT_ON_COMPILATION=0 "$@")
	: >"$LOG"
	unit_job "$name" "$how" t.py "$W"
	[ "$how" = plain ] || drain
	for object in "$ROOT"/fw/tilelang/*/*/kernels/*/executable.so; do
		strings -a "$object" | grep -o 'cuda_[0-9.]*\.r' | sort -u
	done >"$ROOT/$name.of"
	[ "$(wc -l <"$ROOT/$name.of")" = 2 ] || fail "$name: $(find "$ROOT/fw")"
	rm -rf "${ROOT:?}/$name"
	mv "$ROOT/fw" "$ROOT/$name"
}
# ran TOOL...: how often they were started, or served, in the last job.
ran() { grep -c " $1: \(hit\|miss\)" "$LOG" || true; }
brought() { stat_of brought_tilelang; }
none_ran() {
	[ "$(ran nvcc) $(ran '[^ ]*g++[^ ]*')" = "0 0" ] || fail "$1: $(cat "$LOG")"
}

@test "tilelang: kernels in an empty container: neither nvcc nor g++ is started" {
	tilelang plain plain "$CUDA"
	tilelang cold under "$CUDA"
	[ "$(brought) $(ran nvcc)" = "0 2" ] || fail "$(cat "$LOG")"
	[ "$(stat_of packed_tilelang)" = 2 ] || fail "$(reprise explain)"
	tilelang warm under "$CUDA"
	none_ran warm
	[ "$(brought)" = 2 ]
	cmp "$ROOT/plain.out" "$ROOT/warm.out"
	cmp "$ROOT/plain.of" "$ROOT/warm.of"
	# TileLang checks digests of these files itself.
	diff -r "$ROOT"/cold/tilelang/*/*/kernels "$ROOT"/warm/tilelang/*/*/kernels
	units_clean
}

@test "tilelang: with another nvcc, other options or another header: kernels of their own" {
	local wheel flags
	wheel=$(REPRISE_TEST_CUDA_WHEEL=${REPRISE_TEST_CUDA_WHEEL-} \
		sh "$TOP/scripts/cuda-wheel.sh") || skip "no second nvcc"
	tilelang cold under "$CUDA"
	tilelang other under "${wheel%/bin}"
	! cmp -s "$ROOT/cold.of" "$ROOT/other.of" || fail "the kernels of $NVCC"
	[ "$(brought) $(stat_of packed_tilelang)" = "0 4" ]
	tilelang again under "${wheel%/bin}"
	none_ran again
	cmp "$ROOT/other.of" "$ROOT/again.of"
	for flags in NVCC_APPEND_FLAGS=-use_fast_math NVCC_PREPEND_FLAGS=--fmad=false \
		INCLUDES="-DX "; do
		tilelang flags under "$CUDA" "$flags"
		[ "$(brought) $(ran nvcc)" = "2 2" ] || fail "$flags: $(cat "$LOG")"
	done
	# Of a package whose header was edited.
	cp -r "$TILELANG" package
	sed -i '1i // another' package/tilelang/src/tl_templates/cuda/reduce.h
	TILELANG=$PWD/package tilelang edited under "$CUDA"
	[ "$(brought) $(ran nvcc)" = "2 2" ] || fail "$(cat "$LOG")"
	TILELANG=$PWD/package tilelang edited under "$CUDA"
	none_ran edited
	units_clean
}

@test "tilelang: where CUDA_HOME changes in the process, nvcc's own results serve" {
	sed -i '1i import os; os.environ["CUDA_HOME"] += "/"' t.py
	tilelang cold under "$CUDA"
	tilelang warm under "$CUDA"
	[ "$(brought) $(stat_of units_offered)" = "0 0" ]
	[ "$(grep -c ' nvcc: hit' "$LOG")" = 2 ] || fail "$(cat "$LOG")"
	reprise explain | grep -q 'CUDA_HOME changed since this process began'
	cmp "$ROOT/cold.of" "$ROOT/warm.of"
	units_clean
}

@test "tilelang: a kernel that includes a user's header is compiled with the header that is here" {
	local n
	sed -i -e 's/ as bx:/&\n            T.import_source("#include \\"mine.h\\"\\n")/' \
		-e 's/out_idx=-1,/&\n pass_configs={"tl.device_compile_flags": flags},/' \
		-e '1a flags = ["-I" + sys.argv[1]]' t.py
	for n in 2 3; do
		echo "#define MINE $n" >mine.h
		tilelang "with$n" under "$CUDA"
		[ "$(brought) $(ran nvcc)" = "0 2" ] || fail "$(cat "$LOG")"
	done
	grep -q mine.h "$ROOT/with3.out"
	[ "$(grep -c ' nvcc: hit' "$LOG")" = 0 ] || fail "$(cat "$LOG")"
	grep -q "device_kernel.cu reads a file whose content TileLang's hash does not hold" "$LOG"
	units_clean
}
