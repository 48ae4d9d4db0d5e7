#!/usr/bin/env bats
# The release objects (make dist) on the systems that they are for. The core suites run in a bare
# Debian 11, where the objects are built. A bare Debian 12 or 13 needs only gcc and the content of
# the archive. Roots are made by debootstrap once and kept below build/.
# bats file_tags=long

bats_require_minimum_version 1.5.0

# The cases of these suites that `make check-fast` runs.
CORE='interception compile signals concurrency link outputs remote'
NAME=reprise-$(cat "$BATS_TEST_DIRNAME/../../VERSION")-$(uname -m)

why_not() {
	[ "$(id -u)" = 0 ] || { echo "not root"; return; }
	unshare --mount --pid --fork true 2>/dev/null || { echo "no namespaces"; return; }
	command -v debootstrap >/dev/null || echo "no debootstrap"
}

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	local log=$BATS_FILE_TMPDIR/dist.log status=0
	WHY=$(why_not)
	export WHY
	[ -n "$WHY" ] || MACHINES=$(uname -m) sh packaging/dist.sh tar >"$log" 2>&1 || status=$?
	if [ $status = 77 ]; then
		WHY="no Debian 11 root can be made here"
		tail -n 5 "$log" >&2
	elif [ $status != 0 ]; then
		tail -n 20 "$log"
		return 1
	fi
}

setup() {
	load lib
	[ -z "$WHY" ] || skip "$WHY"
	cd "$TOP"
}

# in_root RELEASE NAME COMMAND: its output in $output
in_root() { run env NO_TREE=1 sh packaging/root.sh "$1" "$TOP/build/root-$2" "$3"; }

@test "roots: the archive has one top folder, and runs from where it is unpacked" {
	[ "$(tar -tf "dist/$NAME.tar.xz" | cut -d / -f 1 | sort -u)" = "$NAME" ]
	[ "$(tar -tf "dist/$NAME.tar.xz" | cut -d / -f 2 | sort -u |
		tr '\n' ' ')" = ' bin lib libexec share ' ]
	case_setup
	tar -C "$ROOT" -xf "$TOP/dist/$NAME.tar.xz"
	run env REPRISE_CACHE_DIR="$STORE" \
		REPRISE_RUNTIME_DIR="$RUNTIME" "$ROOT/$NAME/bin/reprise" doctor -- env
	[ "$status" = 0 ] || fail "$output"
	[[ $output == *'the preload arrived; gcc twice: miss, hit'* ]] || fail "$output"
	case_teardown
}

@test "roots: the core suites pass in Debian 11" {
	local root=$TOP/build/root-dist list
	# Debian 11's bats is too old; ours is scripts alone.
	tar -C / -cf - usr/bin/bats usr/lib/bats-core usr/libexec/bats-core | tar -C "$root" -xf -
	# The objects are those that went into the archive.
	list="python3 redis-server redis-tools procps strace file ninja-build"
	in_root bullseye dist "dpkg -s $list >/dev/null 2>&1 || { apt-get -qq update &&
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
			$list; } >/dev/null 2>&1"
	[ "$status" = 0 ] || skip "the packages of the suites cannot be had"
	in_root bullseye dist "cd /src && make -s -j 2 helpers >/dev/null &&
		for suite in $CORE; do
			E2E_SLIM=1 bats -F tap --filter-tags '!long,!check' \
				tests/e2e/\$suite.bats || failed=1
		done; [ -z \"\${failed-}\" ]"
	echo "$output" | grep -c '^ok' | sed "s/.*/# & cases pass in Debian 11/" >&3
	[ "$status" = 0 ] || { echo "$output" | grep -A 12 '^not ok\|rror' | head -n 60; return 1; }
	[ "$(echo "$output" | grep -c '^ok')" -gt 40 ]
}

# slim RELEASE: a root of that release that holds gcc and the archive serves both.
slim() {
	local root=$TOP/build/root-slim-$1
	in_root "$1" "slim-$1" "command -v gcc >/dev/null || { apt-get -qq update &&
		apt-get -qq install -y --no-install-recommends gcc libc6-dev; } >/dev/null 2>&1
		rm -rf /usr/lib/*/libssl.so.* /opt/reprise; command -v gcc"
	[ "$status" = 0 ] || skip "no root of $1 with gcc can be made here"
	mkdir -p "$root/opt/reprise"
	tar -C "$root/opt/reprise" -xf "dist/$NAME.tar.xz"
	cp tests/e2e/roots_slim.sh "$root/opt/reprise/"
	in_root "$1" "slim-$1" "sh /opt/reprise/roots_slim.sh /opt/reprise/$NAME"
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = 'all is as it should be' ] || fail "$output"
}

@test "roots: a bare Debian 12 with gcc and the archive alone" { slim bookworm; }

@test "roots: a bare Debian 13 with gcc and the archive alone" { slim trixie; }

@test "roots: 1,000 starts of each of eight programs in Debian 11 end as plain ones" {
	cp tests/e2e/roots_starts.sh build/root-dist/tmp/
	local packages='g++ python3 ninja-build'
	in_root bullseye dist "{ dpkg -s $packages >/dev/null 2>&1 || { apt-get -qq update &&
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
			$packages; }
		} >/dev/null 2>&1; sh /tmp/roots_starts.sh /out/$NAME ${STARTS:-1000}"
	echo "$output" | sed 's/^/# /' >&3
	[ "$status" = 0 ]
	[ "${lines[-1]}" = '0 of 8 programs differ' ]
}
