#!/usr/bin/env bats
# The packages of a release (make dist): built twice they are equal, tools of others find nothing
# wrong with them, and they serve a job in bare roots of Debian 11, 12 and 13, in which nothing else
# was installed but a compiler. Those of aarch64, which x86-64 makes besides, serve below qemu-user.
# tests/e2e/packages.bats shows where pip may put the wheel.

bats_require_minimum_version 1.5.0

why_not() {
	[ "$(id -u)" = 0 ] || { echo "not root"; return; }
	unshare --mount --pid --fork true 2>/dev/null || { echo "no namespaces"; return; }
	command -v debootstrap >/dev/null || echo "no debootstrap"
}

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	local log=$BATS_FILE_TMPDIR/log status=0
	WHY=$(why_not)
	[ -n "$WHY" ] || sh packaging/dist.sh >"$log" 2>&1 || status=$?
	[ $status != 77 ] || WHY="no Debian 11 root can be made here"
	[ $status = 77 ] || [ $status = 0 ] || { tail -n 20 "$log"; return 1; }
	export WHY MACHINES
	MACHINES=$(uname -m)
	[ "$MACHINES" != x86_64 ] || grep -qs 'aarch64 is skipped' "$log" || MACHINES+=' aarch64'
}

setup() {
	load ../e2e/lib
	[ -z "$WHY" ] || skip "$WHY"
	cd "$TOP" || return
	VERSION=$(cat VERSION)
	of "$(uname -m)"
}

teardown() { [ -z "${ROOT-}" ] || case_teardown; }

# of MACHINE: its packages.
of() {
	WHEEL=dist/reprise_cache-$VERSION-py3-none-manylinux_2_28_$1.whl
	DEB=dist/reprise_${VERSION}_$(sed 's/x86_64/amd64/;s/aarch64/arm64/' <<<"$1").deb
	RPM=dist/reprise-$VERSION-1.$1.rpm
}

@test "packages: SHA256SUMS names all, and a second build makes equal bytes" {
	local file machine
	for machine in $MACHINES; do
		of "$machine"
		for file in "$WHEEL" "$DEB" "$RPM" "dist/reprise-$VERSION-$machine.tar.xz"; do
			cut -c 67- dist/SHA256SUMS | grep -qxF "${file#dist/}" || fail "no $file"
		done
	done
	cp dist/SHA256SUMS "$BATS_TEST_TMPDIR/first"
	sh packaging/dist.sh >"$BATS_TEST_TMPDIR/log" 2>&1 || fail "$(tail "$BATS_TEST_TMPDIR/log")"
	cmp dist/SHA256SUMS "$BATS_TEST_TMPDIR/first" ||
		fail "$(diff dist/SHA256SUMS "$BATS_TEST_TMPDIR/first")"
	(cd dist && sha256sum --quiet -c SHA256SUMS)
}

@test "packages: lintian, and what the .deb and the .rpm depend on" {
	local said machine
	for machine in $MACHINES; do
		of "$machine"
		said=$(lintian --allow-root "$DEB" 2>&1) || fail "$said"
		[ -z "$said" ] || fail "$said"
		[ "$(dpkg-deb -f "$DEB" Depends)" = 'libc6 (>= 2.28)' ]
		[ "$(dpkg-deb -f "$DEB" Recommends)" = 'libcurl4, libssl3 | libssl1.1' ]
		rpm -qp --requires "$RPM" | grep -qx 'glibc >= 2.28'
		# Nothing else but libc, the loader, sh and what rpm itself does.
		said=$(rpm -qp --requires "$RPM" | grep -Ev \
			'^(glibc >= |/bin/sh$|lib(c|dl)\.so\.|ld-linux-|rtld\(|rpmlib\()' || true)
		[ -z "$said" ] || fail "$said"
	done
}

@test "packages: the .rpm installs and serves" {
	case_setup
	cd "$ROOT" || return
	# Debian's rpm knows no package that Debian installed.
	rpm --dbpath "$ROOT/db" --root "$ROOT/system" -i --nodeps "$TOP/$RPM" 2>said ||
		fail "$(cat said)"
	put a.c 'int a;'
	age
	for _ in 1 2; do
		env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
			system/usr/bin/reprise-run gcc -c a.c
	done
	[ "$(stat_of hits_local)" = 1 ] || fail "$(reprise stats)"
}

