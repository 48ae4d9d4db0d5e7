#!/bin/bash
# Triton compiles a small C file for each process pool (cuda_utils) and each kernel signature
# (launchers), and caches the object under a digest of the source.
#
# One would guess: one source, one compiler and one set of options give one object, so a cache of
# compiles serves the second worker, and nodes can compare or deduplicate their objects.
#
# Seen: the object differs in each compile. Triton writes the source into a directory of mkdtemp's,
# and the source passes __FILE__ to its own error function, so the object holds that directory's
# name. The linker's build id, a digest of the object, differs with it. gcc keyed on content alone
# would have to miss, and -ffile-prefix-map is not passed.
#
# Versions: triton 3.6.0 (PyPI; backends/nvidia/driver.c and runtime/build.py). gcc of the machine.
# The script compiles the file that the wheel holds twice, with Triton's own options, and fails if
# the two objects are equal.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-deps triton==3.6.0
site=$(echo "$work"/venv/lib/python3*/site-packages)
include=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
source=$site/triton/backends/nvidia/driver.c
grep -n '__FILE__' "$source" | head -n 1
for n in 1 2; do
	dir=$(mktemp -d "$work/tmpXXXXXXXX")
	cp "$source" "$dir/cuda_utils.c"
	gcc "$dir/cuda_utils.c" -O3 -shared -fPIC -Wno-psabi -o "$work/$n.so" \
		"-I$site/triton/backends/nvidia/include" "-I$dir" "-I$include"
	rm -r "$dir"
done
echo "the directory in the objects:"
for n in 1 2; do strings -a "$work/$n.so" | grep -o 'tmp[A-Za-z0-9]*/cuda_utils.c' | sort -u; done
differ=$(cmp -l "$work/1.so" "$work/2.so" | wc -l) || true
echo "bytes that differ: $differ of $(stat -c %s "$work/1.so")"
[ "$differ" -gt 0 ] || { echo "changed: the two objects are equal"; exit 1; }
