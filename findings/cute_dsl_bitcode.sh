#!/bin/bash
# CuTe DSL keeps a compiled function under a digest of the traced program, its options, variables,
# all Python files of the DSL and its library.
#
# One would guess: with so much in the key, a kept directory never gives an old kernel.
#
# Seen: a device library (cute.BitCode, as NVSHMEM's device functions use it) counts by its path
# alone. After an edit of the library the kept directory gives the kernel with the old one. The file
# has no trace of the library, so nobody can tell it apart afterwards.
#
# Versions: nvidia-cutlass-dsl 4.8.1 (PyPI), Python 3.11, clang; no GPU: the kernel is compiled and
# kept before the launch fails.
# The script compiles a kernel with a library, with the edited library, and with that one and an
# empty directory. It fails if the second kernel is not the first one, or is the third one.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q nvidia-cutlass-dsl==4.8.1 numpy 2>&1 | grep -v WARNING || true
cat >"$work/kernel.py" <<'END'
import sys
import cutlass, cutlass.cute as cute
@cute.extern(source=cute.BitCode(sys.argv[1]))
def scaled(x: cutlass.Int32) -> cutlass.Int32: ...
@cute.kernel
def kernel(x: cutlass.Int32):
    cute.printf("%d\n", scaled(x))
@cute.jit
def launch(x: cutlass.Int32):
    kernel(x).launch(grid=(1, 1, 1), block=(1, 1, 1))
try:
    launch(cutlass.Int32(7))
except cutlass.base_dsl.common.DSLCudaRuntimeError:
    pass
END
export CUTE_DSL_ARCH=sm_90a
compiled() { # DIRECTORY FACTOR
	echo "int scaled(int x) { return $2 * x; }" >"$work/scale.c"
	clang --target=nvptx64-nvidia-cuda -O1 -c -emit-llvm -o "$work/scale.bc" "$work/scale.c"
	mkdir -p "$work/$1"
	CUTE_DSL_CACHE_DIR=$work/$1 "$work/venv/bin/python" "$work/kernel.py" "$work/scale.bc" \
		>"$work/said" 2>&1 || { cat "$work/said" >&2; exit 1; }
	sha256sum "$work/$1"/*.mlir | cut -c1-16
}
first=$(compiled kept 2)
edited=$(compiled kept 3)
right=$(compiled empty 3)
echo "factor 2, empty directory:        $first"
echo "factor 3, the same directory:     $edited"
echo "factor 3, another empty one:      $right"
grep -l scale.bc "$work"/kept/*.mlir || echo "the kept file does not name the library"
[ "$edited" = "$first" ] || { echo "changed: the directory has no old kernel"; exit 1; }
[ "$edited" != "$right" ] || { echo "changed: the library has no effect"; exit 1; }
