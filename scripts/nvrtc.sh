#!/bin/sh
# nvrtc.sh [--make] - prints the paths of NVRTC, nvJitLink (two versions of each) and CUDA's headers
# as shell assignments. It looks below $NVRTC_WHEELS, then in build/nvrtc, which --make fills with
# pip. If a file is missing in both, it prints nothing and its status is 1.
#
#   E2E_NVRTC E2E_NVJITLINK           the newer libraries
#   E2E_NVRTC_OLD E2E_NVJITLINK_OLD   the libraries of CUDA 12.1, which lack some entry points
#   E2E_NVRTC_INCLUDE                 headers; those of CCCL are in its subdirectory cccl/
#   E2E_NVRTC_PYTHON                  CuPy and cuda-bindings, for PYTHONPATH
set -eu
cd "$(dirname "$0")/.."
into=$PWD/build/nvrtc

# The wheels of two major versions hold files of equal names: each version has its own directory.
new='nvidia-cuda-nvrtc==13.5.37 nvidia-nvjitlink==13.5.37 nvidia-cuda-runtime==13.5.37
	nvidia-cuda-cccl==13.3.5.0.6'
old='nvidia-cuda-nvrtc-cu12==12.1.105 nvidia-nvjitlink-cu12==12.1.105'
python='cupy-cuda13x==14.2.0 fastrlock==0.8.4 numpy cuda-bindings==13.5.0 cuda-pathfinder==1.9.0'

places() {
	cat <<-END
	E2E_NVRTC=$1/new/nvidia/cu13/lib/libnvrtc.so.13
	E2E_NVJITLINK=$1/new/nvidia/cu13/lib/libnvJitLink.so.13
	E2E_NVRTC_OLD=$1/old/nvidia/cuda_nvrtc/lib/libnvrtc.so.12
	E2E_NVJITLINK_OLD=$1/old/nvidia/nvjitlink/lib/libnvJitLink.so.12
	E2E_NVRTC_INCLUDE=$1/new/nvidia/cu13/include
	E2E_NVRTC_PYTHON=$1/python
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
	echo "NVRTC is missing: pip installs it in build/nvrtc. This downloads 255 MB."
	python3 -m venv --clear "$into/pip"
	rm -rf "$into/new" "$into/old" "$into/python"
	pip_install() { # DIRECTORY PACKAGE...
		directory=$1
		shift
		"$into/pip/bin/pip" install --progress-bar off --no-input --no-deps \
			--target "$into/$directory" "$@"
	}
	# shellcheck disable=SC2086 # lists
	pip_install new $new
	# shellcheck disable=SC2086
	pip_install old $old
	# shellcheck disable=SC2086
	pip_install python $python
	rm -rf "$into/pip"
} >&2
complete "$into" && places "$into"
