#!/usr/bin/env bats
# accelerate: two processes of one machine, and of two.

setup() {
	load launchers_lib
	launchers_setup
	need_launchers
	put_script "$ROOT/bin/accelerate" '#!/bin/sh' \
		"exec $LAUNCHERS_PYTHON -m accelerate.commands.accelerate_cli \"\$@\""
	JOB=("${JOB[@]:1}")
}
teardown() { launchers_end; }

# bats test_tags=long
@test "accelerate: the recipe on one machine and on two, and what doctor says" {
	local port
	port=$(free_port)
	twice 2 sh "$RECIPES/accelerate.sh" one-job 1 0 127.0.0.1 "$port" 2 "${JOB[@]}"
	[ "$JOB_NAME" = one-job ]
	two_machines() {
		sh "$RECIPES/accelerate.sh" two-job 2 1 127.0.0.1 "$port" 2 "${JOB[@]}" &
		sh "$RECIPES/accelerate.sh" two-job 2 0 127.0.0.1 "$port" 2 "${JOB[@]}"
		wait $!
	}
	warm 2 two_machines
	[ "$JOB_NAME" = two-job ]
	asks 0 accelerate launch --multi_gpu --num_processes 2 --num_machines 1 \
		--main_process_port "$port"
	says ', rank 0 1 (2): the preload arrived; gcc twice: ' ', job run-'
}
