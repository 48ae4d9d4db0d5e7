#!/bin/sh
# deep_jit.sh DEEPGEMM PYTHON CUDA PROGRAM - compiles deep_jit.cc against the headers of DeepGEMM's
# wheel, of that Python's torch and of CUDA. torch brings fmt for compilers without <format>. A
# PROGRAM that ends in .so is a library, whose main() Python calls, as deep_jit runs in Python.
set -eu
torch=$("$2" -c 'import torch; print(torch.__path__[0])')/include
shim=$(mktemp -d)
trap 'rm -rf "$shim"' EXIT
mkdir "$shim/elfutils"
: >"$shim/elfutils/libdwfl.h"
echo '#include <format>' | g++ -std=c++20 -E -x c++ - >/dev/null 2>&1 ||
	printf '%s\n' '#pragma once' '#define FMT_HEADER_ONLY' '#include <fmt/format.h>' \
		'namespace std { using fmt::format; }' >"$shim/format"
library=
case $4 in *.so) library='-shared -fPIC' ;; esac
# shellcheck disable=SC2086 # two words
g++ $library -std=c++20 -w -DDJ_DISABLE_GIL=1 -I"$shim" -I"$1/deep_gemm/include" -I"$torch" \
	-isystem "$3/include" "$(dirname "$0")/deep_jit.cc" -o "$4"
