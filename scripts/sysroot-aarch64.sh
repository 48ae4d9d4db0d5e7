#!/bin/sh
# sysroot-aarch64.sh DIRECTORY [PACKAGE...] - downloads packages for aarch64 of this system's Debian
# release and unpacks them. It installs nothing: apt uses its own lists and cache.
#
# Without PACKAGE: the libraries that the aarch64 build links, alone. With PACKAGE: these packages
# and all that they depend on, for chroot. Their scripts do not run: below qemu-user debootstrap
# takes 15 minutes where this takes one. What the scripts would make is a user list, a few links,
# and devices.
set -eu
root=$1
shift
case $root in /*) ;; *) root=$PWD/$root ;; esac
apt=$root/apt

rm -rf --one-file-system "$root"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/get"
: >"$apt/status"
cat >"$apt/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Debug::NoLocking "true";
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
CONF
# Package sources other than Debian's may hold no arm64. So a partial update is no error; the
# download fails if it lacks a library.
APT_CONFIG=$apt/apt.conf
export APT_CONFIG
apt-get -qq update || echo "sysroot-aarch64: some package lists could not be loaded" >&2
cd "$apt/get"
if [ $# -gt 0 ]; then
	apt-get -qq -y --download-only install "$@"
	mv "$apt"/cache/archives/*.deb .
	# base-files of Debian 12 leaves these links to debootstrap.
	mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/usr/sbin"
	ln -s usr/bin usr/lib usr/sbin "$root"
else
	# The library package of libssl-dev is libssl1.1, libssl3 or libssl3t64.
	ssl=$(apt-cache depends libssl-dev |
		sed -n 's/^ *Depends: \(libssl[0-9][a-z0-9.]*\)$/\1/p' | head -n 1)
	apt-get -qq download libxxhash-dev libzstd-dev libjson-c-dev libhiredis-dev libsodium-dev \
		libffi-dev libssl-dev libcurl4-openssl-dev zlib1g-dev "$ssl"
fi
for package in *.deb; do
	dpkg-deb --fsys-tarfile "$package" | tar -xf - --keep-directory-symlink -C "$root"
done
if [ $# -gt 0 ]; then
	for link in awk:mawk cc:gcc c++:g++; do
		[ ! -e "$root/usr/bin/${link#*:}" ] || ln -s "${link#*:}" "$root/usr/bin/${link%:*}"
	done
	echo 'root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin' >"$root/etc/passwd"
	echo 'root:x:0:
tty:x:5:
nogroup:x:65534:' >"$root/etc/group"
	for device in 'null 1 3' 'zero 1 5' 'full 1 7' 'random 1 8' 'urandom 1 9' 'tty 5 0'; do
		# shellcheck disable=SC2086 # name, major, minor
		set -- $device
		mknod -m 666 "$root/dev/$1" c "$2" "$3"
	done
	mkdir -p "$root/dev/pts" "$root/dev/shm"
	ln -s pts/ptmx "$root/dev/ptmx"
	ln -s /proc/self/fd "$root/dev/fd"
fi
rm -rf "$apt"
: >"$root/.done"
