#!/bin/bash
# nvcc takes options from NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS, as its manual says.
#
# One would guess: no other variable adds words to its compiler's command. INCLUDES is a common name
# of a makefile's own variable, which `export` or `make -e` may put into the environment.
#
# Seen: bin/nvcc.profile says `INCLUDES += ...` and `SYSTEM_INCLUDES += ...`, and nvcc adds to what
# the environment has. So INCLUDES="-DSCALE=3 " changes the machine code, without a message. The
# same holds for PTXAS_FLAGS and CUDAFE_FLAGS. A name that the profile sets with `=`, such as
# CICC_PATH, is not taken from the environment.
#
# Versions: the machine's nvcc (seen with 12.4, 13.0, 13.5). No GPU.
# The script compiles one kernel with and without the variable. It fails if the results are equal,
# or if nvcc says a word.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >k.cu <<'END'
#ifndef SCALE
#define SCALE 1
#endif
extern "C" __global__ void k(float *x) { *x = *x * SCALE + 1; }
END
nvcc --help | grep -c INCLUDES && { echo "changed: the help names INCLUDES"; exit 1; }
nvcc -arch=sm_90 -ptx k.cu -o plain.ptx
INCLUDES='-DSCALE=3 ' nvcc -arch=sm_90 -ptx k.cu -o includes.ptx 2>said
[ ! -s said ] || { echo "changed: nvcc says"; cat said; exit 1; }
diff plain.ptx includes.ptx && { echo "changed: INCLUDES has no effect"; exit 1; }
PTXAS_FLAGS='-O0 ' nvcc -arch=sm_90 --dryrun -cubin k.cu 2>&1 | grep -o 'ptxas.*-O0'
