#!/bin/bash
# lld writes a program beside its name, and renames it to its name at the end.
#
# One would guess: where the rename fails, the link fails, or the program is written in another way
# and is as it would have been.
#
# Seen: a program that is a mount of its own, as containers mount single files, cannot be replaced
# by a rename (EBUSY). lld copies the bytes into it, and its status is 0. The copy brings no mode,
# so the program cannot be executed. The temporary file, prog.tmp<7 hex>, stays beside it, one more
# at each link. GNU's ld sets the mode and leaves no other file. clang 14 left such a file of
# a compile, too (out-<8 hex>.o.tmp); clang 22 removes it.
#
# Versions: lld 22.1.8 (Debian).
# The script links two programs whose names are mounts, twice by lld and once by GNU's ld. It fails
# if lld leaves no file beside its program, or if the program can be executed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -qq -o APT::Sandbox::User=root download clang-22 libclang-cpp22 libllvm22 lld-22
for package in *.deb; do dpkg -x "$package" root; done
llvm=$work/root/usr/lib/llvm-22
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu:$llvm/lib
"$llvm/bin/ld.lld" --version
mkdir made mounted
touch made/lld made/bfd mounted/lld mounted/bfd
echo 'int main(void) { return 0; }' >main.c
unshare -rm sh -eu -c '
	for name in lld bfd; do mount --bind mounted/$name made/$name; done
	for n in 1 2; do
		"$0/bin/clang" "-fuse-ld=$0/bin/ld.lld" main.c -o made/lld
		echo "lld: status $?"
	done
	gcc main.c -o made/bfd
	ls -l made
	made/bfd
	[ -s made/lld ] && ! [ -x made/lld ] || { echo "changed: lld sets the mode"; exit 1; }
' "$llvm"
left=$(find made -name 'lld.tmp*' | wc -l)
echo "temporary files of lld: $left"
[ "$left" = 2 ] || { echo "changed: nothing is left"; exit 1; }
