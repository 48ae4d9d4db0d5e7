# What the suites of nvcc share. nvcc's own pid is in its objects, as in names of the files that it makes on its way:
# tmpxft_<pid>_..., so two real runs differ there, and only there.

need_nvcc() {
	command -v nvcc >/dev/null || skip "no nvcc here: NVIDIA's packages are not Debian's"
	# Not a wrapper script, whose shell would be a host.
	NVCC=$(nvcc --dryrun -c -x cu /dev/null -o /dev/null 2>&1 | sed -n 's/^#\$ _HERE_=//p')/nvcc
	[ -x "$NVCC" ] || { fail "nvcc --dryrun does not say where it is: $NVCC"; return 1; }
	PATH=${NVCC%/*}:$PATH
}

XFT='s/tmpxft_[0-9a-f]{8}_/tmpxft_PPPPPPPP_/g'
# nvcc [options of differential --] CMD: plain, cold, warm; the whole is one hit then, its steps are not counted.
cuda() { differential --cold any --warm hit --mask "$XFT" --filter "$XFT" "$@"; }
cuda_again() { again any --warm hit "$@"; }

# A kernel, a host function that only the host pass sees, one that both see.
cuda_source() { # FILE
	put "$1" '#include <cstdio>' \
		'__device__ float scale(float x) { return 2.0f * x; }' \
		'__global__ void k(float *x) { x[threadIdx.x] = scale(x[threadIdx.x]); }' \
		'#ifndef __CUDA_ARCH__' 'int host_only(void) { return 1; }' '#else' 'int host_only(void);' '#endif' \
		'int both(void) { return 10; }' \
		'void launch(float *x) { k<<<1, 32>>>(x); printf("%d\n", host_only() + both()); }'
}
