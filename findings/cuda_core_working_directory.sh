#!/bin/bash
# cuda.core's program cache refuses options that read files (include_path, pre_include, pch), unless
# the caller adds a digest of these files. Its documentation names each of them.
#
# One would guess: without such an option a program reads no file of the user, so the key covers all
# that the kernel depends on, and the cache can be kept, copied and shared.
#
# Seen: NVRTC looks for #include "factor.h" in the working directory, without any option. The key
# does not hold the header. After an edit of the header the cache answers with the old kernel.
#
# Versions: cuda-core 1.2.2, cuda-bindings 13.5.0, NVRTC 13.5.37 (PyPI), Python 3.11; no GPU.
# The script compiles a kernel with the header, with the edited header, and with the edited header
# and an empty cache. It fails if the second kernel is not the first one, or is the third one.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip install -q --no-deps --target "$work/site" cuda-core==1.2.2 \
	cuda-bindings==13.5.0 cuda-pathfinder==1.9.1 nvidia-cuda-nvrtc==13.5.37 numpy==2.4.6 \
	2>&1 | grep -v WARNING || true
export PYTHONPATH=$work/site LD_LIBRARY_PATH=$work/site/nvidia/cu13/lib
cat >"$work/compile.py" <<'END'
import hashlib, sys
from cuda.core import Program, ProgramOptions
from cuda.core.utils import FileStreamProgramCache
source = '''#include "factor.h"
extern "C" __global__ void k(float *x) { x[0] *= FACTOR; }'''
with FileStreamProgramCache(path=sys.argv[1]) as cache:
    program = Program(source, "c++", options=ProgramOptions(arch="sm_90"))
    code = program.compile("cubin", cache=cache).code
    print(hashlib.sha256(bytes(code)).hexdigest()[:16])
END
cd "$work"
compiled() { # CACHE FACTOR
	echo "#define FACTOR $2" >factor.h
	python3 compile.py "$1"
}
first=$(compiled kept 2.0f)
edited=$(compiled kept 3.0f)
right=$(compiled empty 3.0f)
echo "factor 2, empty cache:        $first"
echo "factor 3, the same cache:     $edited"
echo "factor 3, another empty one:  $right"
[ "$edited" = "$first" ] || { echo "changed: the cache has no old kernel"; exit 1; }
[ "$edited" != "$right" ] || { echo "changed: the header has no effect"; exit 1; }