@test "packages: auditwheel and twine" {
	local tools=$BATS_TEST_TMPDIR/tools machine may
	python3 -m venv "$tools" && "$tools/bin/pip" install -q auditwheel twine 2>/dev/null ||
		skip "auditwheel and twine cannot be had"
	for machine in $MACHINES; do
		of "$machine"
		# Its programs need no more than the wheel's name says.
		run "$tools/bin/auditwheel" show "$WHEEL"
		[ "$status" = 0 ] || fail "$output"
		may=$(grep -o "manylinux_2_[0-9]*_$machine" <<<"$output" | head -n 1 |
			cut -d _ -f 3)
		[ "${may:-99}" -le 28 ] || fail "$output"
		run "$tools/bin/twine" check --strict "$WHEEL"
		[ "$status" = 0 ] || fail "$output"
		[ "$(stat -c %s "$WHEEL")" -lt 3000000 ]
	done
}

# in_root RELEASE COMMAND
in_root() {
	run env NO_TREE=1 sh packaging/root.sh "$1" "$TOP/build/root-packages-$1" "$2"
}

# installed RELEASE: the wheel and the .deb in a root that holds gcc and python3-venv.
installed() {
	local root=$TOP/build/root-packages-$1
	in_root "$1" "command -v gcc >/dev/null || { apt-get -qq update &&
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
			python3-venv gcc libc6-dev; } >/dev/null 2>&1; command -v gcc"
	[ "$status" = 0 ] || skip "no root of $1 with gcc can be made here"
	rm -rf "$root/opt/packages"
	mkdir -p "$root/opt/packages"
	cp "$WHEEL" "$DEB" tests/long/packages.sh "$root/opt/packages/"
	in_root "$1" 'sh /opt/packages/packages.sh'
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = 'all is as it should be' ] || fail "$output"
}

@test "packages: wheel and .deb in a bare Debian 11" { installed bullseye; }
@test "packages: wheel and .deb in a bare Debian 12" { installed bookworm; }
@test "packages: wheel and .deb in a bare Debian 13" { installed trixie; }

@test "packages: aarch64: wheel and .deb in an unpacked Debian 12, below qemu-user" {
	local root=$TOP/build/root-packages-aarch64
	[[ " $MACHINES " == *' aarch64 '* ]] && [ "$(uname -m)" != aarch64 ] ||
		skip "no packages of aarch64 beside this machine's"
	of aarch64
	export ARCH=arm64 NO_TREE=1 INCLUDE='bash dash coreutils gcc libc6-dev libc-bin python3-venv
		dpkg findutils diffutils grep sed mawk util-linux tar hostname debianutils'
	run sh packaging/root.sh "" "$root" true
	[ "$status" = 0 ] || skip "no root of arm64 can be entered: ${lines[-1]}"
	rm -rf "$root/opt/packages"
	mkdir -p "$root/opt/packages"
	cp "$WHEEL" "$DEB" tests/long/packages.sh "$root/opt/packages/"
	# dpkg knows no package of such a root, and not libc6.
	: >>"$root/var/lib/dpkg/status"
	mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
	echo force-depends >"$root/etc/dpkg/dpkg.cfg.d/unpacked"
	run sh packaging/root.sh "" "$root" 'uname -m; sh /opt/packages/packages.sh'
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[0]}" = aarch64 ]
	[ "${lines[-1]}" = 'all is as it should be' ] || fail "$output"
}

# trains RELEASE TORCH: a job of the kind that has a training image, twice: torch compiles with g++
# as it starts. PyPI's torch for x86-64 is that of CUDA: its gigabytes are removed.
trains() {
	local release=$1 root=$TOP/build/root-packages-$1
	installed "$release"
	in_root "$release" "dpkg -s g++ python3-dev >/dev/null 2>&1 ||
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
			g++ python3-dev >/dev/null 2>&1
		[ -e /opt/job/done ] || { rm -rf /opt/job && python3 -m venv /opt/job &&
			/opt/job/bin/pip install -q --no-compile torch==$2 numpy &&
			touch /opt/job/done; } 2>&1"
	[ "$status" = 0 ] || skip "torch cannot be had there: ${lines[-1]}"
	cp tests/long/packages_train.py "$root/opt/packages/train.py"
	in_root "$release" 'sh /opt/packages/packages.sh job'
	echo "$output" | sed 's/^/# /' >&3
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = 'all is as it should be' ] || fail "$output"
	[ "$(du -sm "$root/opt/job" | cut -f 1)" -lt 2000 ] || rm -rf "$root/opt/job"
}

@test "packages: a job of torch, twice, in a bare Debian 11" { trains bullseye 2.8.0; }
@test "packages: a job of torch, twice, in a bare Debian 12" { trains bookworm 2.13.0; }
@test "packages: a job of torch, twice, in a bare Debian 13" { trains trixie 2.13.0; }
