#!/usr/bin/env bats
# Kernels of deep_jit, the JIT library of DeepGEMM and DeepEP, by its own code:
# cache/<name>.<32 hex>, whose content nvcc makes below tmp/. No GPU is needed. By pip install
# --target: E2E_DEEPGEMM=DIR is sgl-deep-gemm, E2E_DEEPEP=DIR sgl-deep-ep-v25 and NVIDIA's NCCL,
# 0.3 GB, which is downloaded to build/deep_ep if it is not there. Case directories below
# REPRISE_TEST_ROOT must not look random either, as rt-a1b2c3 does. The class deep_jit works in a
# process of Python whose library has deep_jit's headers beside it, as DeepGEMM's has.

setup_file() {
	load ../e2e/units_lib
	load ../e2e/lib
	units_setup_file
	export DEEPGEMM=${E2E_DEEPGEMM:-$TOP/build/kernels-venv/deep_gemm}
	export HOST=$BATS_FILE_TMPDIR/host
	# A random directory counts as a name, which assertions of headers below it tell.
	export DEEPEP=${E2E_DEEPEP:-$TOP/build/deep_ep}
}

setup() {
	load ../e2e/units_lib
	units_setup
	load ../e2e/cuda
	need_torch
	need_nvcc
	CUDA=${NVCC%/bin/nvcc}
	[ -d "$DEEPGEMM/deep_gemm/include/deep_jit" ] ||
		skip "no DeepGEMM: scripts/kernels-python.sh --make-long downloads it"
	[ -x "$HOST" ] ||
		sh "$TOP/tests/long/deep_jit.sh" "$DEEPGEMM" "$JOB_PYTHON" "$CUDA" "$HOST" || return
	mkdir -p include/counted include/other
	echo '#define A 2.0f' >include/counted/a.cuh
	echo '#define B 3.0f' >include/other/b.cuh
	put k.cu '#include <counted/a.cuh>' '#include <other/b.cuh>' \
		'extern "C" __global__ void k(float *x) { *x = sinf(*x) * A / B; }'
	LIBRARY=(DG "$W" k.cu "$W/include" counted)
}
teardown() { remote_teardown; }

# kernel NAME plain|under|kept CUDA [VARIABLE]: $ROOT/NAME.cubin, of an empty cache. kept: of the
# cache that the last plain start made.
kernel() {
	local name=$1 how=$2 cuda=$3 at=$ROOT/cache-$1 run=env
	shift 3
	age
	[ "$how" != kept ] || at=$ROOT/kept
	[ "$how" != under ] || run=under
	: >"$LOG"
	"$run" env "${LIBRARY[0]}_JIT_CACHE_DIR=$at" CUDA_HOME="$cuda" "$@" \
		"$HOST" "${LIBRARY[@]}" >"$ROOT/$name.at" 3>&-
	cp "$(<"$ROOT/$name.at")/kernel.cubin" "$ROOT/$name.cubin"
	[ "$how" != plain ] || { rm -rf "$ROOT/kept"; mv "$at" "$ROOT/kept"; }
}
# compiled: compiles of nvcc, which also says its version at each start.
compiled() { grep -c ' nvcc: miss' "$LOG" || true; }

@test "deep_jit: a kernel in an empty cache elsewhere: nvcc does not run" {
	kernel plain plain "$CUDA"
	kernel cold under "$CUDA"
	[ "$(compiled)" -ge 1 ] || fail "nothing was compiled"
	kernel warm under "$CUDA"
	[ "$(grep -c ': miss' "$LOG")" = 0 ] || fail "$(cat "$LOG")"
	[ "$(basename "$(<"$ROOT/plain.at")")" = "$(basename "$(<"$ROOT/warm.at")")" ]
	cmp "$ROOT/plain.cubin" "$ROOT/cold.cubin"
	cmp "$ROOT/plain.cubin" "$ROOT/warm.cubin"
	# deep_jit takes a kernel with this file as whole.
	[ -e "$(<"$ROOT/warm.at")/.committed" ]
}

# own NAME CUDA [VARIABLE]: a kernel of its own. served: the next start gets it.
own() {
	kernel "$1" under "${@:2}"
	[ "$(compiled)" -ge 1 ] || fail "$1: not compiled: $(cat "$LOG")"
	kernel "$1-plain" plain "${@:2}"
	cmp "$ROOT/$1.cubin" "$ROOT/$1-plain.cubin"
	! cmp -s "$ROOT/$1.cubin" "$ROOT/first.cubin" || fail "$1 has no effect"
}
served() {
	kernel "$1-again" under "${@:2}"
	[ "$(compiled)" = 0 ] || fail "$1: $(cat "$LOG")"
	cmp "$ROOT/$1.cubin" "$ROOT/$1-again.cubin"
}

