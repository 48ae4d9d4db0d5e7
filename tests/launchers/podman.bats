#!/usr/bin/env bats
# bats file_tags=long
# Containers of podman, whose root is this machine's without what the case mounts. It runs in
# namespaces of its own, with control groups of version 2.

setup() {
	load ../e2e/lib
	case_setup
	need_mounts
	need podman
	make -s -C "$TOP" install DESTDIR="$ROOT/inst" PREFIX=/usr/local >/dev/null
	cp "$TOP/scripts/recipes/podman.sh" "$BATS_TEST_DIRNAME/compile_job.sh" "$ROOT"
	put "$ROOT/containers.conf" '[engine]' 'cgroup_manager = "cgroupfs"' '[containers]' \
		'cgroups = "disabled"' 'netns = "none"' \
		'default_ulimits = ["nofile=1000:1000", "nproc=1000:1000"]'
	put "$ROOT/namespaces" 'set -e' 'mount --make-rprivate /' \
		'while umount -R /sys/fs/cgroup 2>/dev/null; do :; done' \
		'mount -t cgroup2 none /sys/fs/cgroup' 'mount -t tmpfs none /run' \
		'mkdir -p /var/lib/containers' 'mount -t tmpfs none /var/lib/containers' \
		"cd '$ROOT'" 'mount --bind inst/usr/local /usr/local' 'exec "$@"'
	within podman run --rm --rootfs /:O true || skip "podman does not work here: $output"
}
teardown() { case_teardown; }

# within COMMAND...
within() {
	run env -u TMPDIR CONTAINERS_CONF="$ROOT/containers.conf" REPRISE_CACHE_DIR="$STORE" \
		unshare --mount --cgroup --fork sh "$ROOT/namespaces" "$@"
	[ "$status" = 0 ]
}

@test "podman: containers share the node's store" {
	local job
	job="./podman.sh --rm -i -e REPRISE_LOG_LEVEL=info --rootfs /:O sh -s <compile_job.sh"
	within env REPRISE_JOB=train sh -c "$job && $job" || fail "$output"
	[ "$(grep -c '^preload yes, job train, answer 42$' <<<"$output")" = 2 ] || fail "$output"
	[ "$(grep -c ' hit: ' "$STORE/log")" = 2 ] || fail "$(cat "$STORE/log")"
	[ "$(grep -c ' miss: ' "$STORE/log")" = 2 ] || fail "$(cat "$STORE/log")"
}

@test "podman: doctor" {
	! within reprise doctor -- podman run --rm -v /usr/local:/usr/local --rootfs /:O ||
		fail "$output"
	[[ $output == *'the preload did not arrive'*'`podman run ... IMAGE reprise-run'* ]] ||
		fail "$output"
	within reprise doctor -- ./podman.sh --rm --rootfs /:O || fail "$output"
	[[ $output == *'the preload arrived; gcc twice: miss, hit'* ]] || fail "$output"
}
