#!/bin/sh
# cuda-wheel.sh [--make] - prints the directory of the nvcc of NVIDIA's wheels, with tileiras. The
# virtual environment around it holds cuTile, too. It is $REPRISE_TEST_CUDA_WHEEL or
# build/cuda-wheel, which --make makes with pip. If there is no such nvcc, the script prints nothing
# and its status is 1.
set -eu
cd "$(dirname "$0")/.."
venv=${REPRISE_TEST_CUDA_WHEEL:-$PWD/build/cuda-wheel}
version=13.5.37

found() {
	for nvcc in "$venv"/lib/python3*/site-packages/nvidia/cu13/bin/nvcc; do
		[ ! -x "$nvcc" ] || { echo "${nvcc%/nvcc}" && return; }
	done
	return 1
}

if [ "${1-}" = --make ] && ! { [ -x "$(found)/nvdisasm" ] && [ -x "$(found)/tileiras" ]; }; then
	{
		echo "Installing nvcc from NVIDIA's wheels in $venv: this downloads 0.3 GB."
		python3 -m venv "$venv"
		"$venv/bin/pip" install -q --no-input --no-compile nvidia-cuda-nvcc==$version \
			nvidia-nvvm==$version nvidia-cuda-crt==$version \
			nvidia-cuda-runtime==$version nvidia-cuda-cuobjdump==$version \
			nvidia-cuda-nvdisasm==$version nvidia-cuda-tileiras==$version \
			nvidia-cuda-cccl cuda-tile==1.7.0
		# An installed CUDA has more names: nvlink loads lib64/libnvvm.so, ld needs
		# libcudart.so.
		cuda=$(dirname "$(found)")
		mkdir -p "$cuda/nvvm/lib64"
		for library in "$cuda"/lib/libnvvm.so.*; do
			ln -sf "../../lib/${library##*/}" "$cuda/nvvm/lib64/libnvvm.so"
		done
		for library in "$cuda"/lib/libcudart.so.*; do
			ln -sf "${library##*/}" "$cuda/lib/libcudart.so"
		done
	} >&2
fi
found
