#!/bin/sh
# nvrtc.sh [--make] - prints where NVRTC, nvJitLink and libNVVM of two ages, CUDA's headers and numba-cuda are, as shell
# assignments: below $NVRTC_WHEELS, or in build/nvrtc, where --make adds with pip what is missing.
# Status 1 and nothing printed: not all of it is there.
#
#   E2E_NVRTC E2E_NVJITLINK E2E_NVVM               the libraries
#   E2E_NVRTC_OLD E2E_NVJITLINK_OLD E2E_NVVM_OLD   of CUDA 12.1, which lack entry points of later ones
#   E2E_NVRTC_INCLUDE                 headers; CCCL's are in cccl/ there
#   E2E_LIBDEVICE                     libdevice, a module that callers of libNVVM add
#   E2E_NVRTC_PYTHON                  CuPy and cuda-bindings, for PYTHONPATH
#   E2E_NUMBA                         numba-cuda and libNVVM, for PYTHONPATH
set -eu
cd "$(dirname "$0")/.."
into=$PWD/build/nvrtc

# The wheels of two major versions share names, and so do cuda-pathfinders: a directory each. "directory: what shows that it is
# whole: wheels".
groups='new: nvidia/cu13/include/cccl: nvidia-cuda-nvrtc==13.5.37 nvidia-nvjitlink==13.5.37 nvidia-cuda-runtime==13.5.37 nvidia-cuda-cccl==13.3.5.0.6
old: nvidia/nvjitlink/lib: nvidia-cuda-nvrtc-cu12==12.1.105 nvidia-nvjitlink-cu12==12.1.105
python: cupy: cupy-cuda13x==14.2.0 fastrlock==0.8.4 numpy cuda-bindings==13.5.0 cuda-pathfinder==1.9.0
old-nvvm: nvidia/cuda_nvcc/nvvm: nvidia-cuda-nvcc-cu12==12.1.105
numba: numba_cuda: nvidia-nvvm==13.5.37 numba-cuda==0.30.4 numba==0.68.1 llvmlite==0.50.0 numpy==2.4.6 cuda-core==1.2.2 cuda-bindings==13.5.0 cuda-pathfinder==1.9.1 packaging'

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

# complete DIR: all of it is there.
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
	echo "NVRTC, nvJitLink or libNVVM is missing: pip puts them into build/nvrtc. All of it is 500 MB to download."
	python3 -m venv --clear "$into/pip"
	echo "$groups" | while IFS=: read -r dir whole wheels; do
		# An interrupted pip leaves a directory of another name.
		[ ! -e "$into/$dir/${whole# }" ] || continue
		rm -rf "$into/$dir" "$into/part"
		# shellcheck disable=SC2086 # a list
		"$into/pip/bin/pip" install --progress-bar off --no-input --no-deps --target "$into/part" $wheels </dev/null
		mv "$into/part" "$into/$dir"
	done
	rm -rf "$into/pip"
} >&2
complete "$into" && places "$into"
