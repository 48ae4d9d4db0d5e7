#!/usr/bin/env bats
# CUDA by clang: the driver's passes and ptxas are actions of their own below it, as nvcc's steps
# are. There are no headers of NVIDIA's and no fatbinary here, so the device and the host are
# compiled separately.

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
	mkdir -p toolkit/bin toolkit/include toolkit/lib64 toolkit/nvvm/libdevice
	ln -s "${PTXAS[0]}" toolkit/bin/ptxas
	put toolkit/version.txt 'CUDA Version 11.5.0'
	put toolkit/include/cuda.h '#define CUDA_VERSION 11050'
	put a.cu '#define __global__ __attribute__((global))' \
		'struct dim3 { unsigned x, y, z; };' \
		'extern "C" int __cudaPopCallConfiguration(dim3 *, dim3 *, unsigned long *,' \
		'void *);' \
		'extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **,' \
		'unsigned long, void *);' \
		'__global__ void k(float *x, float a) { x[0] = a * x[0]; }' \
		'int host(void) { return 1; }'
	CUDA=("$CLANG" -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_80
		"--cuda-path=$PWD/toolkit" -O2)
	age
}
teardown() { case_teardown; }

# built: under Reprise, compared with a real start. HITS gets the tools that were replayed.
built() {
	rm -f "$LOG"
	age
	under "${CUDA[@]}" --cuda-device-only -c a.cu -o ours || fail "status $?"
	"${CUDA[@]}" --cuda-device-only -c a.cu -o real
	cmp real ours
	left_behind
	HITS=$(sed -n 's/^[^ ]* [0-9]* info \([^ ]*\): hit:.*/\1/p' "$LOG" | paste -sd ' ')
}
# clang 14 leaves an empty directory, also without Reprise. Then the parent action is not stored.
left_behind() { find "$TMPDIR" -mindepth 1 -maxdepth 1 -type d -empty -delete; }
replayed() { # WORDS
	[ "$HITS" = "$1" ] || { cat "$LOG" >&2; fail "replayed: '$HITS', not '$1'"; }
}

@test "clang cuda: after an edit of host code ptxas is replayed" {
	built
	replayed ''
	sed -i 's/return 1/return 2/' a.cu
	built
	replayed ptxas
	sed -i 's/a \* x/a + x/' a.cu
	built
	replayed ''
}

@test "clang cuda: with REPRISE_NEST=0 only the parent action is replayed" {
	export REPRISE_NEST=0
	built
	replayed ''
	sed -i 's/return 1/return 2/' a.cu
	built
	replayed ''
}

@test "clang cuda: the parent action, also of a driver that leaves a directory behind" {
	local whole
	whole=$(basename "$(readlink -f "$(command -v "$CLANG")")")
	built
	if [ "$MAJOR" -ge 15 ]; then
		built
		replayed "$whole"
	else
		# The clang -cc1 pass has a random name in its arguments, and is bound to it.
		built
		replayed ptxas
		[ "$(stat_of unstored)" = 2 ]
		[ "$(stat_of reason_output)" = 2 ]
		built
		replayed ptxas
	fi
}

@test "clang cuda: device and host compiles" {
	local o
	for o in '--cuda-device-only -S' '--cuda-host-only -c' '--cuda-host-only -S'; do
		# shellcheck disable=SC2086
		differential --cold any --warm hit --makes a.out -- "${CUDA[@]}" $o a.cu -o a.out
	done
}

@test "clang cuda: another ptxas in the toolkit" {
	[ ${#PTXAS[@]} -gt 1 ] || skip "only one ptxas here"
	built
	ln -sfn "${PTXAS[1]}" toolkit/bin/ptxas
	built
	case " $HITS " in *' ptxas '*) fail "replayed: $HITS" ;; esac
}
