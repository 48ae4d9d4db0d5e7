#!/bin/sh
# sysroot-aarch64.sh DIRECTORY - downloads the libraries that the aarch64 build links from this
# system's Debian release and unpacks them. It installs nothing: apt uses its own lists and cache.
set -eu
root=$1
case $root in /*) ;; *) root=$PWD/$root ;; esac
apt=$root/apt

rm -rf "$root"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/get"
: >"$apt/status"
cat >"$apt/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Acquire::Languages "none";
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
# The library package of libssl-dev has another name since Debian 13.
ssl=$(apt-cache depends libssl-dev | sed -n 's/^ *Depends: \(libssl3[a-z0-9]*\).*/\1/p' | head -n 1)
apt-get -qq download libxxhash-dev libzstd-dev libjson-c-dev libhiredis-dev libsodium-dev \
	libffi-dev libssl-dev libcurl4-openssl-dev zlib1g-dev "${ssl:-libssl3}"
for package in *.deb; do
	dpkg -x "$package" "$root"
done
rm -rf "$apt"
: >"$root/.done"
