#!/bin/sh
# cmake.sh JOB SOURCE BUILD [ARGUMENT...] - configures and builds with CMake under Reprise, as one
# job. ARGUMENTs are for the first: `-G Ninja`. No CMAKE_<LANG>_COMPILER_LAUNCHER is needed.
#
# Without CMake: `reprise-run --job JOB make`, `reprise-run --job JOB ninja`.
job=$1 source=$2 build=$3
shift 3
reprise-run --job "$job" cmake -S "$source" -B "$build" "$@" &&
	exec reprise-run --job "$job" cmake --build "$build" -j "$(nproc)"