@test "deep_jit: other options, another header, another nvcc: kernels of their own" {
	local wheel
	kernel first under "$CUDA"
	# Names bind where a variable adds options.
	own options "$CUDA" NVCC_APPEND_FLAGS=-use_fast_math
	echo '#define A 5.0f' >include/counted/a.cuh
	own counted "$CUDA"
	served counted "$CUDA"
	# deep_jit's own directory, kept, has the old kernel: its key holds no such header.
	kernel counted plain "$CUDA"
	echo '#define B 4.0f' >include/other/b.cuh
	kernel kept kept "$CUDA"
	cmp "$ROOT/kept.cubin" "$ROOT/counted.cubin"
	own other "$CUDA"
	served other "$CUDA"
	! cmp -s "$ROOT/other.cubin" "$ROOT/kept.cubin" || fail "the header has no effect"
	wheel=$(REPRISE_TEST_CUDA_WHEEL=${REPRISE_TEST_CUDA_WHEEL-} \
		sh "$TOP/scripts/cuda-wheel.sh") || skip "no second nvcc"
	own newer "${wheel%/bin}"
	served newer "${wheel%/bin}"
}

# package HEADERS...: PACKAGE, with deep_jit in its library and these headers of DeepGEMM's beside
# it. KERNEL is a source and what the names of headers begin with that deep_jit's key holds.
package() {
	local h
	[ -e "$HOST.so" ] ||
		sh "$TOP/tests/long/deep_jit.sh" "$DEEPGEMM" "$JOB_PYTHON" "$CUDA" "$HOST.so" ||
		return
	PACKAGE=$ROOT/package KERNEL=(k.cu counted)
	mkdir -p "$PACKAGE/include"
	cp "$HOST.so" "$PACKAGE/_C.so"
	for h in deep_jit "$@"; do
		cp -r "$DEEPGEMM/deep_gemm/include/$h" "$PACKAGE/include/"
	done
	put load.py 'import ctypes, os, sys' \
		'argv = [os.fsencode(word) for word in sys.argv[1:]]' \
		'ctypes.CDLL(argv[0]).main(len(argv), (ctypes.c_char_p * (len(argv) + 1))(*argv))' \
		'ctypes.CDLL(None).fflush(None)'
}

# loaded NAME plain|under CUDA [VARIABLE...]: $ROOT/NAME.cubin, by the package in a process of
# Python, whose directories are empty.
loaded() {
	local name=$1 how=$2 cuda=$3
	shift 3
	age
	: >"$LOG"
	units_wipe
	JOB_ENV=(DG_JIT_CACHE_DIR="$ROOT/fw/dg" CUDA_HOME="$cuda" "$@")
	unit_job "$name" "$how" load.py "$PACKAGE/_C.so" DG "$PACKAGE" "${KERNEL[0]}" \
		"$PACKAGE/include" "${KERNEL[@]:1}"
	cp "$(<"$ROOT/$name.out")/kernel.cubin" "$ROOT/$name.cubin"
	[ "$how" = plain ] || drain
}
brought() { stat_of brought_deep_jit; }

@test "deep_jit: a kernel of DeepGEMM's in an empty directory: nvcc says its version, no more" {
	package deep_gemm cute cutlass
	put transpose.cu '#include <deep_gemm/impls/smxx_layout.cuh>' \
		'void *k = (void *)&deep_gemm::transpose_fp32<512, 64, 64, 64>;'
	KERNEL=(transpose.cu deep_gemm/)
	loaded plain plain "$CUDA"
	loaded again plain "$CUDA"
	# Two compiles of one kernel differ, in names that hold a hash of a random directory.
	! cmp -s "$ROOT/plain.cubin" "$ROOT/again.cubin" ||
		fail "deep_jit's compiles are alike: nvcc can be replayed without the class"
	loaded cold under "$CUDA"
	[ "$(compiled) $(brought) $(stat_of packed_deep_jit)" = "2 0 1" ] ||
		fail "$(reprise explain)"
	loaded warm under "$CUDA"
	[ "$(grep -c ': miss' "$LOG")" = 0 ] || fail "$(cat "$LOG")"
	[ "$(brought)" = 1 ] || fail "$(reprise explain)"
	cmp "$ROOT/cold.cubin" "$ROOT/warm.cubin"
	[ -e "$(<"$ROOT/warm.out")/.committed" ]
	units_clean
}

