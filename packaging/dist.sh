#!/bin/sh
# dist.sh [tar] [wheel] [deb] [rpm] - makes the packages of this machine in dist/; without a word,
# all of them, and SHA256SUMS:
#   reprise-VERSION-MACHINE.tar.xz   one top folder, which runs from where it is unpacked
#   reprise_cache-VERSION-py3-none-manylinux_2_28_MACHINE.whl
#   reprise_VERSION_ARCHITECTURE.deb
#   reprise-VERSION-1.MACHINE.rpm
#
# All hold the same programs. They are built in a bare Debian 11 root (build/root-dist, which
# debootstrap makes once), for glibc 2.28 and later (GLIBC_FLOOR in cli/main.c). Newer libcs have
# newer versions of symbols that Reprise needs; the libc of Debian 11 has none of them. This script
# tests the built programs: they need no library but libc, and no symbol newer than the floor. Two
# builds of one commit make equal files. Needs root, for debootstrap and chroot. Status 77: this
# machine cannot make such a root.
#
# DIST_ROOT names another root of Debian 11, which is there. Its `uname -m` is the machine: with a
# root for arm64, and qemu-user-static in binfmt_misc, the packages are those of aarch64.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- tar wheel deb rpm sums
wanted=" $* "
release=bullseye
root=${DIST_ROOT:-$PWD/build/root-dist}
newest=$(sed -n 's/^#define GLIBC_FLOOR "\(.*\)"/\1/p' cli/main.c)
version=$(cat VERSION)
# Of the commit: the packages' files have this time.
made=$(git log -1 --format=%ct 2>/dev/null || echo 0)
commit=$(GIT_OPTIONAL_LOCKS=0 git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null ||
	echo unknown)

say() {
	echo "dist: $*" >&2
}
wants() {
	case $wanted in *" $1 "*) ;; *) return 1 ;; esac
}
# inside COMMAND: runs it in the root, in a fresh copy of the tree.
inside() {
	sh packaging/root.sh $release "$root" "$1"
}
for tool in debootstrap xz; do
	command -v $tool >/dev/null || {
		say "$tool is missing; install it with: scripts/setup check"
		exit 1
	}
done
needs=
! wants deb || needs="$needs build-essential debhelper fakeroot"
! wants rpm || needs="$needs rpm"
setup='scripts/setup build'
[ -z "$needs" ] || setup="$setup && { dpkg -s $needs >/dev/null 2>&1 ||
	DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $needs; }"
inside "$setup" >&2 || {
	say "cannot make a root of $release with the packages that the build needs"
	exit 77
}
machine=$(NO_TREE=1 && export NO_TREE && inside 'uname -m')
name=reprise-$version-$machine

# The Makefile has removed the object's debug information already.
inside "make -s -j \$(getconf _NPROCESSORS_ONLN) all COMMIT='$commit' && rm -rf /out &&
	make -s install PREFIX=/out/$name &&
	strip /out/$name/bin/reprise /out/$name/libexec/reprise/*" >&2
tree=$root/out/$name

for file in "$tree/bin/reprise" "$tree/lib/reprise/libreprise.so" "$tree/libexec/reprise"/*; do
	found=$(readelf -V "$file" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
	[ -n "$found" ] || {
		say "$file cannot be read"
		exit 1
	}
	latest=$(printf 'GLIBC_%s\n' "$newest" "${found#GLIBC_}" | sort -V | tail -n 1)
	[ "$latest" = "GLIBC_$newest" ] || {
		say "$file needs $found, newer than GLIBC_$newest"
		exit 1
	}
	needs=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		grep -Ev '^(libc|libdl|ld-linux-.*)\.so\.' || true)
	[ -z "$needs" ] || {
		say "$file needs libraries beside libc:" $needs
		exit 1
	}
done

mkdir -p dist
if wants tar; then
	tar -C "$root/out" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$made" \
		-cJf "dist/$name.tar.xz.new" "$name"
	mv "dist/$name.tar.xz.new" "dist/$name.tar.xz"
	echo "dist/$name.tar.xz"
fi
platform=$(echo "$newest" | tr . _)
! wants wheel || sh packaging/wheel.sh "$tree" "manylinux_${platform}_$machine"
# of_root SCRIPT: runs packaging/SCRIPT in the root, in /, and takes the package that it makes.
of_root() {
	rm -rf "$root/packages"
	cp -R packaging "$root/packages"
	(
		NO_TREE=1
		export NO_TREE
		inside "cd /packages && SOURCE_DATE_EPOCH=$made sh $1 /out/$name $version"
	) >&2
	for package in "$root/packages/out"/*; do
		cp "$package" dist/
		echo "dist/${package##*/}"
	done
	rm -rf "$root/packages"
}
! wants deb || of_root deb.sh
! wants rpm || of_root rpm.sh
# Those of other machines that are there are named, too.
! wants sums || (
	cd dist
	sha256sum "reprise-$version-"*.tar.xz "reprise-$version-1."*.rpm "reprise_$version"_*.deb \
		"reprise_cache-$version-py3-none-manylinux_$platform"_*.whl >SHA256SUMS
	echo dist/SHA256SUMS
)
