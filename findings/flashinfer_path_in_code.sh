#!/bin/bash
# FlashInfer writes the sources of its modules into its cache directory, and compiles them there.
#
# One would guess: one module, one compiler and one set of options give one library, wherever the
# cache lies, so nodes with other home directories could share it.
#
# Seen: the library differs. nvcc puts a hash of the source's path into names of symbols that are
# local to a source, and CCCL's headers define such symbols in each module. FlashInfer passes
# -Xfatbin=-compress-all always, so the hash is in the compressed code, too. So a cache
# of compiles cannot give one directory the object of another.
#
# Versions: flashinfer-python 0.7.4 (PyPI; jit/core.py), nvcc 13.0. nvcc of the machine; no GPU.
# The script compiles one source in two directories, with and without that option. It fails if the
# compressed objects are equal.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pip download -q --no-deps --only-binary :all: -d "$work" flashinfer-python==0.7.4 2>&1 |
	grep -v WARNING || true
unzip -q -p "$work"/flashinfer_python-*.whl flashinfer/jit/core.py | grep -n 'compress'
object() { # DIRECTORY NAME FLAGS...: the object, without nvcc's process number
	nvcc -gencode=arch=compute_90a,code=sm_90a -O3 "${@:3}" -c "$work/$1/module.cu" \
		-o "$work/$1/$2.o"
	LC_ALL=C sed -E -i 's/tmpxft_[0-9a-f]{8}_/tmpxft_PPPPPPPP_/g' "$work/$1/$2.o"
}
for dir in one two; do
	mkdir "$work/$dir"
	printf '%s\n' 'namespace { __device__ int begin; }' \
		'__global__ void k(int *x) { *x = begin++; }' >"$work/$dir/module.cu"
	object $dir plain
	object $dir packed -Xfatbin=-compress-all --compress-mode=size
done
for form in plain packed; do
	differ=$(cmp -l "$work/one/$form.o" "$work/two/$form.o" | wc -l) || true
	echo "$form: $differ of $(stat -c %s "$work/one/$form.o") bytes differ"
done
! cmp -s "$work/one/packed.o" "$work/two/packed.o" || { echo "changed: equal"; exit 1; }
