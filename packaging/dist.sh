#!/bin/sh
# dist.sh - dist/reprise-VERSION-MACHINE.tar.xz: one top folder (bin, lib, libexec, share) that runs
# from where it is unpacked, on glibc 2.28 and later.
#
# It is built in a bare Debian 11 root (build/root-dist, made by debootstrap once and kept), whose
# libc is older than any that has what Reprise needs under newer names. Beside libc the programs need
# nothing: that, and that no symbol is newer than GLIBC_2.28, is looked at in what was built. Needs
# root, for debootstrap and chroot. Status 77: no such root can be made here.
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
		say "no $tool here: scripts/setup check installs it"
		exit 1
	}
done
sh packaging/root.sh $release "$PWD/$root" "scripts/setup build" >&2 || {
	say "no root of $release with what the build needs can be made here"
	exit 77
}
# The object's debug information is gone already.
sh packaging/root.sh $release "$PWD/$root" "make -s -j \$(getconf _NPROCESSORS_ONLN) all && rm -rf /out &&
	make -s install PREFIX=/out/$name && strip -g /out/$name/bin/reprise /out/$name/libexec/reprise/*" >&2

for file in "$root/out/$name/bin/reprise" "$root/out/$name/lib/reprise/libreprise.so" \
	"$root/out/$name/libexec/reprise/reprise-remote"; do
	found=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
	[ "$(printf 'GLIBC_%s\n' "$newest" "${found#GLIBC_}" | sort -V | tail -n 1)" = "GLIBC_$newest" ] || {
		say "$file needs $found"
		exit 1
	}
	needs=$(objdump -p "$file" | sed -n 's/^ *NEEDED *//p' |
		grep -Ev '^(libc|libdl|ld-linux-.*)\.so\.' || true)
	[ -z "$needs" ] || {
		say "$file needs" $needs
		exit 1
	}
done
mkdir -p dist
# Two builds of one commit are one file.
tar -C "$root/out" --sort=name --owner=0 --group=0 --numeric-owner \
	--mtime="@$(git log -1 --format=%ct 2>/dev/null || echo 0)" -cJf "dist/$name.tar.xz.new" "$name"
mv "dist/$name.tar.xz.new" "dist/$name.tar.xz"
echo "dist/$name.tar.xz"
