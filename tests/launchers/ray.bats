#!/usr/bin/env bats
# Ray: a cluster of two nodes on this machine, that was started without Reprise.

setup() {
	load launchers_lib
	launchers_setup
	need_launchers
	# Paths of sockets have 107 characters at most.
	PLACE=$(mktemp -d /tmp/rayXXXX)
	export RAY_USAGE_STATS_ENABLED=0 RAY_ADDRESS RAY_TMPDIR=$PLACE
	RAY_ADDRESS=127.0.0.1:$(free_port)
	node --head --node-ip-address 127.0.0.1 --port "${RAY_ADDRESS#*:}" --include-dashboard false
	wait_for "Ray's head" grep -q 'Ray runtime started' "$PLACE/--head"
	node --address "$RAY_ADDRESS"
	wait_for "Ray's second node" grep -q 'Ray runtime started' "$PLACE/--address"
}
teardown() {
	launchers_end
	rm -rf "$PLACE"
}

# node OPTION...: its processes end with the case.
node() {
	REPRISE_CACHE_DIR=$STORE "$LAUNCHERS_PYTHON" -m ray.scripts.scripts start --block \
		--num-cpus 1 "$@" </dev/null >"$PLACE/$1" 2>&1 3>&- &
	DAEMONS+=($!)
}

# bats test_tags=long
@test "ray: the recipe on two nodes, and what doctor says" {
	export REPRISE_LIBRARY=$REPRISE_LIB
	local recipe=("$LAUNCHERS_PYTHON" "$RECIPES/ray_job.py")
	twice 2 "${recipe[@]}" ray-job "${JOB[@]}"
	[ "$JOB_NAME" = ray-job ]
	# The status is that of a node.
	run "${recipe[@]}" ray-job sh -c 'exit $PET_NODE_RANK'
	[ "$status" = 1 ] || fail "status $status: $output"
	asks 0 "${recipe[@]}" ray-job
	says '(2): the preload arrived; gcc twice: miss, hit' ', job ray-job'
	# Without runtime_env, raylets that run without Reprise start workers without it.
	sed 's/, runtime_env=.*/)/' "$RECIPES/ray_job.py" >"$W/plain.py"
	asks 1 "$LAUNCHERS_PYTHON" "$W/plain.py" ray-job
	says 'mend  rank' '(2): the preload did not arrive: LD_PRELOAD does not name it'
}
