#!/usr/bin/env bats
# CUDA by clang: its driver's passes and ptxas are actions of their own below it, as nvcc's are. Without NVIDIA's headers and
# fatbinary, so of the device and of the host alone.

setup() {
	load lib
	load ptxas
	case_setup
	need clang
	need_ptxas
	local v
	CLANG=clang
	for v in 20 19 18 17 16 15; do
		! command -v clang-$v >/dev/null || { CLANG=clang-$v && break; }
	done
	MAJOR=$($CLANG -dumpversion)
	MAJOR=${MAJOR%%.*}
	mkdir -p toolkit/bin toolkit/include toolkit/nvvm/libdevice
	ln -s "${PTXAS[0]}" toolkit/bin/ptxas
	put toolkit/version.txt 'CUDA Version 11.5.0'
	put toolkit/include/cuda.h '#define CUDA_VERSION 11050'
	put a.cu '#define __global__ __attribute__((global))' \
		'struct dim3 { unsigned x, y, z; };' \
		'extern "C" int __cudaPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void *);' \
		'extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);' \
		'__global__ void k(float *x, float a) { x[0] = a * x[0]; }' \
		'int host(void) { return 1; }'
	CUDA=("$CLANG" -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_80 "--cuda-path=$PWD/toolkit" -O2)
	age
}
teardown() { case_teardown; }

# steps HIT...: of a start under Reprise that leaves what a real one does, the steps that were replayed.
steps() {
	rm -f "$LOG"
	age
	under "${CUDA[@]}" --cuda-device-only -c a.cu -o ours || fail "status $?"
	"${CUDA[@]}" --cuda-device-only -c a.cu -o real
	cmp real ours
	# clang 14 leaves an empty directory, here as without us.
	find "$TMPDIR" -mindepth 1 -maxdepth 1 -type d -empty -delete
	[ "$(sed -n 's/^[^ ]* [0-9]* info \([^ ]*\): hit:.*/\1/p' "$LOG" | paste -sd ' ')" = "$*" ] || { cat "$LOG" >&2; fail "not replayed as expected: $*"; }
}
whole() { [ "$MAJOR" -ge 15 ] || skip "clang $MAJOR leaves a temporary directory behind: the whole is not kept"; }

@test "clang cuda: after an edit of host code ptxas is replayed" {
	steps
	sed -i 's/return 1/return 2/' a.cu
	steps ptxas
	sed -i 's/a \* x/a + x/' a.cu
	steps
}

@test "clang cuda: REPRISE_NEST=0 serves the whole alone" {
	export REPRISE_NEST=0
	steps
	sed -i 's/return 1/return 2/' a.cu
	steps
}

@test "clang cuda: device and host compiles" {
	whole
	local o
	for o in '--cuda-device-only -c' '--cuda-device-only -S' '--cuda-host-only -c' '--cuda-host-only -S'; do
		# shellcheck disable=SC2086
		differential --cold any --warm hit --makes a.out -- "${CUDA[@]}" $o a.cu -o a.out
	done
}

@test "clang cuda: another ptxas in the toolkit" {
	whole
	[ ${#PTXAS[@]} -gt 1 ] || skip "only one ptxas here"
	steps
	steps "$(basename "$(readlink -f "$(command -v "$CLANG")")")"
	ln -sfn "${PTXAS[1]}" toolkit/bin/ptxas
	steps
}
