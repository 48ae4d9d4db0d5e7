#!/bin/sh
# dist.sh [tar] [wheel] [deb] [rpm] - makes the packages in dist/; without a word, all of them, and
# SHA256SUMS:
#   reprise-VERSION-MACHINE.tar.xz   one top folder, which runs from where it is unpacked
#   reprise_cache-VERSION-py3-none-manylinux_2_28_MACHINE.whl
#   reprise_VERSION_ARCHITECTURE.deb
#   reprise-VERSION-1.MACHINE.rpm
#
# MACHINES: x86_64, aarch64 or both. It is by default this machine's, and on x86-64 aarch64 besides,
# for which the cross compiler builds.
#
# All packages of a machine hold the same programs. They are built in a bare Debian 11 root
# (build/root-dist, which debootstrap makes once), for glibc 2.28 and later (GLIBC_FLOOR in
# cli/main.c). Newer libcs have newer versions of symbols that Reprise needs; the libc of Debian 11
# has none of them. This script tests the built programs: they need no library but libc, and no
# symbol newer than the floor. Two builds of one commit make equal files. Needs root, for
# debootstrap and chroot. Status 77: this machine cannot make such a root.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- tar wheel deb rpm sums
wanted=" $* "
release=bullseye
root=$PWD/build/root-dist
here=$(uname -m)
cross=
[ "$here" != x86_64 ] || cross=aarch64
: "${MACHINES=$here $cross}"
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
# has PACKAGE...: the command that installs them where they are missing.
has() {
	echo "{ dpkg -s $* >/dev/null 2>&1 ||
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $*; }"
}
setup='scripts/setup build'
[ -z "$needs" ] || setup="$setup && $(has $needs)"
inside "$setup" >&2 || {
	say "cannot make a root of $release with the packages that the build needs"
	exit 77
}

# goal MACHINE: what make installs, and where.
goal() {
	echo "install COMMIT=$commit PREFIX=/out/reprise-$version-$1"
}
# strips MACHINE STRIP
strips() {
	echo "sh packaging/strip.sh $2 /out/reprise-$version-$1"
}
make='make -s -j $(getconf _NPROCESSORS_ONLN)'
build="rm -rf /out && $make $(goal "$here") && $(strips "$here" strip)"
machines=
for machine in $MACHINES; do
	case $machine in
	"$here") ;;
	"$cross")
		sysroot=SYSROOT=/sysroot-aarch64
		inside "$(has gcc-aarch64-linux-gnu libc6-dev-arm64-cross) &&
			make $sysroot /sysroot-aarch64/.done" >&2 || {
			say "$cross is skipped: its compiler or libraries cannot be had"
			continue
		}
		# The programs of this machine write the man pages.
		build="$build && $make cross-aarch64 $sysroot CROSS_CFLAGS='-O2 -g' \
			CROSS_GOALS='RUNS=build/reprise $(goal $cross)' &&
			$(strips $cross aarch64-linux-gnu-strip)"
		;;
	*)
		say "$machine is skipped: only its own machine can build for it"
		continue
		;;
	esac
	machines="$machines $machine"
done
inside "$build" >&2

# check FILE...: programs of glibc's floor, which need no other library.
check() {
	for file; do
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
}
# of_root SCRIPT: runs packaging/SCRIPT in the root, in /, and takes the package that it makes.
of_root() {
	rm -rf "$root/packages"
	cp -R packaging "$root/packages"
	(
		NO_TREE=1
		export NO_TREE
		inside "cd /packages &&
			SOURCE_DATE_EPOCH=$made sh $1 /out/$name $version $machine"
	) >&2
	for package in "$root/packages/out"/*; do
		cp "$package" dist/
		echo "dist/${package##*/}"
	done
	rm -rf "$root/packages"
}

mkdir -p dist
platform=$(echo "$newest" | tr . _)
for machine in $machines; do
	name=reprise-$version-$machine
	tree=$root/out/$name
	check "$tree/bin/reprise" "$tree/lib/reprise/libreprise.so" "$tree/libexec/reprise"/*
	if wants tar; then
		tar -C "$root/out" --sort=name --owner=0 --group=0 --numeric-owner \
			--mtime="@$made" -cJf "dist/$name.tar.xz.new" "$name"
		mv "dist/$name.tar.xz.new" "dist/$name.tar.xz"
		echo "dist/$name.tar.xz"
	fi
	! wants wheel || sh packaging/wheel.sh "$tree" "manylinux_${platform}_$machine"
	! wants deb || of_root deb.sh
	! wants rpm || of_root rpm.sh
done
# Those of other machines that are there are named, too.
! wants sums || (
	cd dist
	sha256sum "reprise-$version-"*.tar.xz "reprise-$version-1."*.rpm "reprise_$version"_*.deb \
		"reprise_cache-$version-py3-none-manylinux_$platform"_*.whl >SHA256SUMS
	echo dist/SHA256SUMS
)
