# Bare Debian roots: everything from two commands, on another glibc, another compiler.

root_passes() {
	[ "$(id -u)" = 0 ] || skip "not root"
	command -v debootstrap >/dev/null || skip "no debootstrap"
	unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces"
	sh tests/long/roots.sh "$1" "$PWD/build/root-$1" "$2" >"build/root-$1.log" 2>&1 || {
		grep -E '^ +not ok|failed' "build/root-$1.log" | tail -n 40
		tail -n 20 "build/root-$1.log"
		return 1
	}
	tail -n 1 "build/root-$1.log" | grep -Eq '^[0-9]+ passed, 0 failed, [0-9]+ skipped$'
	grep '^skipped:' "build/root-$1.log" | sed 's/^/# /' >&3 || true
}

@test "scripts/check in a bare Debian 12 root" {
	root_passes bookworm scripts/check
}

@test "scripts/check in a bare Debian 13 root" {
	root_passes trixie 'scripts/check --no-torch'
}

@test "scripts/demo in a bare Debian 12 root" {
	[ "$(id -u)" = 0 ] || skip "not root"
	command -v debootstrap >/dev/null || skip "no debootstrap"
	unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces"
	sh tests/long/roots.sh bookworm "$PWD/build/root-bookworm" scripts/demo >build/root-demo.log 2>&1 || {
		tail -n 40 build/root-demo.log
		return 1
	}
	grep -q 'results of all runs are equal' build/root-demo.log
}