# differs NAME CUDA [VARIABLE]: a kernel of its own, as a plain start makes it, which the next start
# gets.
differs() {
	local n
	n=$(brought)
	loaded "$1" under "${@:2}"
	[ "$(compiled)" -ge 1 ] && [ "$(brought)" = "$n" ] || fail "$1: $(cat "$LOG")"
	loaded "$1-plain" plain "${@:2}"
	cmp "$ROOT/$1.cubin" "$ROOT/$1-plain.cubin"
	! cmp -s "$ROOT/$1.cubin" "$ROOT/first.cubin" || fail "$1 has no effect"
	gets "$1" "${@:2}"
}
gets() {
	local n
	n=$(brought)
	loaded "$1-again" under "${@:2}"
	[ "$(compiled)" = 0 ] && [ "$(brought)" = $((n + 1)) ] || fail "$1: $(reprise explain)"
	cmp "$ROOT/$1.cubin" "$ROOT/$1-again.cubin"
}

@test "deep_jit: the class: another nvcc, header, option or path: kernels of their own" {
	package
	cp -r include/counted include/other "$PACKAGE/include/"
	put k.cu '#include <counted/a.cuh>' '#include <other/b.cuh>' '#ifndef Z' '#define Z 1' \
		'#endif' 'extern "C" __global__ void k(float *x)' \
		'{ *x = sinf(*x) * A / B - Z; is(*x); }'
	echo '__device__ void is(float x) { if (x > 9) printf("%s", __FILE__); }' \
		>>"$PACKAGE/include/other/b.cuh"
	loaded first under "$CUDA"
	gets first "$CUDA"
	differs options "$CUDA" NVCC_APPEND_FLAGS=-use_fast_math
	# Of the same release, so that deep_jit names the kernel alike.
	(cuda_tree bin/nvcc.profile)
	echo 'INCLUDES += "-DZ=7" $(_SPACE_)' >>cuda/bin/nvcc.profile
	differs profile "$W/cuda"
	[ "$(basename "$(<"$ROOT/profile.out")")" = "$(basename "$(<"$ROOT/first.out")")" ]
	# deep_jit's key holds no header of CUTLASS, for which this one stands.
	printf '%s\n' '#undef B' '#define B 4.0f' >>"$PACKAGE/include/other/b.cuh"
	differs header "$CUDA"
	[ "$(basename "$(<"$ROOT/header.out")")" = "$(basename "$(<"$ROOT/first.out")")" ]
	sed -i '/^#undef/,$d' "$PACKAGE/include/other/b.cuh"
	gets first "$CUDA"
	# The kernel prints the path of the header, which deep_jit's key does not hold either.
	cp -r "$PACKAGE" "$ROOT/elsewhere"
	PACKAGE=$ROOT/elsewhere
	differs elsewhere "$CUDA"
	# The path by which Python loads the library, as a link or not.
	mv "$ROOT/package" "$ROOT/behind"
	ln -s behind "$ROOT/package"
	PACKAGE=$ROOT/package
	gets first "$CUDA"
	PACKAGE=$ROOT/behind
	differs behind "$CUDA"
	units_clean
}

@test "deep_jit: the class: a header that was another one while nvcc ran" {
	local header before
	package
	cp -r include/counted include/other "$PACKAGE/include/"
	header=$PACKAGE/include/other/b.cuh
	before=$(<"$header")
	loaded first plain "$CUDA"
	put swap.py 'import glob, sys, time' \
		'def wait(pattern):' \
		'    for i in range(60000):' \
		'        if glob.glob(sys.argv[1] + pattern): return' \
		'        time.sleep(0.001)' \
		'wait("/tmp/*")' \
		'open(sys.argv[2], "w").write("#define B 4.0f\n")'
	units_wipe
	"$PY" swap.py "$ROOT/fw/dg" "$header" 3>&- &
	unit_job swapped under load.py "$PACKAGE/_C.so" DG "$PACKAGE" k.cu "$PACKAGE/include" \
		counted
	wait $!
	! cmp -s "$(<"$ROOT/swapped.out")/kernel.cubin" "$ROOT/first.cubin" ||
		fail "nvcc read the header before it was another one"
	echo "$before" >"$header"
	drain
	[ "$(stat_of packed_deep_jit)" = 0 ]
	grep -q 'changed since its source was written' "$LOG" || fail "$(cat "$LOG")"
	loaded again under "$CUDA"
	cmp "$ROOT/first.cubin" "$ROOT/again.cubin"
	units_clean
}

# deep_jit then touches .committed.
@test "deep_jit: the class: a kernel that another process takes before it is packed" {
	local job
	package
	cp -r include/counted "$PACKAGE/include/"
	put k.cu '#include <counted/a.cuh>' \
		'extern "C" __global__ void k(float *x) { *x = *x * A; }'
	JOB_ENV=(DG_JIT_CACHE_DIR="$ROOT/fw/dg" CUDA_HOME="$CUDA")
	age
	for job in compiles takes; do
		unit_job $job under load.py "$PACKAGE/_C.so" DG "$PACKAGE" k.cu \
			"$PACKAGE/include" counted
	done
	drain
	[ "$(stat_of packed_deep_jit)" = 1 ] || fail "$(cat "$LOG")"
	units_clean
}

