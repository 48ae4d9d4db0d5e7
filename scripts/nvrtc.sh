#!/bin/sh
# nvrtc.sh [--make] - prints the paths of NVRTC, nvJitLink and libNVVM (two versions of each), of
# CUDA's headers and of numba-cuda as shell assignments. It looks below $NVRTC_WHEELS, then in
# build/nvrtc, which --make completes with pip. If a file is missing in both, it prints nothing and
# its status is 1.
#
#   E2E_NVRTC E2E_NVJITLINK E2E_NVVM               the libraries
#   E2E_NVRTC_OLD E2E_NVJITLINK_OLD E2E_NVVM_OLD   those of CUDA 12.1, with fewer functions
#   E2E_NVRTC_INCLUDE                 headers; CCCL's are in cccl/ there
#   E2E_LIBDEVICE                     libdevice, a module that callers of libNVVM add
#   E2E_NVRTC_PYTHON                  CuPy and cuda-bindings, for PYTHONPATH
#   E2E_NUMBA                         numba-cuda and libNVVM, for PYTHONPATH
set -eu
cd "$(dirname "$0")/.."
into=$PWD/build/nvrtc

# A line is "directory: a file that it holds when it is complete: wheels". The wheels of two major
# versions hold files of equal names, and so do two versions of cuda-pathfinder: each has its own
# directory.
new='nvidia-cuda-nvrtc==13.5.37 nvidia-nvjitlink==13.5.37 nvidia-cuda-runtime==13.5.37
	nvidia-cuda-cccl==13.3.5.0.6'
numba='nvidia-nvvm==13.5.37 numba-cuda==0.30.4 numba==0.68.1 llvmlite==0.50.0 numpy==2.4.6
	cuda-core==1.2.2 cuda-bindings==13.5.0 cuda-pathfinder==1.9.1 packaging'
cupy='cupy-cuda13x==14.2.0 fastrlock==0.8.4 numpy cuda-bindings==13.5.0 cuda-pathfinder==1.9.0'
groups="new: nvidia/cu13/include/cccl: $(echo $new)
old: nvidia/nvjitlink/lib: nvidia-cuda-nvrtc-cu12==12.1.105 nvidia-nvjitlink-cu12==12.1.105
python: cupy: $(echo $cupy)
old-nvvm: nvidia/cuda_nvcc/nvvm: nvidia-cuda-nvcc-cu12==12.1.105
numba: numba_cuda: $(echo $numba)"

places() {
	cat <<-END
	E2E_NVRTC=$1/new/nvidia/cu13/lib/libnvrtc.so.13
	E2E_NVJITLINK=$1/new/nvidia/cu13/lib/libnvJitLink.so.13
	E2E_NVVM=$1/numba/nvidia/cu13/lib/libnvvm.so.4
	E2E_NVRTC_OLD=$1/old/nvidia/cuda_nvrtc/lib/libnvrtc.so.12
	E2E_NVJITLINK_OLD=$1/old/nvidia/nvjitlink/lib/libnvJitLink.so.12
	E2E_NVVM_OLD=$1/old-nvvm/nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so
	E2E_NVRTC_INCLUDE=$1/new/nvidia/cu13/include
	E2E_LIBDEVICE=$1/numba/nvidia/cu13/nvvm/libdevice/libdevice.10.bc
	E2E_NVRTC_PYTHON=$1/python
	E2E_NUMBA=$1/numba
	END
}

# complete DIR: true if all files exist. An interrupted pip leaves some out.
complete() {
	places "$1" | while IFS='=' read -r _ file; do
		[ -e "$file" ] || exit 1
	done
}

for dir in ${NVRTC_WHEELS:-} "$into"; do
	if complete "$dir"; then
		places "$dir"
		exit 0
	fi
done
[ "${1-}" = --make ] || exit 1
{
	echo "NVRTC, nvJitLink or libNVVM is missing: pip installs them in build/nvrtc."
	echo "This downloads up to 500 MB."
	python3 -m venv --clear "$into/pip"
	echo "$groups" | while IFS=: read -r dir whole wheels; do
		# An interrupted pip leaves a directory of another name.
		[ ! -e "$into/$dir/${whole# }" ] || continue
		rm -rf "$into/$dir" "$into/part"
		# shellcheck disable=SC2086 # a list
		"$into/pip/bin/pip" install --progress-bar off --no-input --no-compile --no-deps \
			--target "$into/part" $wheels </dev/null
		mv "$into/part" "$into/$dir"
	done
	rm -rf "$into/pip"
} >&2
complete "$into" && places "$into"
