#!/bin/sh
# dist.sh - makes dist/reprise-VERSION-MACHINE.tar.xz: one top folder (bin, lib, libexec, share)
# that runs from the directory where it is unpacked, on glibc 2.28 and later.
#
# The build runs in a bare Debian 11 root (build/root-dist, which debootstrap makes once). Newer
# libcs have newer versions of symbols that Reprise needs; the libc of Debian 11 has none of them.
# Then this script tests the built programs: they need no library but libc, and no symbol newer than
# GLIBC_2.28. Needs root, for debootstrap and chroot. Status 77: this machine cannot make such a
# root.
set -eu
cd "$(dirname "$0")/.."
release=bullseye
root=build/root-dist
newest=2.28
version=$(sed -n 's/^VERSION := //p' Makefile)
name=reprise-$version-$(uname -m)

say() {
	echo "dist: $*" >&2
}
for tool in debootstrap xz; do
	command -v $tool >/dev/null || {
		say "$tool is missing; install it with: scripts/setup check"
		exit 1
	}
done
sh packaging/root.sh $release "$PWD/$root" "scripts/setup build" >&2 || {
	say "cannot make a root of $release with the packages that the build needs"
	exit 77
}
# The Makefile has removed the object's debug information already.
sh packaging/root.sh $release "$PWD/$root" \
	"make -s -j \$(getconf _NPROCESSORS_ONLN) all && rm -rf /out &&
	make -s install PREFIX=/out/$name &&
	strip -g /out/$name/bin/reprise /out/$name/libexec/reprise/*" >&2

for file in "$root/out/$name/bin/reprise" "$root/out/$name/lib/reprise/libreprise.so" \
	"$root/out/$name/libexec/reprise"/*; do
	found=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
	latest=$(printf 'GLIBC_%s\n' "$newest" "${found#GLIBC_}" | sort -V | tail -n 1)
	[ "$latest" = "GLIBC_$newest" ] || {
		say "$file needs $found, newer than GLIBC_$newest"
		exit 1
	}
	needs=$(objdump -p "$file" | sed -n 's/^ *NEEDED *//p' |
		grep -Ev '^(libc|libdl|ld-linux-.*)\.so\.' || true)
	[ -z "$needs" ] || {
		say "$file needs libraries beside libc:" $needs
		exit 1
	}
done
mkdir -p dist
# Two builds of one commit make equal archives.
tar -C "$root/out" --sort=name --owner=0 --group=0 --numeric-owner \
	--mtime="@$(git log -1 --format=%ct 2>/dev/null || echo 0)" \
	-cJf "dist/$name.tar.xz.new" "$name"
mv "dist/$name.tar.xz.new" "dist/$name.tar.xz"
echo "dist/$name.tar.xz"
