#!/usr/bin/env bats
# sudo by a user who is not root, with a configuration of the case in a mount namespace.

setup() {
	load launchers_lib
	launchers_setup
}
teardown() { launchers_end; }

# by_sudo ARGUMENT...: as in `sudo ARGUMENT...` by nobody.
by_sudo() {
	unshare -m sh -c 'mount --bind "$1" /etc/sudoers && shift &&
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' \
		sh "$ROOT/sudoers" "$@"
}

# bats test_tags=long
@test "sudo: the recipe, and what doctor says" {
	need sudo
	need_mounts
	mkdir "$ROOT/sudoers.d"
	cp "$RECIPES/sudoers" "$ROOT/sudoers.d/reprise"
	printf '%s\n' "Defaults secure_path=$PATH" 'nobody ALL=(ALL) NOPASSWD: ALL' \
		"@includedir $ROOT/sudoers.d" >"$ROOT/sudoers"
	chmod 440 "$ROOT/sudoers" "$ROOT/sudoers.d/reprise"
	chmod 777 "$ROOT" "$W"
	run visudo -c -f "$ROOT/sudoers"
	[ "$status" = 0 ] || fail "$output"
	# sudo keeps the name alone; root's settings would stand in /etc/reprise.conf.
	twice 1 by_sudo env REPRISE_JOB=sudo-job sudo "REPRISE_CACHE_DIR=$STORE" \
		"REPRISE_RUNTIME_DIR=$RUNTIME" reprise-run "${JOB[@]}"
	[ "$JOB_NAME" = sudo-job ]
	run by_sudo "$REPRISE_BIN" doctor -- sudo -E
	[ "$status" = 1 ] || fail "status $status: $output"
	says 'the preload did not arrive' \
		'-> sudo drops LD_PRELOAD, with -E too: `sudo ... reprise-run COMMAND`' 'user root'
	run by_sudo "$REPRISE_BIN" doctor -- sudo "REPRISE_CACHE_DIR=$STORE" \
		"REPRISE_RUNTIME_DIR=$RUNTIME" reprise-run
	[ "$status" = 0 ] || fail "status $status: $output"
	says 'the preload arrived; gcc twice: miss, hit' 'user root'
}
