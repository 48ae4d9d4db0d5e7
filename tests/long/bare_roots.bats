# Bare Debian roots: two commands do everything, with another glibc and another compiler. Each root
# is made anew, so that a package that scripts/setup forgets is missing there.

in_bare_root() { # RELEASE NAME COMMAND: with build/root-NAME.log
	[ "$(id -u)" = 0 ] || skip "not root"
	command -v debootstrap >/dev/null ||
		{ echo "no debootstrap here: scripts/setup check installs it"; return 1; }
	unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces"
	rm -rf --one-file-system "build/root-$2"
	sh packaging/root.sh "$1" "$PWD/build/root-$2" "$3" >"build/root-$2.log" 2>&1 || {
		grep -E '^ *\|? *not ok|, [1-9][0-9]* failed' -A 12 "build/root-$2.log" | head -n 80
		tail -n 20 "build/root-$2.log"
		return 1
	}
}

root_passes() {
	in_bare_root "$1" "$1" "$2"
	tail -n 1 "build/root-$1.log" | grep -Eq '^[0-9]+ passed, 0 failed, [0-9]+ skipped$'
	{ grep '^skipped:' "build/root-$1.log" || true; tail -n 1 "build/root-$1.log"; } |
		sed 's/^/# /' >&3
}

@test "scripts/check in a bare Debian 12 root" {
	root_passes bookworm scripts/check
}

@test "scripts/check in a bare Debian 13 root" {
	root_passes trixie 'scripts/check --no-torch'
}

@test "scripts/demo in a bare Debian 12 root" {
	in_bare_root bookworm demo 'scripts/demo --job train --job aot --job triton'
	grep -q 'results of all runs are equal' build/root-demo.log
}
