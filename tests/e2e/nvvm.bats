#!/usr/bin/env bats
# libNVVM inside a process: what a compile depends on, and numba-cuda, which compiles through it. No
# GPU is needed.

setup() {
	load lib
	load nvrtc
	case_setup
	need_nvvm
}
# If a case failed, prints the library's last answers.
teardown() {
	[ -n "${BATS_TEST_COMPLETED-}" ] ||
		tail -n 20 "$ROOT"/r/*.tree/o/*/{answers,ProgramLog} 2>&1 || true
	case_teardown
}

# module FILE FACTOR: a kernel that calls libdevice.
module() {
	local layout=e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128
	layout+=-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64
	mkdir -p "${1%/*}"
	cat >"$1" <<-END
	target triple = "nvptx64-unknown-cuda"
	target datalayout = "$layout"
	declare float @__nv_sinf(float)
	define void @k(float* %p) {
	  %a = load float, float* %p
	  %b = call float @__nv_sinf(float %a)
	  %c = fmul float %b, $2.0
	  %d = fadd float %c, %a
	  store float %d, float* %p
	  ret void
	}
	!nvvm.annotations = !{!0}
	!0 = !{void (float*)* @k, !"kernel", i32 1}
	!nvvmir.version = !{!1}
	!1 = !{i32 2, i32 0, i32 3, i32 1}
	END
}

# steps DIR: the job's steps from stdin, its module and libdevice.
steps() {
	mkdir -p "$1"
	cat >"$1/steps"
	[ -e "$1/k.ll" ] || module "$1/k.ll" 3
	cp "$E2E_LIBDEVICE" "$1/libdevice.bc"
}
usual() { # DIR OPTION...
	local dir=$1
	shift
	steps "$dir" <<-END
	add k.ll k
	lazy libdevice.bc libdevice
	compile $*
	ask
	END
}

vvm() { differential "$@" -- "$VVM" "$NVVM" o j; }

@test "nvvm: plain, cold and warm are equal" {
	usual j -arch=compute_90 -opt=3
	vvm --makes o/j/CompiledResult
	grep -q '^compile 0' "$ROOT/r/warm.tree/o/j/answers"
	grep -q 'entry k(' "$ROOT/r/warm.tree/o/j/CompiledResult"
	[ "$(stat_of nvvm_hits)" -ge 1 ]
}

# bats test_tags=check
@test "nvvm: another module, option, order of options, name, way of adding" {
	usual j -arch=compute_90 -opt=3
	vvm
	module j/k.ll 4
	again miss
	module j/k.ll 3
	again hit
	usual j -arch=compute_90 -opt=0
	again miss
	usual j -opt=0 -arch=compute_90
	again miss
	usual j -arch=compute_90 -ftz=1 -prec-div=0 -prec-sqrt=0 -fma=0
	again miss
	usual j -arch=compute_90 -gen-lto
	again miss
	usual j -arch=compute_90 -g
	again miss
	printf '%s\n' 'add k.ll other' 'lazy libdevice.bc libdevice' \
		'compile -arch=compute_90 -opt=3' ask | steps j
	again miss
	steps j <<<$'lazy libdevice.bc libdevice\nadd k.ll k\ncompile -arch=compute_90 -opt=3\nask'
	again miss
	steps j <<<$'add k.ll k\nadd libdevice.bc libdevice\ncompile -arch=compute_90 -opt=3\nask'
	again miss
	steps j <<<$'add k.ll -\nlazy libdevice.bc -\ncompile -arch=compute_90 -opt=3\nask'
	again miss
	usual j -arch=compute_90 -opt=3
	again hit
}

@test "nvvm: verified, and asked at every step" {
	steps j <<-'END'
	ask
	add k.ll k
	lazy libdevice.bc libdevice
	verify -arch=compute_90
	ask
	compile -arch=compute_90
	ask
	END
	vvm
	printf '%s\n' 'add k.ll k' 'lazy libdevice.bc libdevice' 'verify -opt=3' \
		'compile -arch=compute_90' ask | steps j
	again miss
}

@test "nvvm: the log of a failure" {
	mkdir -p j
	printf 'garbage\n' >j/k.ll
	usual j -arch=compute_90
	vvm --makes o/j/ProgramLog
	steps j <<<$'add k.ll k\nverify -arch=compute_90\nask\ncompile -arch=compute_90\nask'
	again miss
	# Failures before the compile take no time, and are not stored.
	module j/k.ll 3
	usual j -nosuch
	again bypass:arguments
	usual j -arch=compute_1
	again unstored:failed --warm unstored:failed
	steps j <<<$'compile -arch=compute_90\nask'
	again unstored:failed --warm unstored:failed
}

# bats test_tags=check
@test "nvvm: steps that stored answers do not cover" {
	printf '%s\n' 'add k.ll k' 'lazy libdevice.bc libdevice' 'compile -arch=compute_90' \
		'compile -arch=compute_90' ask | steps j
	vvm --cold any --warm any
	printf '%s\n' 'add k.ll k' 'lazy libdevice.bc libdevice' 'compile -arch=compute_90' \
		'add k.ll k' ask verify ask | steps j
	vvm --cold any --warm any
	usual j -arch=compute_90 -split-compile=1
	vvm
	usual j -arch=compute_90 -split-compile=2
	vvm --cold bypass:arguments
	turned_off arguments 'not served: -split-compile=2'
	# LLVM's own options may stay set: nothing of that process is stored.
	usual j1 -arch=compute_90 -maxreg=64 -restrict
	usual j2 -arch=compute_90 -maxreg=64
	differential --cold any --warm any -- "$VVM" "$NVVM" o j1 j2
	[ "$(stat_of reason_mixed)" = 2 ]
	differential -- "$VVM" "$NVVM" o j2
}

# bats test_tags=check
@test "nvvm: the environment enters the key" {
	usual j -arch=compute_90
	vvm
	again miss --env NVVM_IR_VER_CHK=0
	again miss --env NV_NVVM_VERSION=1
	again miss --env LIBNVVM_NVVM_VERSION=nvvm70
	again hit --env UNRELATED=1
	again host --env REPRISE_INPROCESS=0
}

# bats test_tags=long
@test "nvvm: two libraries and threads in one process" {
	usual j1 -arch=compute_90
	usual j2 -arch=compute_80
	differential --tools 4 --cold any --warm any -- "$VVM" "$NVVM,$NVVM_OLD" o j1 j2
	differential --tools 4 --cold hit -- "$VVM" "$NVVM_OLD,$NVVM" o j1 j2
	differential --cold hit --tools 4 -- "$VVM" -t 4 "$NVVM,$NVVM_OLD" o j1 j2
}

# bats test_tags=long
@test "nvvm: numba-cuda compiles to PTX, and the second start compiles nothing" {
	export PYTHONPATH=$E2E_NUMBA LD_LIBRARY_PATH=${E2E_NVRTC%/*}:${E2E_NVVM%/*} \
		CUDA_HOME=${E2E_LIBDEVICE%/nvvm/*}
	export NUMBA_CACHE_DIR=$ROOT/numba
	"$PY" -c 'import numba_cuda' 2>"$ROOT/why" ||
		skip "no numba-cuda for $PY: $(tail -n 1 "$ROOT/why")"
	# Some search paths make the package start gcc, which is counted as well.
	differential --cold any --warm any --ignore numba -- "$PY" "$E2E_DIR/nvvm_numba.py" o
	[ "$(stat_of nvvm_hits)" -ge 3 ]
}
