#!/bin/sh
# aarch64_nvidia.sh CUDA - run by aarch64_suites.bats in a root of arm64, with the programs of
# NVIDIA's wheels below CUDA: ptxas, and NVRTC in a process.
set -eu
cuda=$1
ARCHS=sm_80 sh tests/long/toolchains.sh /src/build/libreprise.so "$cuda/bin/ptxas"
rm -rf /tmp/nvrtc
mkdir -p /tmp/nvrtc/j
cd /tmp/nvrtc
echo 'extern "C" __global__ void one(int *o) { o[threadIdx.x] = 3 * threadIdx.x; }' >j/source
echo -arch=sm_80 >j/options
export LD_LIBRARY_PATH="$cuda/lib" REPRISE_CACHE_DIR=/tmp/nvrtc/store
for round in plain cold warm; do
	object=
	[ $round = plain ] || object=/src/build/libreprise.so
	LD_PRELOAD=$object /src/build/helpers/nvrtc_run "$cuda/lib/libnvrtc.so.13" $round j
done
diff -r plain cold
diff -r plain warm
grep -qx 'nvrtcCompileProgram 0' plain/j/answers
/src/build/reprise stats --json | jq -r '"NVRTC: misses \(.misses) hits \(.hits_local)"'