@test "deep_jit: the class: what its scope does not hold is compiled" {
	local n
	package
	cp -r include/counted include/other "$PACKAGE/include/"
	# Options name a directory, as DeepEP's name NCCL's.
	KERNEL+=(-I"$ROOT/other")
	mkdir "$ROOT/other"
	for n in 1 2; do
		loaded "named$n" under "$CUDA"
	done
	[ "$(brought) $(stat_of packed_deep_jit)" = "0 0" ]
	grep -q 'an option that compiled it may name a file' "$LOG" || fail "$(cat "$LOG")"
	unset "KERNEL[2]"
	loaded nvcc under "$CUDA" DJ_JIT_NVCC_COMPILER="$CUDA/bin/nvcc"
	[ "$(stat_of units_offered)" = 2 ]
	reprise explain | grep -q 'a variable of its own names nvcc' || fail "$(reprise explain)"
	# Its key does not hold what a process wants beside the kernel.
	loaded stored under "$CUDA"
	[ "$(stat_of packed_deep_jit)" = 1 ]
	loaded dumped under "$CUDA" DG_JIT_DUMP_PTX=1
	[ -e "$(<"$ROOT/dumped.out")/kernel.ptx" ]
	[ "$(brought) $(stat_of packed_deep_jit)" = "0 1" ]
	units_clean
}

# deep_ep NAME FILE VALUE...: k.cu is the text that DeepEP's FILE hands to deep_jit, with the values
# of a job. Its options are those of DeepEP in the directory NAME.
deep_ep() {
	local at=$ROOT/$1/deep_ep_v25 options
	[ -d "$DEEPEP/deep_ep_v25" ] || pip install -q --no-input --no-cache-dir --no-compile \
		--no-deps --target "$DEEPEP" sgl-deep-ep-v25==0.1.0rc0 nvidia-nccl-cu13==2.32.3 \
		>"$ROOT/pip" 2>&1 ||
		skip "pip: $(grep -a '^ERROR' "$ROOT/pip" | tail -n 1 | cut -c 1-160)"
	[ -d "$at" ] || { mkdir "$ROOT/$1" && cp -r "$DEEPEP/deep_ep_v25" "$ROOT/$1"; }
	"$PY" - "$at/csrc/kernels/$2" "${@:3}" >k.cu <<-'END'
	import re, sys
	text = re.search(r'R"\((.*?)\)"', open(sys.argv[1]).read(), re.S)[1]
	print(text.format(*sys.argv[2:]))
	END
	readarray -t options < <(sed -n 's/^\t* *nvcc_flags.emplace_back("\(-[^"]*\)");$/\1/p' \
		"$at/csrc/runtime/jit.hpp" | grep -v DEBUG)
	[ ${#options[@]} -ge 5 ] || fail "DeepEP's options are written in another way"
	LIBRARY=(EP "$at" k.cu "$at/include" deep_ep/ "${options[@]}"
		-I"$DEEPEP/nvidia/nccl/include" -DEP_NUM_TOPK_IDX_BITS=64)
}

@test "deep_jit: kernels of DeepEP in an empty cache elsewhere: nvcc does not run" {
	local way
	for way in 'comm/barrier.hpp true 1 512 1 8 100000000000 true false' \
		'pp/pp_send_recv.hpp 24 8 232448 2 100000000000'; do
		# shellcheck disable=SC2086 # words
		deep_ep here $way
		kernel plain plain "$CUDA"
		kernel cold under "$CUDA"
		[ "$(compiled)" -ge 1 ] || fail "nothing was compiled"
		kernel warm under "$CUDA"
		[ "$(grep -c ': miss' "$LOG")" = 0 ] || fail "$(cat "$LOG")"
		cmp "$ROOT/plain.cubin" "$ROOT/cold.cubin"
		cmp "$ROOT/plain.cubin" "$ROOT/warm.cubin"
		[ "$(basename "$(<"$ROOT/plain.at")")" = "$(basename "$(<"$ROOT/warm.at")")" ]
		rm -rf "$ROOT"/cache-*
	done
	# Its headers' assertions tell their path, which DeepEP's own key leaves out.
	# shellcheck disable=SC2086
	deep_ep elsewhere $way
	kernel kept kept "$CUDA"
	cmp "$ROOT/kept.cubin" "$ROOT/plain.cubin"
	kernel elsewhere under "$CUDA"
	kernel plain plain "$CUDA"
	cmp "$ROOT/plain.cubin" "$ROOT/elsewhere.cubin"
	! cmp -s "$ROOT/kept.cubin" "$ROOT/elsewhere.cubin" || fail "no path is told"
}
