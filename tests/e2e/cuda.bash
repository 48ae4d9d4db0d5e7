# Code that the suites of nvcc share. nvcc's pid is in its objects, and in the names of its
# temporary files: tmpxft_<pid>_... Two real runs differ there, and only there.

# The suites run twice. E2E_NVCC=installed is the nvcc in PATH. E2E_NVCC=wheel is the nvcc of
# NVIDIA's wheels, a newer release; scripts/cuda-wheel.sh finds or makes it.
need_nvcc() {
	local wheel
	if [ "${E2E_NVCC-}" = wheel ]; then
		wheel=$(REPRISE_TEST_CUDA_WHEEL=${REPRISE_TEST_CUDA_WHEEL-} \
			sh "$TOP/scripts/cuda-wheel.sh") ||
			skip "no nvcc of NVIDIA's wheels: scripts/cuda-wheel.sh --make downloads it"
		PATH=$wheel:$PATH
	fi
	command -v nvcc >/dev/null || skip "no nvcc here: NVIDIA's packages are not Debian's"
	# Not a wrapper script, whose shell would be a host.
	NVCC=$(nvcc --dryrun -c -x cu /dev/null -o /dev/null 2>&1 | sed -n 's/^#\$ _HERE_=//p')/nvcc
	[ -x "$NVCC" ] || { fail "nvcc --dryrun does not say where it is: $NVCC"; return 1; }
	PATH=${NVCC%/*}:$PATH
	[ -z "${wheel-}" ] || [ "$NVCC" = "$wheel/nvcc" ] || fail "$NVCC is not the wheels'"
}

# The set-up of each case.
cuda_setup() {
	case_setup
	need_nvcc
	cuda_source a.cu
}

# lto_objects: b.o and c.o, which nvlink links with LTO. For that nvlink loads libNVVM, which not
# every installation has.
lto_objects() {
	nvcc -arch=sm_80 -dlto -dc b.cu c.cu
	nvcc -arch=sm_80 -dlto b.o c.o -o x 2>"$ROOT/said" || {
		grep -q 'library load error' "$ROOT/said" ||
			{ fail "$(cat "$ROOT/said")"; return 1; }
		skip "no libNVVM beside this nvcc, by which nvlink links with LTO"
	}
	rm x
}

# cuda_tree FILE...: from here nvcc is in $W/cuda, a tree of links. nvcc and these files are copies
# there.
cuda_tree() {
	local from=${NVCC%/bin/nvcc} f
	mkdir -p cuda/bin cuda/nvvm/bin cuda/nvvm/lib64
	for f in "$from"/* "$from"/bin/* "$from"/nvvm/* "$from"/nvvm/bin/* "$from"/nvvm/lib64/*; do
		[ ! -e "$f" ] || [ -e "cuda${f#"$from"}" ] || ln -s "$f" "cuda${f#"$from"}"
	done
	for f in bin/nvcc "$@"; do
		rm -f "cuda/$f"
		cp "$from/$f" "cuda/$f"
	done
	PATH=$W/cuda/bin:$PATH
	[ "$(nvcc --dryrun -c a.cu 2>&1 | sed -n 's/^#\$ _HERE_=//p')" = "$W/cuda/bin" ] ||
		fail "nvcc lies elsewhere"
}

XFT='s/tmpxft_[0-9a-f]{8}_/tmpxft_PPPPPPPP_/g'
# nvcc [options of differential --] CMD: plain, cold, warm. The warm run is one hit of the parent
# action; its steps are not counted.
cuda() { differential --cold any --warm hit --mask "$XFT" --filter "$XFT" "$@"; }
cuda_again() { again any --warm hit "$@"; }

# A kernel, a host function that only the host pass sees, and a function that both passes see.
cuda_source() { # FILE
	put "$1" '#include <cstdio>' \
		'__device__ float scale(float x) { return 2.0f * x; }' \
		'__global__ void k(float *x) { x[threadIdx.x] = scale(x[threadIdx.x]); }' \
		'#ifndef __CUDA_ARCH__' 'int host_only(void) { return 1; }' '#else' \
		'int host_only(void);' '#endif' \
		'int both(void) { return 10; }' \
		'void launch(float *x) { k<<<1, 32>>>(x); printf("%d\n", host_only() + both()); }'
}

# A device function in b.cu that c.cu calls.
cuda_two_sources() {
	put b.cu '__device__ float twice(float x) { return 2 * x; }' \
		'namespace { __device__ int hidden; __global__ void h(int *p) { *p = hidden; } }' \
		'void lb(int *p) { h<<<1, 1>>>(p); }'
	put c.cu 'extern __device__ float twice(float);' \
		'__global__ void q(float *x) { *x = twice(*x); }' \
		'int main() { q<<<1, 1>>>(0); return 0; }'
}
